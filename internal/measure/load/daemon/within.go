package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/loadline/loadline/internal/model"
)

// Within checks whether a process that was started in a directory by its name is in the intended
// one, which is held open: the owner of a directory above it can replace it with another, such as
// one with links to the data of a server that is not ours. A process that is elsewhere is killed.
// If the kernel does not provide this information, nothing is checked.
func (p Process) Within(root *os.Root, name string) error {
	meant, err := root.Stat(name)
	if err != nil {
		return err
	}
	is, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", p.Process.Pid))
	if err != nil || os.SameFile(meant, is) {
		return nil
	}
	p.Kill(syscall.SIGKILL)
	<-p.End
	return model.BrokenError(fmt.Sprintf("somebody else has put something in the place of %s while it was in use, so nothing was started there", filepath.Join(root.Name(), name)),
		"name a directory that nobody else can write to")
}
