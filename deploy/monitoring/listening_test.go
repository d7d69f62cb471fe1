package monitoring

import (
	"net"
	"net/http"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// listening starts a program of the Prometheus project on a free port of this machine, waits until
// it is ready, and returns its address. It ends with the test.
func listening(t *testing.T, program string, args ...string) string {
	t.Helper()
	// Another process may take the free port before the program does; then try the next one.
	for range 5 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		at := l.Addr().String()
		l.Close()
		var said output
		cmd := exec.Command(program, append(args, "--web.listen-address="+at)...)
		cmd.Stderr = &said
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait()
			close(ended)
		}()
		t.Cleanup(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				_ = cmd.Process.Kill()
				<-ended
			}
		})
		alive := true
		eventually(t, program, func() bool {
			select {
			case <-ended:
				alive = false
				return true
			default:
			}
			r, err := http.Get("http://" + at + "/-/ready")
			if err != nil {
				return false
			}
			r.Body.Close()
			return r.StatusCode == http.StatusOK
		})
		if alive {
			return at
		}
		t.Logf("%s ended: %s", program, said.String())
	}
	t.Fatalf("%s does not start", program)
	return ""
}
