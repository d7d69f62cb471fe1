package postgres

import (
	"fmt"
	"os"
	"path/filepath"
)

// ownDirectory is the directory that a process of Linux's is in, whatever has its name by then.
const ownDirectory = "/proc/self/cwd"

// held reports whether directories can be reached by what is held open, and not by their names.
func held() bool {
	_, err := os.Stat(ownDirectory)
	return err == nil
}

// host is where clients look for the socket. Who owns the directory that we were given can put
// another in the place of ours meanwhile, with a link to the socket of another server, which takes
// the same user for its superuser: so clients look where they have been started.
func (s *server) host() string {
	if held() {
		return ownDirectory
	}
	return s.socket
}

// place opens a directory in the working directory, for a program to be started in: dir is it until done.
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

// names are what the server's programs call its data and the directory of its socket when they are
// started in the data. PostgreSQL has some of its files by the name of its data, pg_control among
// them, as long as it runs.
func (s *server) names() (data, socket string) {
	if held() {
		return ownDirectory, filepath.Join("..", filepath.Base(s.socket))
	}
	return s.data, s.socket
}
