package volume

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/volume/nbd"
	"github.com/loadline/loadline/internal/model"
)

// The two ends of an image hold every signature that blkid knows: LUKS2's second header, 4 MiB in, is
// the deepest; ZFS, RAID and GPT also write to the end.
const (
	headBytes = 5 << 20
	tailBytes = 2 << 20
)

// guardNBD copies the ends of the export into a sparse file of the same size and
// looks for signatures there.
func guardNBD(ctx context.Context, e *env.Env, t model.Target) error {
	ctx, cancel := context.WithTimeout(ctx, 4*answerTime)
	defer cancel()
	c, err := dial(ctx, t)
	if err != nil {
		return err
	}
	defer c.Close()
	if c.Flags.Has(nbd.ReadOnly) {
		return inUse(t, "is read-only, by its server's word", "serve it writable, or "+readOnly)
	}
	return guardEnds(ctx, e, t, c.Size, func(p []byte, at int64) error {
		// Widen the request to the server's block size.
		lead := at % c.MinBlock
		whole := lead + int64(len(p))
		whole = min(whole+(c.MinBlock-whole%c.MinBlock)%c.MinBlock, c.Size-at+lead)
		buf := make([]byte, whole)
		if err := c.Read(ctx, buf, at-lead); err != nil {
			return err
		}
		copy(p, buf[lead:])
		return nil
	})
}

// guardEnds writes what read returns for both ends into a sparse file of the image's size and checks
// that file.
func guardEnds(ctx context.Context, e *env.Env, t model.Target, size int64, read func(p []byte, at int64) error) error {
	unreadable := func(err error) error {
		return model.RefusedError(fmt.Sprintf("%s could not be checked for signatures: %v: refused even with --destroy-data-on", t.Name, err), "")
	}
	f, done, err := scratch(env.TempDir(), "ends")
	if err != nil {
		return unreadable(err)
	}
	defer done()
	if err := f.Truncate(size); err != nil {
		return unreadable(err)
	}
	tail := max(0, size-tailBytes)
	for _, part := range []struct{ from, to int64 }{{0, min(size, headBytes)}, {tail, size}} {
		p := make([]byte, part.to-part.from)
		if err := read(p, part.from); err != nil {
			return unreadable(err)
		}
		if _, err := f.WriteAt(p, part.from); err != nil {
			return unreadable(err)
		}
	}
	return guardSignature(ctx, e, t, f)
}

// guardRBD refuses an image that a client has open, and looks for signatures at its beginning, which
// is all that Ceph's tool can show without mapping the image.
func guardRBD(ctx context.Context, e *env.Env, t model.Target) error {
	s, err := probeRBD(ctx, e, t)
	if err != nil {
		return err
	}
	out, err := rbd(ctx, e, t, "status", "--format", "json", t.URI)
	if err != nil {
		return err
	}
	var status struct {
		Watchers []struct {
			Address string `json:"address"`
		} `json:"watchers"`
	}
	if err := json.Unmarshal(out, &status); err != nil {
		return model.RefusedError(fmt.Sprintf("%s: rbd status cannot be read (%v): refused even with --destroy-data-on", t.Name, err), "look at it: "+rbdLine(t, "status", t.URI))
	}
	if len(status.Watchers) > 0 {
		return inUse(t, "is in use by "+status.Watchers[0].Address, "unmap or close it there first: "+rbdLine(t, "status", t.URI))
	}
	head, err := rbdHead(ctx, e, t, min(s.DeviceSize, headBytes))
	if err != nil {
		return err
	}
	return guardEnds(ctx, e, t, s.DeviceSize, func(p []byte, at int64) error {
		if at < int64(len(head)) {
			copy(p, head[at:])
		}
		return nil
	})
}

// rbdHead reads the first n bytes of an image through an export, which it kills once it has them.
func rbdHead(ctx context.Context, e *env.Env, t model.Target, n int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 4*answerTime)
	defer cancel()
	cmd := e.Command(ctx, "rbd", asUser(t, []string{"export", "--no-progress", t.URI, "-"})...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	head := make([]byte, n)
	_, err = io.ReadFull(pipe, head)
	cancel()
	_ = cmd.Wait() // we killed it, so its exit status means nothing
	if err != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s could not be checked for signatures (rbd export: %v): refused even with --destroy-data-on", t.Name, err),
			"see what is wrong: "+rbdLine(t, "export", t.URI, "-")+" | head -c 1M | hexdump -C")
	}
	return head, nil
}
