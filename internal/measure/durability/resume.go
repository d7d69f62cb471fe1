package durability

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Resume continues a test that a cut, a crash or a reboot has ended: it waits for the target, checks
// it, and, if a cut is given, makes o.Cuts more. from is the test's directory or its ledger. Only the
// options about cuts, waiting and saving are used; the rest is in the ledger.
func Resume(ctx context.Context, e *env.Env, from string, o Options) (*model.Durability, error) {
	more := o.CutCommand != "" || o.CutPID != ""
	if err := o.checkCuts(); err != nil {
		return nil, err
	}
	s, err := readState(from)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		from = filepath.Join(from, LedgerFile)
	}
	if err := sameTarget(&s.header, o.Target, from); err != nil {
		return nil, err
	}
	if _, err := s.pending(from, more); err != nil {
		return nil, err
	}
	o.Parent = filepath.Dir(from)
	w := &execution{Options: &o, env: e, path: from}
	if more {
		if err := ledgerPlace(ctx, e, &o, s.header.Environment.Storage); err != nil {
			return nil, err
		}
	}
	if w.log, err = openLedger(from, true); err != nil {
		if errors.Is(err, errHeld) {
			return nil, model.RefusedError(fmt.Sprintf("the test in %s is still in progress", filepath.Dir(from)), "wait for its end, or interrupt it")
		}
		return nil, model.RefusedError(fmt.Sprintf("the ledger %s cannot be opened: %s", from, env.Reason(err)), "")
	}
	defer w.log.close()
	// Another resume may have ended the test before this one had the lock.
	if s, err = w.log.state(from); err != nil {
		return nil, err
	}
	pending, err := s.pending(from, more)
	if err != nil {
		return nil, err
	}
	if err := w.log.cutOff(s.good); err != nil {
		return nil, model.RefusedError(fmt.Sprintf("the ledger %s cannot be written: %s", from, env.Reason(err)), "")
	}
	w.state = s
	// Without the lock, a concurrent cleanup could take the file for a leftover.
	if s.header.Made && env.Exists(s.header.Path) {
		if err := w.adopt(); err != nil {
			return nil, err
		}
		if err := w.recognise(ctx, true); err != nil {
			w.leave()
			return nil, err
		}
	}
	return w.finish(w.resume(ctx, pending, more))
}

func (w *execution) resume(ctx context.Context, pending, more bool) error {
	if pending {
		w.from = len(w.state.phases) - 1
		cuts := w.Cuts
		w.Cuts = 1
		err := w.after(ctx, nil, w.state.last().write.Cut)
		w.Cuts = cuts
		if err != nil || bad(&w.state.header, w.state.last().checked.Cut) {
			return err
		}
	}
	if !more {
		return nil
	}
	return w.cuts(ctx)
}

// pending reports whether the last phase still has to be checked. An error means that nothing can be
// done with this ledger.
func (s *state) pending(path string, more bool) (bool, error) {
	p := s.last()
	switch {
	case p == nil || s.before == nil:
		return false, model.RefusedError(fmt.Sprintf("the test in %s ended before its first write: there is nothing to check", filepath.Dir(path)), "start it again, without --resume")
	case s.end != nil && s.end.Status == model.Interrupted && p.checked == nil && p.cutting == nil,
		s.end != nil && p.checked == nil && p.cut != nil && p.cut.Failed != "" && !p.cut.Noticed:
		return false, model.RefusedError(fmt.Sprintf("the test in %s was ended before a cut: there is nothing to check", filepath.Dir(path)), "start it again, without --resume")
	case p.checked == nil && s.removed() && !env.Exists(s.header.Path):
		return false, model.RefusedError(fmt.Sprintf("the test in %s ended before a cut, and its file %s was removed: there is nothing to check", filepath.Dir(path), s.header.Path), "start it again, without --resume")
	case p.checked == nil:
		return true, nil
	case !more:
		return false, model.RefusedError(fmt.Sprintf("the test in %s has checked all its cuts already", filepath.Dir(path)), "look at it: loadline analyze "+safetext.ShellWord(filepath.Dir(path)))
	case s.header.Made && !env.Exists(s.header.Path):
		return false, model.RefusedError(fmt.Sprintf("the test in %s is over, and its file %s was removed", filepath.Dir(path), s.header.Path), "start another one, without --resume")
	}
	return false, nil
}

// Needs reports whether the test in a directory, which no process is working on, still has to check
// the data file at path. An error means that the ledger cannot answer: it is missing (its disk may
// not be mounted), damaged, or about another file.
func Needs(dir, path string) (bool, error) {
	s, err := readState(dir)
	if err != nil {
		return true, err
	}
	if !s.header.Made || s.header.Path != path {
		return true, fmt.Errorf("the ledger in %s is of another file, %s", dir, s.header.Path)
	}
	pending, err := s.pending(filepath.Join(dir, LedgerFile), false)
	return err == nil && pending, nil
}

// sameTarget refuses a ledger of another target. A device may come back under another number, so the
// name given by the user is compared too. from is the ledger.
func sameTarget(h *header, t model.Target, from string) error {
	same := h.Target.Kind == t.Kind && h.Target.Path == t.Path && h.Target.URI == t.URI
	if same || h.Target.Kind == model.BlockDevice && t.Kind == model.BlockDevice && h.Target.Name == t.Name && strings.HasPrefix(t.Name, "/dev/disk/") {
		return nil
	}
	// A file created by the test did not exist before, but does now.
	if h.Made && h.Target.Kind == model.File && h.Target.Path == t.Path {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("the ledger is of another target: of %s, not of %s", describe(h.Target), describe(t)),
		"name the target of the ledger: "+ResumeLine(h.Target.InCommand(), filepath.Dir(from)))
}

func describe(t model.Target) string {
	if t.Path != "" && t.Path != t.Name {
		return fmt.Sprintf("%s (%s)", t.Name, t.Path)
	}
	return t.Name
}
