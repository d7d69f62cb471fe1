package fio

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Engines returns fio's I/O engines that work on a volume, best first. Each is tried by reading one
// block, because an engine that is compiled in may still be forbidden (io_uring in containers) or
// unsuitable for the file. It reads v.Path, which must exist and hold a block, or connects to the
// NBD or Ceph server.
func (d *Driver) Engines(ctx context.Context, v model.Volume) ([]string, error) {
	v = d.asUser(v)
	if _, err := d.Version(ctx); err != nil {
		return nil, err
	}
	if err := checkTemporary(); err != nil {
		return nil, err
	}
	candidates := []string{"io_uring", "libaio", "psync"}
	if runtime.GOOS != "linux" {
		candidates = []string{"posixaio", "psync"}
	}
	switch v.Target.Kind {
	case model.NBD:
		candidates = []string{"nbd"}
	case model.RBD:
		candidates = []string{"rbd"}
	default:
		if err := readable(v); err != nil {
			return nil, err
		}
	}
	var working []string
	var said string
	var failing bool
	for _, engine := range candidates {
		why, storage, err := d.try(ctx, v, engine)
		switch {
		case err != nil:
			return nil, err
		case why == "":
			working = append(working, engine)
		default:
			said, failing = why, failing || storage
		}
	}
	if len(working) == 0 && failing {
		return nil, model.BrokenError(fmt.Sprintf("%s fails: %s.", name(v), said), "look at the kernel's or the server's log: dmesg | tail")
	}
	if len(working) == 0 {
		return nil, model.RefusedError(fmt.Sprintf("fio cannot read from %s: %s.", name(v), said), "")
	}
	return working, nil
}

// probeBlock is large enough for the logical blocks of all disks.
const probeBlock = 4096

// try reads one block. If that fails, it returns fio's message and whether the storage is to blame
// rather than the engine.
func (d *Driver) try(ctx context.Context, v model.Volume, engine string) (why string, storage bool, err error) {
	var t text
	t.section("probe")
	t.volume(v, engine)
	t.set("direct", flag(v.Direct))
	t.set("rw", "read")
	t.set("bs", probeBlock)
	t.set("size", probeBlock)
	t.set("thread", 1)
	t.systemClock()
	var last *job
	o, err := d.execute(ctx, process{
		text: t.String(), link: link(v), open: v.Open, silence: d.limits.stall, storage: name(v),
		args: []string{"--readonly", "--output-format=json"},
		document: func(data []byte) (err error) {
			last, err = decode(data)
			return err
		},
	})
	if err != nil {
		return "", false, err
	}
	if ctx.Err() != nil {
		return "", false, ctx.Err()
	}
	if why := failure(o, last); why != "" {
		return why, last != nil && syscall.Errno(last.Error) == syscall.EIO, nil
	}
	if last.Read.Bytes != probeBlock {
		return fmt.Sprintf("fio read %d bytes of %d", last.Read.Bytes, probeBlock), true, nil
	}
	return "", false, nil
}

// readable makes sure that fio finds a block to read: fio would unlink a file that is too short.
func readable(v model.Volume) error {
	info, err := os.Stat(v.Reach())
	if err != nil {
		return model.RefusedError(fmt.Sprintf("%v.", err), "")
	}
	if info.IsDir() || info.Mode().IsRegular() && info.Size() < probeBlock {
		return model.RefusedError(fmt.Sprintf("%s holds no block that fio could read", v.Path), "choose a target of at least "+units.FormatSize(model.LeastSize(nil)))
	}
	return nil
}

// name returns the volume's name for messages.
func name(v model.Volume) string {
	if v.Path != "" {
		return v.Path
	}
	return v.Target.URI
}
