package durability

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Run makes a whole test: prepare, then for each cut write, cut, wait and check. It stops at the
// first loss, which needs no repetition. The report is nil if the test did not begin; with an error
// it shows how far the test got.
func Run(ctx context.Context, e *env.Env, o Options) (*model.Durability, error) {
	w, err := prepare(ctx, e, &o)
	if err != nil {
		return nil, err
	}
	defer w.log.close()
	if err := w.save(); err != nil {
		return nil, w.unbegun(err, &w.state.header, filepath.Dir(w.path))
	}
	return w.finish(w.cuts(ctx))
}

// errKept is joined to errors that leave the target as it is, for a later resume.
var errKept = errors.New("")

// cuts makes the requested cuts.
func (w *execution) cuts(ctx context.Context) error {
	w.from = len(w.state.phases)
	for n := w.from + 1; n <= w.from+w.Cuts; n++ {
		if w.unsaved == nil && w.log.movedFrom(w.path) {
			w.unsaved = w.moved()
		}
		if w.unsaved != nil {
			return w.unsaved // nothing is cut for a report that cannot be saved
		}
		if err := w.hold(ctx); err != nil {
			return err
		}
		if err := w.cycle(ctx, n); err != nil {
			return err
		}
		if bad(&w.state.header, w.state.last().checked.Cut) {
			return nil
		}
	}
	return nil
}

// bad reports whether a cut has shown that the storage breaks its promise.
func bad(h *header, c model.Cut) bool {
	d := model.Durability{Cuts: []model.Cut{c}}
	conclude(h, &d)
	return d.Broken()
}

// cycle writes, cuts and checks once.
func (w *execution) cycle(ctx context.Context, number int) error {
	// We kill the writer ourselves; an interrupt does not stop it. What is in flight is in the
	// ledger.
	c, err := w.give(ctx)
	if err != nil {
		return err
	}
	defer c.stop()
	err = poll(ctx, w.env.Clock, func() (bool, error) {
		acked, _, _, words := c.look()
		w.tell(Update{Phase: "write", Cut: number, Done: acked, Total: w.Writes})
		if (words != "" || c.gone()) && w.log.movedFrom(w.path) {
			// It finds no ledger there.
			w.unsaved = w.moved()
			return false, w.unsaved
		}
		if words != "" || c.gone() {
			return false, model.BrokenError(fmt.Sprintf("writing to %s failed before the cut: %s", w.Target.Name, c.why()), "fix the target first: a test of durability needs one that works")
		}
		return acked >= w.Writes, nil
	})
	if err != nil {
		return err
	}
	what, pid, err := w.cutWords()
	if err != nil {
		return model.BrokenError(fmt.Sprintf("cut %d could not be made: %v", number, err), "")
	}
	if err := c.announce(ctx, cuttingEntry{Kind: w.kind(), What: what, At: w.Now()}); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return model.BrokenError(fmt.Sprintf("writing to %s failed before the cut: %v", w.Target.Name, err), "")
	}
	w.tell(Update{Phase: "cut", Cut: number})
	noticed, cutErr := w.perform(ctx, c, number, pid)
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), errKept)
	}
	record := cutEntry{Noticed: noticed}
	if _, _, _, words := c.look(); words != "" {
		record.Words = words
	}
	if cutErr != nil {
		record.Failed = cutErr.Error()
		if !noticed {
			return w.uncut(number, record)
		}
	}
	c.kill()
	if err := w.log.append(entry{Cut: &record}); err != nil {
		return errors.Join(err, errKept)
	}
	if cutErr != nil {
		return errors.Join(model.BrokenError(fmt.Sprintf("the command of cut %d failed (%v), but the writer was interrupted (%s)", number, cutErr, c.why()),
			"if it always ends like that, append: || true; what was written can be checked now: "+w.resumeLine()), errKept)
	}
	return w.after(ctx, c, number)
}

// uncut ends a test whose cut failed and had no effect.
func (w *execution) uncut(number int, record cutEntry) error {
	if err := w.log.append(entry{Cut: &record}); err != nil {
		return err
	}
	what := "the command of cut"
	if w.kind() == model.CutProcess {
		what = "cut"
	}
	return model.BrokenError(fmt.Sprintf("%s %d failed: %s; the writer went on undisturbed, so nothing was cut and nothing is lost", what, number, record.Failed),
		"try the command by itself, then start the test again")
}

