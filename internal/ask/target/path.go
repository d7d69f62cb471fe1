package target

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/suggest"
)

// parsePath resolves an existing path or, if the caller allows it, a new file.
func parsePath(name string, o Options) (model.Target, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s cannot be made an absolute path: %s", name, env.Reason(err)), "name it with a path that begins with a slash")
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist), isNotDirectory(err):
		return parseMissing(name, abs, o)
	case err != nil:
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s cannot be looked at: %s", name, env.Reason(err)),
			"check its permissions and those of the directories above it: namei -l "+safetext.ShellWord(abs))
	}
	path, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s cannot be followed to its end: %s", name, env.Reason(err)), "name the file or device that the link points to")
	}
	t := model.Target{Name: name, Path: path}
	if abs != path {
		t.TypedPath = abs
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		t.Kind = model.Directory
	case mode.IsRegular() && strings.HasSuffix(name, "/"):
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s is a file, not a directory", name), "leave the slash at its end away")
	case mode.IsRegular():
		t.Kind = model.File
	case mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0:
		t.Kind = model.BlockDevice
	default:
		return model.Target{}, refuseMode(name, mode)
	}
	return t, nil
}

// parseMissing accepts a file that does not exist yet, if the caller allows its creation in an existing
// directory. Otherwise a mistyped path, or one whose storage is not mounted, would become a file on
// whatever disk holds the directory, and that disk would be measured.
func parseMissing(name, abs string, o Options) (model.Target, error) {
	if link, err := os.Readlink(abs); err == nil {
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s is a link to %s, which does not exist", name, link), "fix the link, or name the target of the link")
	}
	parent := filepath.Dir(abs)
	info, err := os.Stat(parent)
	if err != nil {
		near := nearest(parent)
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s does not exist, and neither does the directory it would be in; the nearest that does is %s", name, o.place(near)),
			"check the spelling: ls "+safetext.ShellWord(near))
	}
	if !info.IsDir() {
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s does not exist: %s is not a directory", name, parent), "check the spelling: ls -l "+safetext.ShellWord(parent))
	}
	if strings.HasSuffix(name, "/") || filepath.Base(name) == "." || filepath.Base(name) == ".." {
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("the directory %s does not exist; the nearest that does is %s", name, o.place(parent)), "make it first: mkdir "+safetext.ShellWord(abs))
	}
	resolved, err := filepath.EvalSymlinks(parent)
	if err != nil {
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("%s cannot be followed to its end: %s", parent, env.Reason(err)), "name the directory that the link points to")
	}
	if inDev(resolved) {
		return model.Target{}, model.RefusedError(
			fmt.Sprintf("there is no device %s; the nearest directory that exists is %s", name, parent),
			"list the block devices of this machine: lsblk")
	}
	if !o.Create {
		return model.Target{}, model.RefusedError(fmt.Sprintf("%s does not exist; the nearest directory that does is %s", name, o.place(parent)), o.instead(name, parent))
	}
	t := model.Target{Name: name, Kind: model.File, Path: filepath.Join(resolved, filepath.Base(abs))}
	if abs != t.Path {
		t.TypedPath = abs
	}
	return t, nil
}

// place describes a directory and its filesystem: a target that does not exist is often one that is not
// mounted.
func (o Options) place(dir string) string {
	resolved, err := filepath.EvalSymlinks(dir)
	if o.DescribeMount == nil || err != nil {
		return dir
	}
	if words := o.DescribeMount(resolved); words != "" {
		return dir + ", which is " + words
	}
	return dir
}

// instead suggests what may have been meant by a name that does not exist in a directory.
func (o Options) instead(name, dir string) string {
	var names []string
	if entries, err := os.ReadDir(dir); err == nil {
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	hint := "mount it first, or check the spelling: ls " + safetext.ShellWord(dir)
	if near := suggest.Nearest(filepath.Base(name), names); near != "" {
		hint = "did you mean " + safetext.ShellWord(strings.TrimSuffix(name, filepath.Base(name))+near) + "?"
	}
	if o.Offer != "" {
		hint += "; for a new file of that name add " + o.Offer
	}
	return hint
}

// inDev reports whether a new file in dir would be among the device nodes, where a mistyped device name
// would silently become a file in RAM.
func inDev(dir string) bool {
	if dir == "/dev/shm" || strings.HasPrefix(dir, "/dev/shm/") {
		return false
	}
	return dir == "/dev" || strings.HasPrefix(dir, "/dev/")
}

func refuseMode(name string, mode fs.FileMode) error {
	what, hint := "is of a kind that cannot be measured", "name a directory, a file or a block device"
	switch {
	case mode&fs.ModeCharDevice != 0:
		what, hint = "is a character device, which has no blocks to measure", "list the block devices of this machine: lsblk"
	case mode&fs.ModeSocket != 0:
		what, hint = "is a socket", "if an NBD server listens on it, write "+safetext.ShellWord("nbd+unix:///EXPORT?socket="+name)
	case mode&fs.ModeNamedPipe != 0:
		what = "is a named pipe"
	}
	return model.RefusedError(fmt.Sprintf("%s %s", name, what), hint)
}

// nearest returns the closest existing directory above path.
func nearest(path string) string {
	for !env.Exists(path) && path != filepath.Dir(path) {
		path = filepath.Dir(path)
	}
	return path
}
