package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// postgresAt is where Debian's packages put PostgreSQL's programs.
const postgresAt = "/usr/lib/postgresql/*/bin"

// MissingPostgres returns why no image of PostgreSQL can be made from this machine's packages; "" if
// one can.
func MissingPostgres() string {
	if bins, _ := filepath.Glob(filepath.Join(postgresAt, "pgbench")); len(bins) == 0 {
		return "PostgreSQL is missing: apt-get install postgresql"
	}
	return ""
}

// WritePostgres writes an archive of an image of that name with the newest PostgreSQL of this
// machine's packages. It replaces the official image, as no registry is available here: it has the same
// paths and variables, root as its user, and no entry point.
func WritePostgres(archive, name string) error {
	bins, err := filepath.Glob(postgresAt)
	if err != nil || len(bins) == 0 {
		return errors.Join(err, errors.New(MissingPostgres()))
	}
	bin := bins[len(bins)-1]
	home := filepath.Dir(bin)
	version := filepath.Base(home)
	var paths []string
	for _, program := range []string{"postgres", "initdb", "psql", "pgbench"} {
		paths = append(paths, filepath.Join(bin, program))
	}
	// initdb and the server start programs through the shell, and a new cluster loads two modules.
	paths = append(paths, "/bin/sh", filepath.Join(home, "lib", "plpgsql.so"), filepath.Join(home, "lib", "dict_snowball.so"))
	libraries, err := librariesOf(paths)
	if err != nil {
		return err
	}
	paths = append(paths, libraries...)
	err = filepath.WalkDir(filepath.Join("/usr/share/postgresql", version), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	files := map[string]file{"tmp/": {"tmp/", nil, 0o1777}, "etc/passwd": {"etc/passwd", []byte("root:x:0:0:root:/root:/bin/sh\npostgres:x:999:999::/var/lib/postgresql:/bin/sh\n"), 0o644}}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, "/")
		files[name] = file{name, data, 0o755}
	}
	layer, err := archived(inOrder(files))
	if err != nil {
		return err
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux",
		"config": map[string]any{"Env": []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:" + bin, "PGDATA=/var/lib/postgresql/data"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + digest(layer)}},
	})
	if err != nil {
		return err
	}
	return writeImage(archive, name, config, layer)
}

// librariesOf returns the libraries that programs need, with their loader.
func librariesOf(programs []string) ([]string, error) {
	var found []string
	for _, program := range programs {
		said, err := exec.Command("ldd", program).Output()
		if err != nil {
			return nil, fmt.Errorf("ldd %s: %w", program, err)
		}
		// "libpq.so.5 => /lib/x86_64-linux-gnu/libpq.so.5 (0x…)", or only the loader's path.
		for line := range bytes.Lines(said) {
			for _, word := range strings.Fields(string(line)) {
				if strings.HasPrefix(word, "/") && !slices.Contains(found, word) {
					found = append(found, word)
				}
			}
		}
	}
	return found, nil
}

// inOrder returns files with the directories above them, each before its contents.
func inOrder(files map[string]file) []file {
	all := map[string]file{}
	for name, f := range files {
		all[name] = f
		for dir := path.Dir(strings.TrimSuffix(name, "/")); dir != "."; dir = path.Dir(dir) {
			all[dir+"/"] = file{dir + "/", nil, 0o755}
		}
	}
	list := make([]file, 0, len(all))
	for _, f := range all {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return list
}
