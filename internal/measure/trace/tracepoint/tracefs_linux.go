package tracepoint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// mounted are the usual mount points of the tracing filesystem.
var mounted = []string{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}

// tracefs is an open directory of the tracing filesystem, which need not be mounted where other
// processes see it.
type tracefs struct{ dir int }

// openTracefs finds the tracing filesystem, or mounts it where only this process sees it: such a
// mount ends when the last file open on it is closed.
func openTracefs() (*tracefs, error) {
	var denied error
	for _, name := range mounted {
		dir, err := unix.Open(name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		t := &tracefs{dir: dir}
		if _, err = t.read("events/block/block_rq_complete/id"); err == nil {
			return t, nil
		}
		if errors.Is(err, unix.EACCES) {
			denied = err
		}
		t.close()
	}
	t, err := mountTracefs()
	if err == nil {
		return t, nil
	}
	if denied != nil {
		return nil, fmt.Errorf("%w: this user may not read it (%w)", ErrTracefs, denied)
	}
	return nil, fmt.Errorf("%w: it is not mounted, and this user may not mount it (CAP_SYS_ADMIN: %w)", ErrTracefs, err)
}

// ErrTracefs means that the numbers of the events cannot be found out.
var ErrTracefs = errors.New("the tracing filesystem (/sys/kernel/tracing) cannot be read")

// mountTracefs mounts it without a mount point.
func mountTracefs() (*tracefs, error) {
	context, err := unix.Fsopen("tracefs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return nil, err
	}
	defer unix.Close(context)
	if err := unix.FsconfigCreate(context); err != nil {
		return nil, err
	}
	dir, err := unix.Fsmount(context, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return nil, err
	}
	t := &tracefs{dir: dir}
	if _, err := t.read("events/block/block_rq_complete/id"); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// read returns the content of a file.
func (t *tracefs) read(name string) (string, error) {
	fd, err := unix.Openat(t.dir, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", &os.PathError{Op: "open", Path: path.Join("tracefs", name), Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	return string(text), err
}

// format returns the offsets of the fields in the records of an event such as "block/block_rq_issue".
func (t *tracefs) format(event string) (format, error) {
	text, err := t.read("events/" + event + "/format")
	if err != nil {
		return format{}, err
	}
	f, err := parseFormat(text)
	if err != nil {
		return f, fmt.Errorf("the kernel's event %s cannot be read: %w", event, err)
	}
	return f, nil
}

func (t *tracefs) close() { unix.Close(t.dir) }
