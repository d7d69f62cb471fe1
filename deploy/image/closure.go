package main

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// closure finds the libraries that programs need by reading the programs, as the
// loader would. So it works for an architecture that this machine cannot run.
type closure struct {
	root, arch string
	tree       tree
}

// machines are the architectures, with Debian's name for the directory of their libraries.
var machines = map[string]struct {
	machine elf.Machine
	triplet string
}{
	"amd64": {elf.EM_X86_64, "x86_64-linux-gnu"},
	"arm64": {elf.EM_AARCH64, "aarch64-linux-gnu"},
}

// program adds a program, its loader and all its libraries.
func (c *closure) program(name string) error {
	from, err := c.find(name)
	if err != nil {
		return fmt.Errorf("there is no %s in %s: install %s", name, c.root, filepath.Base(name))
	}
	f, err := c.open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	c.tree.add(name, node{mode: 0o755, from: from})
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		data := make([]byte, p.Filesz)
		if _, err := p.ReadAt(data, 0); err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		loader := strings.Trim(string(data), "\x00/")
		at, err := c.find(loader)
		if err != nil {
			return fmt.Errorf("the loader of %s, /%s, is not in %s", name, loader, c.root)
		}
		c.tree.add(loader, node{mode: 0o755, from: at})
	}
	return c.libraries(name, f)
}

// libraries adds the libraries that an ELF file needs, and their dependencies.
func (c *closure) libraries(name string, f *elf.File) error {
	needed, err := f.ImportedLibraries()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	dirs, err := c.directories(name, f)
	if err != nil {
		return err
	}
	for _, library := range needed {
		at, from, err := c.search(library, dirs)
		if err != nil {
			return fmt.Errorf("%s needs %s, which is not in %s", name, library, c.root)
		}
		if _, known := c.tree[at]; known {
			continue
		}
		c.tree.add(at, node{mode: 0o644, from: from})
		g, err := c.open(from)
		if err != nil {
			return err
		}
		err = c.libraries(at, g)
		g.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// directories returns where the loader looks for the libraries of the file (ld.so(8)):
// the directories that the file itself names, then Debian's.
func (c *closure) directories(name string, f *elf.File) ([]string, error) {
	own, err := f.DynString(elf.DT_RUNPATH)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(own) == 0 {
		if own, err = f.DynString(elf.DT_RPATH); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	var dirs []string
	for dir := range strings.SplitSeq(strings.Join(own, ":"), ":") {
		if dir = strings.ReplaceAll(dir, "$ORIGIN", "/"+filepath.Dir(name)); dir != "" {
			dirs = append(dirs, strings.Trim(filepath.Clean(dir), "/"))
		}
	}
	triplet := machines[c.arch].triplet
	return slices.Concat(dirs, []string{"lib/" + triplet, "usr/lib/" + triplet, "lib", "usr/lib", "lib64"}), nil
}

// search finds a library: its path in the image, and the file on this machine.
func (c *closure) search(library string, dirs []string) (at, from string, err error) {
	for _, dir := range dirs {
		at = filepath.Join(dir, library)
		if from, err = c.find(at); err == nil {
			return at, from, nil
		}
	}
	return "", "", os.ErrNotExist
}

// find returns the real file of a path within the root. Links that begin with a
// slash refer to the root, so they are followed here. Debian's
// /bin and /lib may be links to those in /usr, or may be missing in a
// root that is made from packages, so both places are tried.
func (c *closure) find(name string) (string, error) {
	for _, try := range []string{name, strings.TrimPrefix(name, "usr/"), "usr/" + name} {
		path := try
		for range 8 {
			full := filepath.Join(c.root, path)
			info, err := os.Lstat(full)
			if err != nil {
				break
			}
			if info.Mode().IsRegular() {
				return full, nil
			}
			to, err := os.Readlink(full)
			if err != nil {
				break
			}
			if filepath.IsAbs(to) {
				path = to
			} else {
				path = filepath.Join(filepath.Dir(path), to)
			}
		}
	}
	return "", os.ErrNotExist
}

// open reads an ELF file and ensures that it is of the image's architecture.
func (c *closure) open(path string) (*elf.File, error) {
	m, known := machines[c.arch]
	if !known {
		return nil, fmt.Errorf("images are built for amd64 and arm64, not for %q", c.arch)
	}
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.Machine != m.machine {
		f.Close()
		return nil, fmt.Errorf("%s is for %s and not for %s: give a Debian of that architecture with -root (deploy/image/debian makes one)", path, f.Machine, c.arch)
	}
	return f, nil
}

// static ensures that a program needs no libraries.
func (c *closure) static(path string) error {
	f, err := c.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if needed, err := f.ImportedLibraries(); err == nil && len(needed) > 0 {
		return fmt.Errorf("%s needs %s: install busybox-static in place of busybox", path, strings.Join(needed, ", "))
	}
	return nil
}
