package lab

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// lockName is the file in the temporary directory that test processes lock.
const lockName = "loadline-lab.lock"

// lock is the one lock of this test binary; holders counts the tests that hold it, and shared is set if
// other binaries may hold it as well.
var lock struct {
	sync.Mutex
	holders int
	shared  bool
	file    *os.File
}

// Share lets the tests of this binary use the lab at the same time as those of other binaries that call it.
// It is for packages that assert nothing about rates or latencies, and is called before their tests run: they only keep
// out of the way of those that measure.
func Share() {
	lock.Lock()
	defer lock.Unlock()
	lock.shared = true
}

// Lock keeps all other test processes on this machine from measuring I/O until
// the test ends: go test runs packages in parallel, and concurrent measurements
// disturb each other. All devices of the lab that are worth measuring take it
// themselves; a test may take it again. It does not order the tests within one
// binary: only tests that measure slow devices, or assert nothing about time, may call
// t.Parallel.
func Lock(t T) {
	t.Helper()
	lock.Lock()
	defer lock.Unlock()
	if lock.holders == 0 {
		how := syscall.LOCK_EX
		if lock.shared {
			how = syscall.LOCK_SH
		}
		f, err := acquire(filepath.Join(os.TempDir(), lockName), how, t)
		if err != nil {
			t.Fatalf("cannot take the lab's lock: %v", err)
		}
		lock.file = f
	}
	lock.holders++
	t.Cleanup(func() {
		lock.Lock()
		defer lock.Unlock()
		if lock.holders--; lock.holders == 0 {
			lock.file.Close() // releases the lock
		}
	})
}

// acquire opens and locks the file, which is never removed: otherwise
// two processes could hold locks on two different files of the same name.
func acquire(path string, how int, t T) (*os.File, error) {
	// Another user's file can be locked if opened read-only, but the kernel does
	// not open it with O_CREAT in a world-writable directory (fs.protected_regular).
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		f, err = os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o666)
	}
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		t.Logf("waiting until another test process has finished measuring (%s)", path)
	}
	for err != nil {
		if err = syscall.Flock(int(f.Fd()), how); err != nil && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}
