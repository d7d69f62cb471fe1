package durability

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// A test holds its own file from beginning to end, and passes it to the writing process as an open
// descriptor. A file or device that existed before is held and guarded from the beginning of a phase
// until the writer has it: after that the parent must not hold up the cut, which may remove the
// device itself.

// held is the path that the writing process writes to: the descriptor that it inherited.
const held = "/proc/self/fd/3"

// hold makes sure that the test's object is held and unchanged. After a cut it may need a new
// descriptor, as the filesystem was mounted again.
func (w *execution) hold(ctx context.Context) error {
	h := &w.state.header
	switch {
	case h.Target.Kind == model.NBD:
		return volume.WithoutWorkloads(volume.Guard(ctx, w.env, w.Target, w.Destroy))
	case w.object != nil && w.object.Check() == nil:
		if h.Made {
			return w.recognise(ctx, h.Target.Kind == model.Directory)
		}
		return nil
	case h.Made:
		if err := w.adopt(); err != nil {
			return err
		}
		return w.recognise(ctx, h.Target.Kind == model.Directory)
	}
	w.leave()
	t := w.Target
	if t.Kind == model.BlockDevice {
		path, err := filepath.EvalSymlinks(h.Path)
		if err != nil {
			return broken(h, "cannot be found", err)
		}
		t.Path = path
	}
	var err error
	w.object, err = volume.Open(ctx, w.env, t, true, w.Destroy, "")
	return err
}

// adopt takes over the test's own file, created by this or an earlier process, if it has the name
// that such a file gets and is a regular file of this user.
func (w *execution) adopt() error {
	h := &w.state.header
	w.leave()
	if want := volume.OwnPath(h.Target, h.ID); h.Path != want {
		return model.RefusedError(fmt.Sprintf("the ledger calls %s the test's own file, which would be %s: it was changed", h.Path, want), "start another test, without --resume")
	}
	var err error
	if w.object, err = volume.Adopt(h.Target, h.Path); err != nil {
		return model.RefusedError(fmt.Sprintf("%s cannot be used: %s", h.Path, env.Reason(err)), "")
	}
	return nil
}

// recognise refuses an adopted file that contains nothing of this test: a ledger that came from
// someone else could name any file as the test's own. lost allows for everything having been lost:
// then all blocks must be zero.
func (w *execution) recognise(ctx context.Context, lost bool) error {
	if w.proved {
		return nil
	}
	h := &w.state.header
	m := &fileMedium{file: w.object.File()}
	p := aligned(int(h.BlockSize))
	for i := range w.state.blocks {
		if err := m.read(ctx, p, h.offset(i)); err != nil {
			continue
		}
		if head, ok := decode(p); ok && head.volume == h.Volume {
			w.proved = true
			return nil
		}
		lost = lost && fingerprint(p) == "0"
	}
	if lost {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("nothing in %s was written by this test, so it is not its file, or all is lost", h.Path),
		"look at it, and remove it if it may go: ls -l "+safetext.ShellWord(h.Path))
}

// leave releases the object without removing anything.
func (w *execution) leave() {
	if w.object != nil {
		_ = w.object.Leave()
		w.object, w.proved = nil, false
	}
}

// give starts the writer and passes it the object. If the target existed before, only the writer then
// holds it.
func (w *execution) give(ctx context.Context) (*child, error) {
	cmd := w.Writer(context.WithoutCancel(ctx), w.path)
	if w.object != nil {
		cmd.ExtraFiles = []*os.File{w.object.File()}
	}
	c, err := startChild(w.env.Clock, cmd)
	if err != nil {
		return nil, model.BrokenError(err.Error(), "")
	}
	if !w.state.header.Made {
		w.leave()
	}
	return c, nil
}

// remove removes the test's own file; it is not an error if it is already gone. A file in a directory
// is identified by its name; a file that the user named must contain blocks of this test.
func (w *execution) remove(ctx context.Context) error {
	h := &w.state.header
	if w.object == nil || w.object.Check() != nil {
		if _, err := os.Lstat(h.Path); errors.Is(err, fs.ErrNotExist) {
			w.leave()
			return volume.ForgetLedger(h.Path)
		}
		if err := w.adopt(); err != nil {
			return err
		}
	}
	if err := w.recognise(ctx, h.Target.Kind == model.Directory); err != nil {
		return err
	}
	return w.close(h)
}
