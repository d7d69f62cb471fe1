package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/cluster/link/linktest"
)

// begin keeps, in a directory, the files of a work that prints some lines, until they are released
// or the limit has passed; it then returns the exit code.
func begin(ctx context.Context, dir string, files map[string]string, said string, limit time.Duration) (ended chan int) {
	ended = make(chan int, 1)
	go func() {
		code, err := Keep(ctx, Options{Dir: dir, Limit: limit, Say: func(Status) {}}, func(_ context.Context, out io.Writer) int {
			fmt.Fprint(out, said)
			for name, text := range files {
				path := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
					return 99
				}
			}
			return 5
		})
		if err != nil {
			code = 98
		}
		ended <- code
	}()
	return ended
}

// written returns a directory with these files.
func written(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if code := <-begin(t.Context(), dir, files, "", time.Millisecond); code != 5 {
		t.Fatalf("code %d", code)
	}
	return dir
}

// state returns the directory of a link's socket.
func state(dir string) string { return filepath.Join(dir, Folder) }

// anything accepts any directory.
func anything(string) error { return nil }

func content(t interface{ Fatal(...any) }, dir string) map[string]string {
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, err2 := filepath.Rel(dir, path)
		found[name] = string(data)
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestResultsComeHomeOverCutConnections checks that the output, the exit code, every file and the
// release arrive.
func TestResultsComeHomeOverCutConnections(t *testing.T) {
	files := map[string]string{"run/plan.json": "{}", "run/raw/1.fio": "[x]", "run/samples": strings.Repeat("xyz", 700)}
	var ended chan int
	linktest.Survives(t, func(dir string) (func(), error) {
		ctx, stop := context.WithCancel(t.Context())
		// The socket must be where the test looks for it.
		results := filepath.Join(dir, "r")
		if err := errors.Join(os.Mkdir(results, 0o755), os.Symlink(state(results), filepath.Join(dir, "s"))); err != nil {
			return stop, err
		}
		ended = begin(ctx, results, files, "[1/2] a\n[2/2] b\n\nlast", time.Hour)
		return stop, os.Symlink(filepath.Join(state(results), "link.sock"), filepath.Join(dir, "link.sock"))
	}, func(stream io.ReadWriter) (string, error) {
		parent := t.TempDir()
		heard := ""
		s, archive, err := Follow(stream, func(line string) { heard += line + "\n" })
		if err != nil {
			return heard, err
		}
		if time.Until(s.Until) < 59*time.Minute {
			return heard, fmt.Errorf("it waits until %s", s.Until)
		}
		came, err := Take(archive, parent, anything)
		if err != nil || len(came) != 1 || came[0] != filepath.Join(parent, "run") {
			return heard, fmt.Errorf("%v, %w", came, err)
		}
		if err := Release(stream.(io.Writer)); err != nil {
			return heard, err
		}
		rest, err := io.ReadAll(archive)
		if diff := cmp.Diff(files, content(t, parent)); diff != "" || strings.Trim(string(rest), "\x00") != "" {
			return heard, fmt.Errorf("behind the archive came %q; %s", rest, diff)
		}
		return heard + fmt.Sprint("code ", s.Code, " ", <-ended), err
	})
}

func TestResultsGoAfterTheirTime(t *testing.T) {
	if code := <-begin(t.Context(), t.TempDir(), nil, "", time.Millisecond); code != 5 {
		t.Errorf("exit code %d", code)
	}
}

// TestSeveralFetchTheSame checks that two clients that fetch at once both get everything, and that
// the first release ends the wait.
func TestSeveralFetchTheSame(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"run/x": strings.Repeat("1", 5000)}
	ended := begin(t.Context(), dir, files, "hello\n", time.Hour)
	var readers []io.Reader
	var links []io.WriteCloser
	for range 2 {
		l := linktest.Connect(t.Context(), state(dir))
		defer l.Close()
		_, archive, err := Follow(l, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		readers, links = append(readers, archive), append(links, l)
	}
	for _, r := range readers {
		parent := t.TempDir()
		if _, err := Take(r, parent, anything); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(files, content(t, parent)); diff != "" {
			t.Error(diff)
		}
	}
	if err := Release(links[1]); err != nil {
		t.Fatal(err)
	}
	if code := <-ended; code != 5 {
		t.Errorf("exit code %d", code)
	}
}

// TestStopReachesTheWork checks that the work is told to stop and that its results are kept all the
// same.
func TestStopReachesTheWork(t *testing.T) {
	dir := t.TempDir()
	said := false
	code, err := Keep(t.Context(), Options{Dir: dir, Limit: time.Millisecond, Say: func(Status) { said = true }}, func(ctx context.Context, _ io.Writer) int {
		l := linktest.Connect(ctx, state(dir), linktest.Cut{Came: 1 << 20, Went: 40})
		defer l.Close()
		if err := Stop(l); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		return 130
	})
	if code != 130 || err != nil || !said {
		t.Errorf("exit code %d, %v, said %v", code, err, said)
	}
}

// TestPodThatGoesWaitsForNobody checks that deleting the pod is not delayed.
func TestPodThatGoesWaitsForNobody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	code, err := Keep(ctx, Options{Dir: t.TempDir(), Limit: time.Hour, Say: func(Status) { t.Error("it says that the results wait") }}, func(context.Context, io.Writer) int {
		cancel()
		return 130
	})
	if code != 130 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
}

