package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/results"
)

// headLength is how much of a file is read to determine whether it is a report.
const headLength = 4 << 10

// MakeFolder begins the advice for a file in a folder that does not exist.
const MakeFolder = "make it first: mkdir -p "

// Check refuses a file that must not be replaced: one that is not a report, unless forced; and,
// forced or not, a device or a file of a saved run other than its page. Instead is the alternative
// to choosing another name for a file that is not a report, if there is one: that it be removed is never advised, as it is
// not ours.
func Check(name string, force bool, instead string) error {
	if ownStream(name) != nil {
		return nil
	}
	name, err := followed(name)
	if err != nil {
		return err
	}
	folder := filepath.Dir(name)
	switch info, err := os.Stat(folder); {
	case err != nil:
		return model.RefusedError(fmt.Sprintf("there is no folder %s to write %s into", folder, filepath.Base(name)), MakeFolder+safetext.ShellWord(folder))
	case !info.IsDir():
		return model.RefusedError(fmt.Sprintf("%s is not a folder", folder), "choose another name for -o")
	}
	info, err := os.Stat(name)
	switch {
	case store.IsRunFile(filepath.Base(name)) && !OwnFolder(folder):
		return model.RefusedError(fmt.Sprintf("a folder with a %s in it passes for a saved run", filepath.Base(name)), "choose another name for -o")
	case errors.Is(err, fs.ErrNotExist):
		return checkWritable(folder)
	case err != nil:
		return model.RefusedError(fmt.Sprintf("%s cannot be written: %v", name, err), "choose another name for -o")
	case info.IsDir():
		return model.RefusedError(fmt.Sprintf("%s is a folder", name), "name a file in it: -o "+safetext.ShellWord(filepath.Join(name, "report.html")))
	case !info.Mode().IsRegular():
		return mayStream(name, info)
	case OwnFolder(folder) && filepath.Base(name) != store.PageFile:
		return model.RefusedError(fmt.Sprintf("%s belongs to the saved run in %s", name, folder), "choose another name for -o; loadline analyze "+safetext.ShellWord(folder)+" writes a run's own files again")
	case force:
		return checkWritable(folder)
	}
	ours, err := BeginsAsReport(name, info)
	if err != nil {
		return model.RefusedError(fmt.Sprintf("%s exists and cannot be read: %v", name, err), "choose another name for -o")
	}
	if ours {
		return checkWritable(folder)
	}
	next := "choose another name for -o"
	if instead != "" {
		next += ", or " + instead
	}
	return model.RefusedError(fmt.Sprintf("%s exists and is not a Loadline report; it would be lost", name), next)
}

// checkWritable refuses a folder in which no file can be made: a file in it is replaced by a new one, and that would fail only after
// the measurement.
func checkWritable(folder string) error {
	if err := unix.Access(folder, unix.W_OK|unix.X_OK); err != nil {
		return model.RefusedError(fmt.Sprintf("no file can be written into %s: %v", folder, err), "choose another name for -o, or make the folder writable")
	}
	return nil
}

// OwnFolder reports whether a folder contains a saved run, a comparison or a durability test.
func OwnFolder(folder string) bool {
	return store.IsRun(folder) || store.IsComparison(folder) || results.IsDurability(folder)
}

// HasPage reports whether a folder of results has a page: it can be deleted, and the results of interrupted runs have none.
func HasPage(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, store.PageFile))
	return err == nil
}

// followed resolves a name that is a link. The page of a saved run is replaced itself: the run may
// come from somebody else, and the link may point anywhere.
func followed(name string) (string, error) {
	info, err := os.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return name, nil
	}
	if folder := filepath.Dir(name); filepath.Base(name) == store.PageFile && OwnFolder(folder) {
		return name, nil
	}
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", model.RefusedError(fmt.Sprintf("%s is %s", name, store.Kind(name)), "choose another name for -o")
	}
	return target, nil
}

// mayStream refuses anything that is neither a plain file nor a folder, unless text can be streamed
// to it: a pipe, a terminal, or a device that discards it. Writing to another device changes its
// contents or its operation, and --force is about files.
func mayStream(name string, info fs.FileInfo) error {
	switch {
	case info.Mode().Type() == fs.ModeNamedPipe, isSink(info):
		return nil
	case filepath.Base(name) == store.PageFile && OwnFolder(filepath.Dir(name)):
		if link, err := os.Lstat(name); err == nil && link.Mode()&fs.ModeSymlink != 0 {
			return nil // the link is replaced, and nothing is written through it
		}
	}
	return model.RefusedError(fmt.Sprintf("%s is %s, and a report is never written into one", name, store.Kind(name)), "name a file, such as -o report.html")
}

