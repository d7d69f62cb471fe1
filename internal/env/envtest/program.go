// Package envtest writes programs that tests put in the place of real ones. Its assumptions: tests run side by side in
// one process, and each may start programs at any moment.
package envtest

import (
	"os"
	"syscall"
	"testing"
)

// Program writes an executable file, such as a script. A process that another test starts meanwhile would inherit the open file,
// and until that process executes its own program, the kernel refuses to execute this one ("text file busy",
// https://go.dev/issue/22315): so none is started while the file is open.
func Program(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