// TestNonsenseFromThePodIsTold checks input that is not a line of ours, or is endless.
func TestNonsenseFromThePodIsTold(t *testing.T) {
	for text, want := range map[string]string{"hello\n": "the Job said", "": "unexpected EOF", strings.Repeat("x", 7<<20): "in one line"} {
		if _, _, err := Follow(strings.NewReader(text), func(string) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestArchiveArrivesWholeOrNotAtAll checks that, wherever the archive is truncated and whatever bit
// is flipped, either all files are there unchanged or none.
func TestArchiveArrivesWholeOrNotAtAll(t *testing.T) {
	parents := t.TempDir()
	files := map[string]string{"a/run.json": strings.Repeat("x", 700), "a/raw/0001.json": "{}", "b/empty": ""}
	var whole bytes.Buffer
	if err := give(&whole, written(t, files)); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		parent, err := os.MkdirTemp(parents, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(parent)
		sent := bytes.Clone(whole.Bytes())
		if rapid.Bool().Draw(t, "cut") {
			sent = sent[:rapid.IntRange(0, len(sent)).Draw(t, "at")]
		} else {
			at := rapid.IntRange(0, len(sent)-1).Draw(t, "flipped")
			sent[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		_, err = Take(bytes.NewReader(sent), parent, anything)
		got := content(t, parent)
		if err == nil && !cmp.Equal(got, files) || err != nil && len(got) > 0 {
			t.Fatalf("%v: %v", err, got)
		}
	})
}

// TestArchiveStaysInItsPlace checks that links, and names that lead outside the directory, are
// refused.
func TestArchiveStaysInItsPlace(t *testing.T) {
	for _, h := range []tar.Header{
		{Name: "../out", Typeflag: tar.TypeReg}, {Name: "/out", Typeflag: tar.TypeReg}, {Name: "../out/", Typeflag: tar.TypeDir},
		{Name: "out", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, {Name: "out", Typeflag: tar.TypeFifo},
	} {
		dir := t.TempDir()
		parent := filepath.Join(dir, "results")
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := errors.Join(w.WriteHeader(&h), w.WriteHeader(&tar.Header{Name: sums, Typeflag: tar.TypeReg, Size: 2})); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("{}")); err != nil {
			t.Fatal(err)
		}
		if _, err := Take(&b, parent, anything); err == nil {
			t.Errorf("%+v was taken", h)
		}
		if got := content(t, dir); len(got) > 0 {
			t.Errorf("%+v left %v", h, got)
		}
	}
}

func TestSecondArchiveTakesAnotherName(t *testing.T) {
	dir, parent := written(t, map[string]string{"run/x": "1"}), t.TempDir()
	for _, want := range []string{"run", "run-2", "run-3"} {
		var b bytes.Buffer
		if err := give(&b, dir); err != nil {
			t.Fatal(err)
		}
		if came, err := Take(&b, parent, anything); err != nil || len(came) != 1 || filepath.Base(came[0]) != want {
			t.Errorf("%v, %v", came, err)
		}
	}
}

// archive returns a tar with these entries and correct checksums.
func archive(t *testing.T, headers ...tar.Header) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	got := map[string]string{}
	for _, h := range headers {
		text := strings.Repeat("x", int(h.Size))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			got[h.Name] = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
		}
	}
	list, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.WriteHeader(&tar.Header{Name: sums, Typeflag: tar.TypeReg, Size: int64(len(list))}), second(w.Write(list)), w.Close()); err != nil {
		t.Fatal(err)
	}
	return &b
}

func second(_ int, err error) error { return err }

// TestArchiveThatIsNotOursLeavesNothing checks that a refused archive leaves neither files nor
// their directory, and that a refusal is distinguished from an incomplete transfer.
func TestArchiveThatIsNotOursLeavesNothing(t *testing.T) {
	deep := strings.Repeat("d/", depth)
	for name, headers := range map[string][]tar.Header{
		"a file beside the runs": {{Name: "note.txt", Typeflag: tar.TypeReg, Size: 3}},
		"a hidden directory":     {{Name: ".ssh/", Typeflag: tar.TypeDir}, {Name: ".ssh/authorized_keys", Typeflag: tar.TypeReg, Size: 3}},
		"too deep":               {{Name: deep + "x", Typeflag: tar.TypeReg, Size: 3}},
		"a name that climbs":     {{Name: "run/../../x", Typeflag: tar.TypeReg, Size: 3}},
		"a hard link":            {{Name: "run/x", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}},
		"a device":               {{Name: "run/x", Typeflag: tar.TypeBlock, Devmajor: 8}},
		"no run":                 {{Name: "run/", Typeflag: tar.TypeDir}, {Name: "run/x", Typeflag: tar.TypeReg, Size: 3}},
	} {
		dir := t.TempDir()
		_, err := Take(archive(t, headers...), filepath.Join(dir, "results"), func(dir string) error {
			return errors.New("it has no plan")
		})
		var refused Refusal
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s left %v, %v", name, left, err)
		}
	}
}

