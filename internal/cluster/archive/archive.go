package archive

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sums is the last entry of an archive: the SHA-256 of every file. An archive without it was
// truncated in transit.
const sums = ".sums"

// A pod that is not ours must not fill the disk. A day of repeats of five seconds leaves 35,000
// files, and a day of fifty workers under load 2 GB of samples.
const (
	// most limits the total size and largest that of one file, in bytes.
	most    = 8 << 30
	largest = 4 << 30
	// files limits the number of files and directories, and depth how deeply they are nested; the
	// deepest of ours is a/durability-2/ledger.jsonl of a comparison.
	files = 100000
	depth = 6
	// longest limits the size of the list of sums, in bytes.
	longest = 32 << 20
)

// The modes of sent and received files and directories: only the owner may read them.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// give writes what the work has left in dir as one tar archive: the same bytes each time, because
// nothing changes there any more.
func give(w io.Writer, dir string) error {
	out, found := tar.NewWriter(w), map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case name == Folder:
			return filepath.SkipDir
		case entry.IsDir():
			return out.WriteHeader(&tar.Header{Name: filepath.ToSlash(name) + "/", Typeflag: tar.TypeDir, Mode: folderMode})
		case !entry.Type().IsRegular():
			return nil
		}
		found[filepath.ToSlash(name)], err = add(out, path, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		return err
	}
	list, err := json.Marshal(found)
	if err != nil {
		return err
	}
	if err := out.WriteHeader(&tar.Header{Name: sums, Typeflag: tar.TypeReg, Mode: fileMode, Size: int64(len(list))}); err != nil {
		return err
	}
	if _, err := out.Write(list); err != nil {
		return err
	}
	return out.Close()
}

// add adds one file and returns its checksum.
func add(out *tar.Writer, path, name string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if err := out.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: fileMode, Size: info.Size(), ModTime: info.ModTime()}); err != nil {
		return "", err
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, sum), f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Take unpacks an archive below parent, which is created if it is missing, and returns the
// directories it contained. Nothing appears there before all of it has arrived intact and accept
// has approved each directory; a name that is already in use gets a number appended.
func Take(r io.Reader, parent string, accept func(dir string) error) (came []string, err error) {
	_, missing := os.Lstat(parent)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	if missing != nil {
		defer func() {
			if err != nil {
				_ = os.Remove(parent) // it is empty, or used by somebody else by now
			}
		}()
	}
	temporary, err := os.MkdirTemp(parent, ".fetch-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	if err := unpack(r, temporary); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(temporary)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") || !entry.IsDir() {
			return nil, refusal(fmt.Sprintf("%q in it is not a directory of results", entry.Name()))
		}
		if err := accept(filepath.Join(temporary, entry.Name())); err != nil {
			return nil, refusal(fmt.Sprintf("%q in it is not a directory of results: %v", entry.Name(), err))
		}
	}
	for _, entry := range entries {
		to, err := settle(filepath.Join(temporary, entry.Name()), filepath.Join(parent, entry.Name()))
		if err != nil {
			for _, dir := range came {
				err = errors.Join(err, os.RemoveAll(dir))
			}
			return nil, err
		}
		came = append(came, to)
	}
	return came, nil
}

// settle moves an unpacked directory to its place, next to what is there.
func settle(from, to string) (string, error) {
	for i := 1; ; i++ {
		name := to
		if i > 1 {
			name = fmt.Sprintf("%s-%d", to, i)
		}
		if _, err := os.Lstat(name); err == nil && i <= 1000 {
			continue
		}
		return name, os.Rename(from, name)
	}
}

// unpack unpacks an archive into an empty directory and verifies its checksums. No name leads
// outside the directory.
func unpack(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	in, got := tar.NewReader(r), map[string]string{}
	number, total := 0, int64(0)
	for {
		h, err := in.Next()
		if err != nil {
			return torn(err)
		}
		if number++; number > files {
			return refusal(fmt.Sprintf("it holds more than %d files", files))
		}
		// The data is as long as the header says: the reader returns no more.
		if total += h.Size; total > most || h.Size > largest {
			return refusal(fmt.Sprintf("it holds more than %d GiB, or one file of more than %d GiB", most>>30, largest>>30))
		}
		name := strings.TrimSuffix(h.Name, "/")
		switch {
		case !filepath.IsLocal(name) || strings.Count(name, "/") >= depth || len(name) > 1024:
			return refusal(fmt.Sprintf("the name %.100q leads elsewhere", h.Name))
		case h.Name == sums && h.Typeflag == tar.TypeReg:
			var sent map[string]string
			if err := json.NewDecoder(io.LimitReader(in, longest)).Decode(&sent); err != nil {
				return torn(err)
			}
			return compare(sent, got)
		case h.Typeflag == tar.TypeDir:
			if err := root.MkdirAll(name, folderMode); err != nil {
				return err
			}
		case h.Typeflag == tar.TypeReg:
			if got[h.Name], err = receive(root, h.Name, in); err != nil {
				return err
			}
		default:
			return refusal(fmt.Sprintf("%.100q is neither a file nor a directory", h.Name))
		}
	}
}

// Refusal is why an archive that has arrived is refused: fetching it again would not help.
type Refusal string

// Error returns the reason.
func (r Refusal) Error() string { return string(r) }

func refusal(why string) error { return Refusal(why) }

func torn(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("it did not arrive whole: %w", err)
}

// compare returns an error that names a file that differs from the one sent.
func compare(sent, got map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if sent[name] != got[name] {
			return fmt.Errorf("%s did not arrive as it was sent", name)
		}
	}
	if len(got) != len(sent) {
		return fmt.Errorf("%d files came where %d were sent", len(got), len(sent))
	}
	return nil
}

func receive(root *os.Root, name string, from io.Reader) (sum string, err error) {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, fileMode)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(f, hash), from); err != nil {
		return "", torn(err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
