package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
)

// logDir is a server's log directory (pg_wal) on a separate volume, in a working directory there.
type logDir struct {
	root *os.Root
	path string
}

// walName is its name in its working directory.
const walName = "wal"

// logIn returns the log directory on a volume that has been prepared for it; nil if the log is with
// the data.
func logIn(v *model.Volume) (*logDir, error) {
	if v == nil {
		return nil, nil
	}
	if v.Root == nil {
		return nil, model.BrokenError("the worker was told to keep the log on a volume of its own, and has no directory there", "")
	}
	return &logDir{root: v.Root, path: filepath.Join(v.Root.Name(), walName)}, nil
}

// make creates the directory, owned by the account, and returns the options with which initdb puts
// the log there: a link to it in the data directory.
func (l *logDir) make(e *env.Env, a daemon.Account) ([]string, error) {
	if l == nil {
		return nil, nil
	}
	if by := swappable(filepath.Dir(l.root.Name())); by != "" && a.Other {
		return nil, model.RefusedError(fmt.Sprintf("%s may be changed by others than root: they could put another directory in the place of the log's, and the server, started by root as %s, would write to that", by, a.Name),
			"name a directory that is root's alone, or run loadline as the user whose directory it is")
	}
	if err := a.MakeDirectory(l.root, walName); err != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s cannot be made: %s", l.path, env.Reason(err)), "")
	}
	if err := a.Reach(e, l.path); err != nil {
		return nil, err
	}
	return []string{"--waldir=" + l.path}, nil
}

// swappable returns the first directory, of a path and its parents, in which a user other than root
// can rename root's files; "" if there is none. The server opens its log by name as long as it
// runs.
func swappable(path string) string {
	for {
		info, err := os.Stat(path)
		if err != nil {
			return path
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if open := info.Mode()&0o022 != 0 && info.Mode()&os.ModeSticky == 0; !ok || st.Uid != 0 || open {
			return path
		}
		if path == filepath.Dir(path) {
			return ""
		}
		path = filepath.Dir(path)
	}
}

// full returns the volume that the server's programs report as full.
func (s *server) full() string {
	data := filepath.Dir(s.dir)
	if s.wal == nil {
		return data
	}
	log := filepath.Dir(s.wal.root.Name())
	switch left, known := spare(s.wal.path); {
	case !known:
		return data + " or " + log
	case left < leastSpare:
		return log + ", the log's volume,"
	}
	return data
}

// leastSpare is the size of one log segment: with less free space there is no room for another.
const leastSpare = 16 << 20

// spare returns the free space in a directory's filesystem for ordinary users.
func spare(dir string) (bytes int64, known bool) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
