package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Lock waits until no other process on this machine uses the cluster. The function that it
// returns releases the lock, as does the end of the process.
func Lock() (unlock func() error, err error) { return lock(syscall.LOCK_EX) }

// errInUse is returned by what does not wait.
var errInUse = errors.New("tests are using the cluster")

func lock(how int) (unlock func() error, err error) {
	if err := os.MkdirAll(Home(), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(Home(), "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errInUse
		}
		return nil, err
	}
	return f.Close, nil
}

// End takes the cluster down, unless tests are using it: then the error says so.
func (c *Cluster) End() error {
	unlock, err := lock(syscall.LOCK_EX | syscall.LOCK_NB)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }()
	return c.Down()
}

// Start builds what is missing and starts the cluster, unless tests are using it: then the error says so. The module of
// the cluster is in src.
func (c *Cluster) Start(src string) error {
	unlock, err := lock(syscall.LOCK_EX | syscall.LOCK_NB)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }()
	if err := c.Build(src); err != nil {
		return err
	}
	return c.Up()
}

// Leftovers takes down what remains of a cluster all of whose servers were killed: its disks are mounts and loop devices
// that no longer respond, and break every program that looks at all of them, as mkfs.btrfs does. A cluster of which
// anything still runs stays. It returns whether there was something.
func (c *Cluster) Leftovers() (found bool, err error) {
	unlock, err := lock(syscall.LOCK_EX | syscall.LOCK_NB)
	if errors.Is(err, errInUse) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = unlock() }()
	if _, err := os.Stat(c.dir); err != nil {
		return false, ignoreMissing(err)
	}
	for _, servers := range []string{string(ForVolumes) + "*/*.pid", string(ForReplicas) + "*/*.pid", "control/*.pid", "provisioner/*.pid", "node*/node.pid"} {
		files, err := filepath.Glob(filepath.Join(c.dir, servers))
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(files, func(file string) bool { return pid(file) != 0 }) {
			return false, nil
		}
	}
	return true, c.Down()
}
