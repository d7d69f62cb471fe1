package durability

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/volume/nbd"
	"github.com/loadline/loadline/internal/model"
)

// medium is the open target that holds the blocks. A write returns when it is as durable as the sync
// method promises.
type medium interface {
	read(ctx context.Context, p []byte, offset int64) error
	write(ctx context.Context, p []byte, offset int64) error
	// flush makes everything written before durable.
	flush(ctx context.Context) error
	// dropCache removes from this machine's memory what was read, so that the next read asks the storage.
	dropCache()
	// shareable reports whether another medium of the same target sees the same data at any time.
	shareable() bool
	close() error
}

// dialTime is how long a server may take to answer.
const dialTime = 10 * time.Second

// openWriter opens the target for writing with the header's sync method.
func openWriter(ctx context.Context, h *header) (medium, error) {
	if h.Target.Kind == model.NBD {
		return asMedium(openNBD(ctx, h))
	}
	flags := os.O_RDWR
	if h.Sync == syncDsync {
		flags |= unix.O_DSYNC
	}
	f, err := os.OpenFile(held, flags, 0)
	if err != nil {
		return nil, err
	}
	return &fileMedium{file: f, sync: h.Sync}, nil
}

// openReader opens the target for the check, with direct I/O if possible: what is in the page cache
// is not what the storage kept. buffered is true if that was not possible.
func openReader(ctx context.Context, h *header) (m medium, buffered bool, err error) {
	if h.Target.Kind == model.NBD {
		m, err := asMedium(openNBD(ctx, h))
		return m, false, err
	}
	flags := os.O_RDONLY | unix.O_NONBLOCK
	if h.Made {
		flags |= unix.O_NOFOLLOW
	}
	f, err := os.OpenFile(h.Path, flags|direct, 0)
	if err == nil && direct != 0 {
		m := &fileMedium{file: f}
		if err = m.read(ctx, aligned(int(h.BlockSize)), 0); err == nil {
			return m, false, nil
		}
		_ = f.Close()
	}
	if f, err = os.OpenFile(h.Path, flags, 0); err != nil {
		return nil, false, err
	}
	dropCache(f)
	return &fileMedium{file: f}, true, nil
}

// fileMedium is a file or a block device.
type fileMedium struct {
	file *os.File
	sync string
}

func (m *fileMedium) read(_ context.Context, p []byte, offset int64) error {
	_, err := m.file.ReadAt(p, offset)
	return err
}

func (m *fileMedium) write(_ context.Context, p []byte, offset int64) error {
	if _, err := m.file.WriteAt(p, offset); err != nil {
		return err
	}
	switch m.sync {
	case syncFsync:
		return m.file.Sync()
	case syncFdatasync:
		return fdatasync(m.file)
	}
	return nil // O_DSYNC has done it, or nothing is promised
}

func (m *fileMedium) flush(context.Context) error { return m.file.Sync() }

func (m *fileMedium) dropCache() { dropCache(m.file) }

func (m *fileMedium) shareable() bool { return true }

func (m *fileMedium) close() error { return m.file.Close() }

// nbdMedium is a connection to an export.
type nbdMedium struct {
	conn *nbd.Conn
	sync string
}

func openNBD(ctx context.Context, h *header) (*nbdMedium, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	c, err := nbd.Dial(ctx, h.Target.URI)
	if err != nil {
		return nil, err
	}
	if c.Size < h.Size {
		_ = c.Close()
		return nil, fmt.Errorf("the export has %d bytes, but had at least %d when the test began: it is another one", c.Size, h.Size)
	}
	return &nbdMedium{conn: c, sync: h.Sync}, nil
}

// asMedium returns nil, not a medium that is a nil pointer, beside an error.
func asMedium(m *nbdMedium, err error) (medium, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (m *nbdMedium) read(ctx context.Context, p []byte, offset int64) error {
	return m.conn.Read(ctx, p, offset)
}

func (m *nbdMedium) write(ctx context.Context, p []byte, offset int64) error {
	if err := m.conn.Write(ctx, p, offset, m.sync == syncFUA); err != nil {
		return err
	}
	if m.sync == syncFlush {
		return m.conn.Flush(ctx)
	}
	return nil
}

func (m *nbdMedium) flush(ctx context.Context) error { return m.conn.Flush(ctx) }

func (m *nbdMedium) dropCache() {} // this machine keeps nothing of an export

func (m *nbdMedium) shareable() bool { return m.conn.Flags.Has(nbd.MultiConn) }

func (m *nbdMedium) close() error { return m.conn.Close() }
