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
	"strconv"
	"strings"
)

// Postgres is an installation of PostgreSQL on this machine.
type Postgres struct {
	// bin, lib and share are its directories of programs, modules and other files.
	bin, lib, share string
	// root is the directory that it was unpacked in, which is unpackedAt in an image; "" if an image has
	// everything where it is here.
	root string
}

const (
	// debianAt is where Debian's packages put PostgreSQL's programs.
	debianAt = "/usr/lib/postgresql/*/bin"
	// unpackedAt is where an image has a PostgreSQL that was unpacked somewhere on this machine.
	unpackedAt = "/opt/postgresql"
)

// MissingPostgres returns why no image of PostgreSQL can be made from this machine's packages; "" if
// one can.
func MissingPostgres() string {
	if bins, _ := filepath.Glob(filepath.Join(debianAt, "pgbench")); len(bins) == 0 {
		return "PostgreSQL is missing: apt-get install postgresql"
	}
	return ""
}

// DebianPostgres returns the newest PostgreSQL of this machine's packages.
func DebianPostgres() (Postgres, error) {
	bins, err := filepath.Glob(debianAt)
	if err != nil || len(bins) == 0 {
		return Postgres{}, errors.Join(err, errors.New(MissingPostgres()))
	}
	bin := bins[len(bins)-1]
	home := filepath.Dir(bin)
	return Postgres{bin: bin, lib: filepath.Join(home, "lib"), share: filepath.Join("/usr/share/postgresql", filepath.Base(home))}, nil
}

// UnpackPostgres unpacks the lab's PostgreSQL of a version, 17 or 18, into an empty directory. If this machine
// cannot have it, why is the reason.
func UnpackPostgres(source, dir string, major int) (p Postgres, why string, err error) {
	work, err := os.MkdirTemp("", "loadline-postgres-")
	if err != nil {
		return p, "", err
	}
	defer os.RemoveAll(work)
	// The lab is in another module. (go run would hide the exit code.)
	program := filepath.Join(work, "postgres")
	build := exec.Command("go", "build", "-o", program, "./test/lab/postgres")
	build.Dir = source
	if out, err := build.CombinedOutput(); err != nil {
		return p, "", fmt.Errorf("building the lab's postgres: %w\n%s", err, out)
	}
	bin, err := exec.Command(program, strconv.Itoa(major), dir).Output()
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		said := string(bytes.TrimSpace(ended.Stderr))
		if ended.ExitCode() == labUnavailable {
			return p, said, nil
		}
		return p, "", fmt.Errorf("PostgreSQL %d: %w: %s", major, err, said)
	}
	if err != nil {
		return p, "", err
	}
	p.bin, p.root = string(bytes.TrimSpace(bin)), dir
	home := filepath.Dir(p.bin)
	p.lib, p.share = filepath.Join(home, "lib"), filepath.Join(home, "share")
	return p, "", nil
}

// labUnavailable is the exit code of the lab's command postgres for what this machine cannot have.
const labUnavailable = 3

// inImage returns where an image has a file of this machine.
func (p Postgres) inImage(path string) string {
	if below, found := strings.CutPrefix(path, p.root+"/"); found && p.root != "" {
		return filepath.Join(unpackedAt, below)
	}
	return path
}

// WritePostgres writes an archive of an image of that name with a PostgreSQL of this machine. It replaces
// the official image, as no registry is available here: it has the same variables and, with Debian's
// PostgreSQL, the same paths, root as its user, and no entry point.
func WritePostgres(archive, name string, p Postgres) error {
	var paths []string
	for _, program := range []string{"postgres", "initdb", "psql", "pgbench"} {
		paths = append(paths, filepath.Join(p.bin, program))
	}
	// initdb and the server start programs through the shell, and a new cluster loads two modules.
	paths = append(paths, "/bin/sh", filepath.Join(p.lib, "plpgsql.so"), filepath.Join(p.lib, "dict_snowball.so"))
	libraries, err := librariesOf(paths)
	if err != nil {
		return err
	}
	paths = append(paths, libraries...)
	err = filepath.WalkDir(p.share, func(path string, entry fs.DirEntry, err error) error {
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
		name := strings.TrimPrefix(p.inImage(path), "/")
		files[name] = file{name, data, 0o755}
	}
	layer, err := archived(inOrder(files))
	if err != nil {
		return err
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux",
		"config": map[string]any{"Env": []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:" + p.inImage(p.bin), "PGDATA=/var/lib/postgresql/data"}},
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
				// Libraries beside their program are found by "…/bin/../lib/libpq.so.5".
				if library := filepath.Clean(word); strings.HasPrefix(word, "/") && !slices.Contains(found, library) {
					found = append(found, library)
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
