package postgres

import (
	"fmt"
	"os"
	"path/filepath"
)

// ownDirectory is the directory that a Linux process is in, even if its name has since been taken
// by another.
const ownDirectory = "/proc/self/cwd"

// held reports whether directories can be reached through open descriptors instead of by name.
func held() bool {
	_, err := os.Stat(ownDirectory)
	return err == nil
}

// host returns where clients look for the socket. The owner of the directory that we were given can
// replace ours with another, with a link to the socket of another server that accepts the same user
// as its superuser: so clients look in the directory in which they were started.
func (s *server) host() string {
	if held() {
		return ownDirectory
	}
	return s.socket
}

// place opens a directory in the working directory for a program to be started in: dir refers to it
// until done is called.
func (s *server) place(path string) (dir string, done func(), err error) {
	if !held() {
		return path, func() {}, nil
	}
	f, err := s.root.Open(filepath.Base(path))
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d", f.Fd()), func() { _ = f.Close() }, nil
}

// names returns the names by which the server's programs refer to the data directory and the socket
// directory when started in the data directory. While it runs, PostgreSQL opens some of its files
// by the path of the data directory, pg_control among them.
func (s *server) names() (data, socket string) {
	if held() {
		return ownDirectory, filepath.Join("..", filepath.Base(s.socket))
	}
	return s.data, s.socket
}
