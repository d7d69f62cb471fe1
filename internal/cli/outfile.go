package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/store"
)

// headLength is how much of a file is looked at to tell whether it is a report.
const headLength = 4 << 10

// mayWrite refuses a file that must not be replaced: one that is no report, unless
// forced; and what belongs to a saved run, always, but for its page.
func mayWrite(name string, force bool) error {
	folder := filepath.Dir(name)
	switch info, err := os.Stat(folder); {
	case err != nil:
		return model.RefusedError(fmt.Sprintf("there is no folder %s to write %s into", folder, filepath.Base(name)), "make it first: mkdir -p "+model.ShellWord(folder))
	case !info.IsDir():
		return model.RefusedError(fmt.Sprintf("%s is not a folder", folder), "choose another name for -o")
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return model.RefusedError(fmt.Sprintf("%s cannot be written: %v", name, err), "choose another name for -o")
	case info.IsDir():
		return model.RefusedError(fmt.Sprintf("%s is a folder", name), "name a file in it: -o "+model.ShellWord(filepath.Join(name, "report.html")))
	case !info.Mode().IsRegular():
		return nil
	case (store.IsRun(folder) || store.IsComparison(folder) || isDurability(folder)) && filepath.Base(name) != store.PageFile:
		return model.RefusedError(fmt.Sprintf("%s belongs to the saved run in %s", name, folder), "choose another name for -o; loadline analyze "+model.ShellWord(folder)+" writes a run's own files again")
	case force || info.Size() == 0:
		return nil
	}
	head, err := readHead(name)
	if err != nil {
		return model.RefusedError(fmt.Sprintf("%s exists and cannot be read: %v", name, err), "choose another name for -o")
	}
	if slices.ContainsFunc(formats, func(f format) bool { return f.ours(head) }) {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s exists and is no report of loadline: it would be lost", name), "choose another name for -o, or add --force")
}

func readHead(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, headLength))
}

// writeWhole replaces a file by one rename, or writes into what is no plain file (a
// pipe, a device).
func writeWhole(name string, data []byte) error {
	if folder := filepath.Dir(name); store.IsRun(folder) || store.IsComparison(folder) {
		// The page of a run that somebody sent may be a link to anything.
		return store.WriteFile(folder, filepath.Base(name), data)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("%s cannot be written: %w", name, err)
		}
		_, err = f.Write(data)
		return errors.Join(err, f.Close())
	}
	return store.WriteNamed(name, data)
}

// beside is the name of a file beside another: x.csv with "-samples" is x-samples.csv.
func beside(name, suffix string) string {
	extension := filepath.Ext(name)
	return strings.TrimSuffix(name, extension) + suffix + extension
}
