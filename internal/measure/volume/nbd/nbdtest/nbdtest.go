// Package nbdtest starts real NBD servers for the tests of package nbd and of packages that use it.
//
// Its assumptions: a client is correct if it works with the servers that people use. The servers end with
// the test. It measures nothing and takes no lock; package test/lab has the calibrated devices.
package nbdtest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Nbdkit starts nbdkit with the given plugin and options and returns its socket.
func Nbdkit(t testing.TB, args ...string) string {
	t.Helper()
	return serve(t, "nbdkit", func(socket string) []string {
		return append([]string{"--foreground", "--exit-with-parent", "--unix", socket}, args...)
	})
}

// Qemu starts qemu-storage-daemon with one export, "vol", of the raw image and returns its socket;
// export holds further options for --export ("writable=on").
func Qemu(t testing.TB, image, export string) string {
	t.Helper()
	return serve(t, "qemu-storage-daemon", func(socket string) []string {
		return []string{
			"--blockdev", "driver=file,node-name=f,filename=" + strings.ReplaceAll(image, ",", ",,"), "--blockdev", "driver=raw,node-name=r,file=f",
			"--nbd-server", "addr.type=unix,addr.path=" + socket,
			"--export", "type=nbd,id=e,node-name=r,name=vol," + export,
		}
	})
}

// URI returns the URI of an export on a socket.
func URI(socket, export string) string { return "nbd+unix:///" + export + "?socket=" + socket }

// serve starts a server and returns when its socket answers.
func serve(t testing.TB, program string, args func(socket string) []string) string {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if lab := os.Getenv("LOADLINE_LAB"); lab == "required" || lab == "programs" { // like package test/lab
			t.Fatalf("LOADLINE_LAB=%s, but %v", lab, err)
		}
		t.Skipf("skipped: %v", err)
	}
	// The test's own directory can be too long for a socket's path (108 bytes).
	dir, err := os.MkdirTemp("", "nbd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	cmd := exec.Command(program, args(socket)...)
	// nbdkit's eval plugin keeps its scripts in a directory that a killed server does not remove.
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("unix", socket); err == nil {
			_ = c.Close()
			return socket
		} else if time.Now().After(deadline) {
			t.Fatalf("%s does not listen: %v", program, err)
		}
	}
}