// TestArchiveIsBounded checks that too many files, and a file that is too large, are refused before
// they are written.
func TestArchiveIsBounded(t *testing.T) {
	pipe := func(write func(*tar.Writer) error) io.Reader {
		r, w := io.Pipe()
		go func() { _ = w.CloseWithError(write(tar.NewWriter(w))) }()
		t.Cleanup(func() { r.Close() })
		return r
	}
	for name, r := range map[string]io.Reader{
		"files": pipe(func(w *tar.Writer) error {
			for i := 0; ; i++ {
				if err := w.WriteHeader(&tar.Header{Name: "run/", Typeflag: tar.TypeDir}); err != nil {
					return err
				}
			}
		}),
		"size": pipe(func(w *tar.Writer) error {
			return w.WriteHeader(&tar.Header{Name: "run", Typeflag: tar.TypeReg, Size: largest + 1})
		}),
	} {
		dir := t.TempDir()
		_, err := Take(r, filepath.Join(dir, "results"), anything)
		var refused Refusal
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s left %v, %v", name, left, err)
		}
	}
}

// TestWhatIsFetchedIsForItsOwnerOnly checks the modes, whatever the pod specifies.
func TestWhatIsFetchedIsForItsOwnerOnly(t *testing.T) {
	parent := t.TempDir()
	came, err := Take(archive(t, tar.Header{Name: "run/", Typeflag: tar.TypeDir, Mode: 0o777}, tar.Header{Name: "run/x", Typeflag: tar.TypeReg, Size: 3, Mode: 0o666}), parent, anything)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{came[0]: 0o700, filepath.Join(came[0], "x"): 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}
