package worker

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/loadline/loadline/internal/env"
)

// usersFile is the list of users that copyProgram writes. Package kube knows its name too.
const usersFile = "passwd"

// copyProgram copies this program into a directory, for a pod with another image, with a passwd file that contains
// the current user: the pod's programs run as that user.
func copyProgram(e *env.Env, dir string) error {
	from, err := os.Open(e.Program())
	if err != nil {
		return fmt.Errorf("this program cannot be read: %w", err)
	}
	defer from.Close()
	to, err := os.OpenFile(filepath.Join(dir, program), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return fmt.Errorf("the program cannot be copied: %w", err)
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err != nil {
		return fmt.Errorf("the program cannot be copied: %w", err)
	}
	users := "root:x:0:0:root:/:/bin/sh\n"
	if user := os.Geteuid(); user != 0 {
		users += fmt.Sprintf("loadline:x:%d:%d:loadline:/:/bin/sh\n", user, os.Getegid())
	}
	return os.WriteFile(filepath.Join(dir, usersFile), []byte(users), 0o644)
}
