package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// node is a file, a directory or a symbolic link of the image; all belong to root.
type node struct {
	// mode holds the permission bits, and the sticky bit as in tar.
	mode int64
	dir  bool
	// link is the target of a symbolic link.
	link string
	// from is the file on this machine that the content comes from; text is the
	// content itself if there is none.
	from, text string
}

// tree is a filesystem: nodes by path, without a leading slash.
type tree map[string]node

// gather makes the tree of the image from a Debian root and the directory of our own
// programs, of this version.
func gather(root, arch, bin, version string) (tree, error) {
	t := tree{}
	for name, mode := range directories {
		t.add(name, node{dir: true, mode: mode})
	}
	for name, text := range accounts {
		t.add(name, node{mode: 0o644, text: text})
	}
	for name, text := range scripts {
		t.add(name, node{mode: 0o755, text: text})
	}
	for _, name := range own {
		from := filepath.Join(bin, name)
		if _, err := os.Stat(from); err != nil {
			return nil, fmt.Errorf("%s holds no %s: the image needs %s, made by one build", bin, name, strings.Join(own, " and "))
		}
		t.add("usr/bin/"+name, node{mode: 0o755, from: from})
	}

	c := closure{root: root, arch: arch, tree: t}
	for _, program := range programs {
		if err := c.program(program); err != nil {
			return nil, err
		}
	}
	from, err := c.find(busybox)
	if err != nil {
		return nil, fmt.Errorf("there is no %s in %s: install busybox-static", busybox, root)
	}
	if err := c.static(from); err != nil {
		return nil, err
	}
	t.add(busybox, node{mode: 0o755, from: from})
	for _, name := range applets {
		t.add("bin/"+name, node{link: "busybox"})
	}
	return t, c.papers(bin, version)
}

// add adds a node at a path, and any missing directories above it.
func (t tree) add(name string, n node) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, known := t[dir]; !known {
			t[dir] = node{dir: true, mode: 0o755}
		}
	}
	t[name] = n
}

// licences returns the SPDX expression of everything in the image.
func (t tree) licences() string { return strings.TrimSpace(t[licencesPath].text) }

// names lists the paths, each directory before its contents.
func (t tree) names() []string { return slices.Sorted(maps.Keys(t)) }

// content returns the content of a file.
func (n node) content() ([]byte, error) {
	if n.from == "" {
		return []byte(n.text), nil
	}
	return os.ReadFile(n.from)
}

// lay writes the tree into an empty or missing directory.
func (t tree) lay(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) > 0 {
		return errors.Join(err, fmt.Errorf("%s is not empty, so nothing is written there", dir))
	}
	for _, name := range t.names() {
		n, to := t[name], filepath.Join(dir, name)
		switch {
		case n.dir:
			if err := errors.Join(os.Mkdir(to, 0o755), os.Chmod(to, fileMode(n.mode))); err != nil {
				return err
			}
		case n.link != "":
			if err := os.Symlink(n.link, to); err != nil {
				return err
			}
		default:
			data, err := n.content()
			if err != nil {
				return err
			}
			if err := errors.Join(os.WriteFile(to, data, 0o644), os.Chmod(to, fileMode(n.mode))); err != nil {
				return err
			}
		}
	}
	return nil
}

// fileMode converts tar's bits to Go's.
func fileMode(mode int64) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	if mode&0o1000 != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// compile builds our own programs into dir: statically, because the image has no C library
// other than fio's.
func compile(dir, arch, version string) error {
	const module = "github.com/loadline/loadline"
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X " + module + "/internal/measure/worker.Version=" + version, "-o", dir + "/"}
	for _, name := range own {
		args = append(args, module+"/cmd/"+name)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s cannot be built for %s: %w\n%s", strings.Join(own, " and "), arch, err, strings.TrimSpace(string(out)))
	}
	return nil
}
