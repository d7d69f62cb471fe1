package lab

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// startTimeout is how long a daemon may take until it responds.
const startTimeout = 2 * time.Minute

// daemon is a server process of the lab.
type daemon struct {
	cmd  *exec.Cmd
	log  string        // path of its output
	done chan struct{} // closed when the process has ended
}

// start runs a server in the foreground, in its own process group so that ^C
// reaches only the test, and returns when ready reports true. Its log goes into dir.
func start(t T, dir string, ready func() bool, name string, args ...string) *daemon {
	t.Helper()
	d := &daemon{log: filepath.Join(dir, filepath.Base(name)+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(d.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatalf("cannot write the log of %s: %v", name, err)
	}
	defer log.Close()
	d.cmd = exec.Command(name, args...)
	d.cmd.Stdout, d.cmd.Stderr = log, log
	// Temporary files of the daemon go where the lab removes them.
	d.cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := d.cmd.Start(); err != nil {
		t.Fatalf("cannot start %s: %v", name, err)
	}
	go func() {
		d.cmd.Wait()
		close(d.done)
	}()
	undo(t, endScript(d.cmd.Process.Pid), d.stop)
	for deadline := time.Now().Add(startTimeout); !ready(); time.Sleep(5 * time.Millisecond) {
		select {
		case <-d.done:
			t.Fatalf("%s ended at once (%s): %s", name, d.cmd.ProcessState, d.output())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer after %s: %s", name, startTimeout, d.output())
		}
	}
	return d
}

// stop ends the daemon, with SIGKILL if SIGTERM does not end it within 10 s.
func (d *daemon) stop() error {
	d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.done:
		return nil
	case <-time.After(10 * time.Second):
	}
	d.kill()
	return nil
}

// kill ends the daemon with SIGKILL and returns when it is gone.
func (d *daemon) kill() {
	d.cmd.Process.Kill()
	<-d.done
}

// output returns what the daemon has printed.
func (d *daemon) output() string {
	text, err := os.ReadFile(d.log)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

// endScript returns shell code that ends exactly this process: comparing the start time (field 22
// of /proc/PID/stat) protects another process that reuses the PID.
func endScript(pid int) string {
	stat := func() string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		fields := strings.Fields(string(text))
		if err != nil || len(fields) < 22 {
			return "gone"
		}
		return fields[21]
	}
	return fmt.Sprintf(`same() { [ "$(cut -d' ' -f22 /proc/%[1]d/stat 2>/dev/null)" = %[2]s ]; }
same && kill %[1]d
for i in $(seq 50); do same || exit 0; sleep 0.1; done
kill -9 %[1]d`, pid, stat())
}

// answers returns a function that reports whether a server listens on the unix socket.
func answers(socket string) func() bool {
	return func() bool {
		c, err := net.Dial("unix", socket)
		if err != nil {
			return false
		}
		c.Close()
		return true
	}
}
