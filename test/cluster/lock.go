package cluster

import (
	"os"
	"path/filepath"
	"syscall"
)

// Lock waits until no other process on this machine uses the cluster. The function that it
// returns releases the lock, as does the end of the process.
func Lock() (unlock func() error, err error) {
	if err := os.MkdirAll(Home(), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(Home(), "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return f.Close, nil
}
