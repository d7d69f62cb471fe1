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
)

// kept has done its work in a directory with these files.
func kept(t interface{ Fatal(...any) }, dir string, files map[string]string, limit time.Duration, say func(Status)) int {
	code, err := Keep(context.Background(), Options{Dir: dir, Limit: limit, Now: time.Now, Say: say}, func(context.Context) int {
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		return 5
	})
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// anything accepts what comes.
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

// TestResultsWaitUntilTheyAreReleased: the exit code is the work's, and the wait ends
// with the word for it.
func TestResultsWaitUntilTheyAreReleased(t *testing.T) {
	dir, parent := t.TempDir(), t.TempDir()
	files := map[string]string{"run/plan.json": "{}", "run/raw/1.fio": "[x]"}
	code := kept(t, dir, files, time.Hour, func(s Status) {
		if !s.Done || s.Code != 5 || time.Until(s.Until) < 59*time.Minute {
			t.Errorf("%+v", s)
		}
		if asked, err := Ask(t.Context(), dir, time.Minute); err != nil || asked.Code != 5 {
			t.Errorf("%+v, %v", asked, err)
		}
		var archive bytes.Buffer
		if err := Give(&archive, dir); err != nil {
			t.Error(err)
		}
		came, err := Take(&archive, parent, anything)
		if err != nil || len(came) != 1 || came[0] != filepath.Join(parent, "run") {
			t.Errorf("%v, %v", came, err)
		}
		if err := Release(dir); err != nil {
			t.Error(err)
		}
	})
	if code != 5 {
		t.Errorf("exit code %d", code)
	}
	if diff := cmp.Diff(files, content(t, parent)); diff != "" {
		t.Error(diff)
	}
}

func TestResultsGoAfterTheirTime(t *testing.T) {
	if code := kept(t, t.TempDir(), nil, time.Millisecond, func(Status) {}); code != 5 {
		t.Errorf("exit code %d", code)
	}
}

// TestStopReachesTheWork: the work is told, its results are kept all the same.
func TestStopReachesTheWork(t *testing.T) {
	dir := t.TempDir()
	said := false
	code, err := Keep(t.Context(), Options{Dir: dir, Limit: time.Millisecond, Now: time.Now, Say: func(Status) { said = true }}, func(ctx context.Context) int {
		if s, err := Ask(ctx, dir, 0); err != nil || s.Done {
			t.Errorf("%+v, %v", s, err)
		}
		if err := Give(io.Discard, dir); err == nil {
			t.Error("results of work that goes on were given away")
		}
		if err := Stop(dir); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		return 130
	})
	if code != 130 || err != nil || !said {
		t.Errorf("exit code %d, %v, said %v", code, err, said)
	}
}

// TestPodThatGoesWaitsForNobody: who ends the pod is not kept waiting.
func TestPodThatGoesWaitsForNobody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	code, err := Keep(ctx, Options{Dir: t.TempDir(), Limit: time.Hour, Now: time.Now, Say: func(Status) { t.Error("it says that the results wait") }}, func(context.Context) int {
		cancel()
		return 130
	})
	if code != 130 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
}

func TestNothingIsKeptElsewhere(t *testing.T) {
	dir := t.TempDir()
	_, asked := Ask(t.Context(), dir, time.Hour)
	for name, err := range map[string]error{"ask": asked, "stop": Stop(dir), "release": Release(dir), "give": Give(io.Discard, dir)} {
		if err == nil || !strings.Contains(err.Error(), "nothing is kept in "+dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestArchiveArrivesWholeOrNotAtAll: wherever it is cut and whatever bit is flipped, the
// files are there as they were or none is.
func TestArchiveArrivesWholeOrNotAtAll(t *testing.T) {
	dir, parents := t.TempDir(), t.TempDir()
	files := map[string]string{"a/run.json": strings.Repeat("x", 700), "a/raw/0001.json": "{}", "b/empty": ""}
	kept(t, dir, files, time.Millisecond, func(Status) {})
	var whole bytes.Buffer
	if err := Give(&whole, dir); err != nil {
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

// TestArchiveStaysInItsPlace: names that lead elsewhere, and links, are refused.
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
	dir, parent := t.TempDir(), t.TempDir()
	kept(t, dir, map[string]string{"run/x": "1"}, time.Millisecond, func(Status) {})
	for _, want := range []string{"run", "run-2", "run-3"} {
		var b bytes.Buffer
		if err := Give(&b, dir); err != nil {
			t.Fatal(err)
		}
		if came, err := Take(&b, parent, anything); err != nil || len(came) != 1 || filepath.Base(came[0]) != want {
			t.Errorf("%v, %v", came, err)
		}
	}
}

// archive is a tar with these entries and right sums.
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

// TestArchiveThatIsNotOursLeavesNothing: what is refused leaves neither files nor the
// folder for them, and is told from what did not arrive.
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

// TestArchiveIsBounded: many files, and one that is large, are refused before they are written.
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

// TestWhatIsFetchedIsForItsOwnerOnly: whatever the pod says.
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