// after brings the target back and checks it.
func (w *execution) after(ctx context.Context, c *child, number int) error {
	if w.Restart != "" {
		if c != nil {
			// The restart command may have to unmount, which a dying writer would hinder; one that
			// hangs in the kernel only ends with the restart.
			short, cancel := context.WithTimeout(ctx, stopTime)
			_ = poll(short, w.env.Clock, func() (bool, error) { return c.gone(), nil })
			cancel()
		}
		w.tell(Update{Phase: "restart", Cut: number})
		if err := w.run(ctx, w.Restart, fmt.Sprintf("restart-%d.log", number)); err != nil {
			return errors.Join(ctx.Err(), model.BrokenError(fmt.Sprintf("the restart command failed: %v", err), "bring the target back by hand, then check: "+w.resumeLine()), errKept)
		}
	}
	w.tell(Update{Phase: "wait", Cut: number})
	wait, cancel := context.WithTimeout(ctx, w.Wait)
	defer cancel()
	if c != nil {
		// Requests that hang in the kernel may still reach the device; the check must not race with
		// them.
		if err := poll(wait, w.env.Clock, func() (bool, error) { return c.gone(), nil }); err != nil {
			return w.away(ctx, errors.New("the killed writer still hangs in the kernel"))
		}
	}
	var last error
	gone := false
	err := poll(wait, w.env.Clock, func() (bool, error) {
		gone, last = w.answers(wait)
		return last == nil, nil
	})
	if err != nil {
		return w.away(ctx, last)
	}
	return w.check(ctx, number, gone)
}

// away returns the error for a target that has not come back.
func (w *execution) away(ctx context.Context, last error) error {
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), errKept)
	}
	words := "it does not answer"
	if last != nil {
		words = env.Reason(last)
	}
	return errors.Join(model.BrokenError(fmt.Sprintf("%s has not come back in %s: %s; the ledger and what was written are kept", w.Target.Name, w.Wait, words),
		"bring it back, then check: "+w.resumeLine()), errKept)
}

// answers checks whether the target can be read again. gone is true if the filesystem is there, but
// the test's file is not.
func (w *execution) answers(ctx context.Context) (gone bool, err error) {
	h := &w.state.header
	answer := make(chan error, 1)
	go func() { // a hanging device must not hang the test
		m, _, err := openReader(ctx, h)
		if err == nil {
			err = m.read(ctx, aligned(int(h.BlockSize)), h.offset(h.Blocks/2))
			_ = m.close()
		}
		answer <- err
	}()
	select {
	case err = <-answer:
	case <-ctx.Done():
		return false, errors.New("it hangs")
	}
	if h.Made && errors.Is(err, fs.ErrNotExist) && w.mounted() {
		return true, nil
	}
	return false, err
}

// mounted reports whether the file's directory is on the filesystem on which it was created.
func (w *execution) mounted() bool {
	h := &w.state.header
	dir := filepath.Dir(h.Path)
	s, err := volume.Probe(context.Background(), w.env, model.Target{Name: dir, Kind: model.Directory, Path: dir})
	was := h.Environment.Storage
	return err == nil && s.Mount == was.Mount && s.MountFrom == was.MountFrom
}

// check reads everything back and records the outcome in the ledger.
func (w *execution) check(ctx context.Context, number int, gone bool) error {
	w.tell(Update{Phase: "check", Cut: number})
	s, err := w.log.state(w.path)
	if err != nil {
		return errors.Join(err, errKept)
	}
	blocks := make([]reading, s.header.Blocks)
	buffered := false
	if gone {
		for i := range blocks {
			blocks[i].gone = true
		}
	} else if blocks, buffered, err = readAll(ctx, &s.header); err != nil {
		return w.away(ctx, err)
	} else if slices.ContainsFunc(blocks, func(b reading) bool { return b.err != nil }) {
		// Unreadable blocks count only if the target as a whole still answers.
		limited, cancel := context.WithTimeout(ctx, w.Wait)
		_, err := w.answers(limited)
		cancel()
		if err != nil {
			return w.away(ctx, err)
		}
	}
	cut := s.cutHead(bootID())
	cut.Buffered = buffered
	found := judge(s, blocks, &cut)
	if err := w.log.append(entry{Checked: &checkedEntry{Cut: cut, Found: found}}); err != nil {
		return errors.Join(err, errKept)
	}
	if w.state, err = w.log.state(w.path); err != nil {
		return errors.Join(err, errKept)
	}
	w.tell(Update{Phase: "check", Cut: number, Checked: &cut})
	w.unsaved = w.save()
	return nil
}

// cutHead describes what ended the last phase, as far as the ledger knows; boot identifies the
// current boot of this machine.
func (s *state) cutHead(boot string) model.Cut {
	p := s.last()
	cut := model.Cut{Number: p.write.Cut, At: p.write.At, Issued: p.issued, Acknowledged: p.acked}
	rebooted := p.write.Boot != "" && boot != "" && boot != p.write.Boot
	// A writer that was told to stop was not cut: an orderly shutdown flushes first.
	told := s.end != nil && s.end.Status == model.Interrupted
	switch {
	case p.cutting != nil:
		cut.Kind, cut.What, cut.At = p.cutting.Kind, p.cutting.What, p.cutting.At
		cut.Noticed = cut.Kind == model.CutWriter || rebooted && !told
		if p.cut != nil {
			cut.Noticed, cut.Words = p.cut.Noticed, p.cut.Words
		}
	case rebooted && elsewhere(&s.header):
		cut.Kind, cut.What, cut.Noticed = model.CutWriter, "this machine went down, but the storage is another's", true
	case rebooted:
		cut.Kind, cut.What, cut.Noticed = model.CutReboot, "this machine went down while it wrote", !told
	default:
		cut.Kind, cut.What, cut.Noticed = model.CutWriter, "loadline itself was ended", true
	}
	if told && cut.Words == "" {
		cut.Words = "the writer was told to stop, as in an orderly shutdown"
	}
	return cut
}