// terminalMajors are the major numbers of Linux's terminal drivers: consoles, the alias of the
// controlling terminal, and the slave side of pseudo-terminals.
var terminalMajors = []uint32{4, 5, 136, 137, 138, 139, 140, 141, 142, 143}

// isSink reports whether a device is a terminal, null or full. It is not opened to find out,
// because opening a tape or a watchdog already has an effect.
func isSink(info fs.FileInfo) bool {
	if info.Mode().Type() != fs.ModeDevice|fs.ModeCharDevice {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	for _, name := range []string{os.DevNull, "/dev/full", "/dev/tty"} {
		known, err := os.Stat(name)
		if err != nil || known.Mode().Type() != info.Mode().Type() {
			continue
		}
		if other, ok := known.Sys().(*syscall.Stat_t); ok && other.Rdev == st.Rdev {
			return true
		}
	}
	return runtime.GOOS == "linux" && slices.Contains(terminalMajors, unix.Major(uint64(st.Rdev)))
}

// ownStream returns the stream of this process to which a name such as /dev/stdout refers: it is
// written to where it is, even if it has been redirected to a file, which others may write to as
// well.
func ownStream(name string) *os.File {
	link, err := os.Lstat(name)
	if err != nil || link.Mode()&fs.ModeSymlink == 0 || !strings.HasPrefix(filepath.Clean(name), "/dev/") && !strings.HasPrefix(filepath.Clean(name), "/proc/") {
		return nil
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Type() == fs.ModeDevice {
		return nil
	}
	return env.StreamOf(info)
}

// Same reports whether two names are those of one file, which need not exist. A stream takes several documents.
func Same(a, b string) bool {
	if a == "" || b == "" || IsStream(a) {
		return false
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil || errB == nil {
		return errA == nil && errB == nil && os.SameFile(infoA, infoB)
	}
	folderA, errA := os.Stat(filepath.Dir(a))
	folderB, errB := os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && os.SameFile(folderA, folderB) && filepath.Base(a) == filepath.Base(b)
}

// IsStream reports whether a name refers to a pipe, a terminal or the like, next to which no other
// file is written.
func IsStream(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() || ownStream(name) != nil
}

// BeginsAsReport reports whether a file begins like a report, or is empty.
func BeginsAsReport(name string, info fs.FileInfo) (bool, error) {
	if info.Size() == 0 {
		return true, nil
	}
	head, err := ReadHead(name)
	return err == nil && format.IsReport(head), err
}

// ReadHead reads enough of a file to determine what it is.
func ReadHead(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, headLength))
}

// Write replaces a file that Check allows by one rename, or writes to it if it is not a plain file
// (a pipe, a terminal). A link stays a link.
func Write(name string, data []byte) error {
	if own := ownStream(name); own != nil {
		_, err := own.Write(data)
		return err
	}
	name, err := followed(name)
	if err != nil {
		return err
	}
	if folder := filepath.Dir(name); store.IsRun(folder) || store.IsComparison(folder) {
		// The page of a run from somebody else may be a link to anywhere.
		return store.WriteFile(folder, filepath.Base(name), data)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NOCTTY, 0)
		if err != nil {
			return fmt.Errorf("%s cannot be written: %w", name, err)
		}
		// The name may refer to something else by now.
		if info, err = f.Stat(); err == nil {
			err = mayStream(name, info)
		}
		if err == nil {
			_, err = f.Write(data)
		}
		return errors.Join(err, f.Close())
	}
	return store.WriteNamed(name, data)
}

// Beside returns the name of a companion file: x.csv with "-samples" becomes x-samples.csv.
func Beside(name, suffix string) string {
	extension := filepath.Ext(name)
	return strings.TrimSuffix(name, extension) + suffix + extension
}

// WriteAll writes files beside name, all or none: check must permit each of them before any is replaced. Each that was written
// is told.
func WriteAll(name string, files []format.File, check func(string) error, tell func(string)) error {
	for _, file := range files {
		if err := check(Beside(name, file.Suffix)); err != nil {
			return err
		}
	}
	for _, file := range files {
		one := Beside(name, file.Suffix)
		if err := Write(one, file.Data); err != nil {
			return err
		}
		tell(one)
	}
	return nil
}