// elsewhere reports whether the storage is in another machine, judging by its address or its
// filesystem: then a crash of this machine does not cut its power.
func elsewhere(h *header) bool {
	if h.Target.Kind == model.NBD {
		u, err := url.Parse(h.Target.URI)
		if err != nil || u.Scheme != "nbd" {
			return false
		}
		ip := net.ParseIP(u.Hostname())
		return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
	}
	return slices.Contains([]string{"nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "glusterfs", "lustre"}, strings.TrimPrefix(h.Environment.Storage.Filesystem, "fuse."))
}

// finish ends the test: the test's own file is removed unless it is needed for a resume, and the
// report is saved.
func (w *execution) finish(err error) (*model.Durability, error) {
	end := endEntry{Status: model.Complete, At: w.Now()}
	kept := errors.Is(err, errKept)
	var said *model.WorkerError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		end.Status, end.Reason = model.Interrupted, "before a cut"
		if kept {
			end.Reason = "a cut had begun, and was not checked"
		}
	case errors.As(err, &said):
		end.Status, end.Reason = model.Failed, said.Message
	case err != nil:
		end.Status, end.Reason = model.Failed, err.Error()
	}
	if w.unsaved != nil && errors.Is(err, w.unsaved) {
		err = nil // it is said below
	}
	h := &w.state.header
	end.Removed = h.Made && !kept
	logErr := w.log.append(entry{End: &end})
	err = errors.Join(err, logErr)
	switch {
	case end.Removed && logErr != nil:
		// Without that entry, a resume would take the missing file for lost writes.
		err = errors.Join(err, model.BrokenError(fmt.Sprintf("%s was not removed, because the ledger could not record that", h.Path), "remove it if you do not need it: rm "+safetext.ShellWord(h.Path)))
	case end.Removed:
		if rm := w.remove(context.Background()); rm != nil {
			err = errors.Join(err, model.BrokenError(fmt.Sprintf("%s was not removed: %v", h.Path, rm), "look at it, and remove it if it may go: ls -l "+safetext.ShellWord(h.Path)))
		}
	}
	w.leave()
	s, readErr := w.log.state(w.path)
	if readErr != nil {
		return nil, errors.Join(err, readErr)
	}
	w.state = s
	saveErr := w.save()
	if saveErr == nil && end.Status == model.Failed {
		saveErr = w.unsaved // it ended the test
	}
	return w.report(), errors.Join(err, saveErr)
}

// report returns the report so far. If its directory is no longer there, it is not named.
func (w *execution) report() *model.Durability {
	dir := filepath.Dir(w.path)
	d := w.state.report(dir)
	if w.log.movedFrom(w.path) {
		d.Directory = ""
		for i := range d.Findings {
			f := &d.Findings[i]
			f.Next = strings.Replace(f.Next, ResumeLine(w.state.header.Target.InCommand(), dir), w.resumeLine(), 1)
		}
	}
	return d
}

// moved says that the report cannot be saved, because its directory is no longer there, and what is left to check. Nothing may be
// written to what is there instead.
func (w *execution) moved() error {
	dir, h := filepath.Dir(w.path), &w.state.header
	message := fmt.Sprintf("the report could not be saved: %s was moved, replaced or removed during the test", dir)
	if w.state.end == nil || !w.state.pends(dir) {
		return model.BrokenError(message, "loadline analyze DIR, with the folder to which it was moved")
	}
	if h.Made {
		message += "; " + h.Path + " was left for the check"
	}
	return &model.LeftError{WorkerError: model.BrokenError(message, "check: "+w.resumeLine())}
}

// save saves the report so far.
func (w *execution) save() error {
	if w.log.movedFrom(w.path) {
		return w.moved()
	}
	d := w.state.report(filepath.Dir(w.path))
	if w.state.end == nil {
		d.Status, d.Reason = model.Running, ""
	}
	return w.Save(d)
}

// ResumeLine returns the command that checks, from any directory, what the test in dir wrote to a target.
func ResumeLine(target, dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return "loadline durability " + safetext.ShellWord(target) + " --resume " + safetext.ShellWord(dir)
}

// resumeLine returns the command for checking this test later.
func (w *execution) resumeLine() string {
	if w.log.movedFrom(w.path) {
		return "loadline durability " + safetext.ShellWord(w.Target.InCommand()) + " --resume DIR, with the folder to which it was moved"
	}
	return ResumeLine(w.Target.InCommand(), filepath.Dir(w.path))
}

func itoa(n int) string { return strconv.Itoa(n) }
