package durability

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// state is everything recorded in a ledger.
type state struct {
	header header
	before []string
	blocks []blockState
	phases []phase
	end    *endEntry
	// texts is how many bytes of text are kept, see mostTexts.
	texts int
	// good is how many bytes of the ledger could be read.
	good int64
}

// blockState bounds what a block may hold: at least write floor, at most write intended. floor is 0
// until something was promised.
type blockState struct {
	floor, intended uint64
	// acked is the newest acknowledged write, flushed or not; found is what the last check found;
	// settled is the newest write that was intended before that check.
	acked, found, settled uint64
}

// phase is one phase of writing, with the cut that ended it.
type phase struct {
	write   writeEntry
	cutting *cuttingEntry
	cut     *cutEntry
	checked *checkedEntry
	// issued and acked count writes.
	issued, acked int
}

// last returns the phase with which the ledger ends; nil before the first.
func (s *state) last() *phase {
	if len(s.phases) == 0 {
		return nil
	}
	return &s.phases[len(s.phases)-1]
}

// readState reads a ledger; path is the ledger itself or the test's directory.
func readState(path string) (*state, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, LedgerFile)
	}
	return newState(path, func(take func(entry) error) (int64, error) { return readEntries(path, take) })
}

// state reads a ledger that is open, wherever it is now; path is where it was opened.
func (l *ledger) state(path string) (*state, error) {
	return newState(path, func(take func(entry) error) (int64, error) {
		return readLines(io.NewSectionReader(l.file, 0, math.MaxInt64), take)
	})
}

// newState makes a state of what read reads.
func newState(path string, read func(take func(entry) error) (int64, error)) (*state, error) {
	s := &state{}
	good, err := read(s.take)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, model.RefusedError(fmt.Sprintf("there is no ledger at %s", path), "name the directory that the test was saved in: ls -d loadline-results/*durability*")
	case err != nil:
		return nil, model.RefusedError(fmt.Sprintf("%s cannot be used as a ledger: %v", path, err), "name the directory of a durability test; a ledger that was changed by hand proves nothing")
	case s.header.Schema == "":
		return nil, model.RefusedError(fmt.Sprintf("%s is not a ledger: it does not begin with a header", path), "name the directory that the test was saved in: ls -d loadline-results/*durability*")
	case s.header.Schema != ledgerSchema:
		return nil, model.RefusedError(fmt.Sprintf("%s was written in schema %q, this loadline reads %q", path, s.header.Schema, ledgerSchema), "use the loadline that made it")
	}
	s.good = good
	return s, nil
}

// removed reports whether the test's own file was removed at its last end.
func (s *state) removed() bool { return s.end != nil && s.end.Removed }

// take applies one line to the state. An error means that the ledger contradicts itself.
func (s *state) take(e entry) error {
	if e.Header != nil {
		if s.header.Schema != "" {
			return errors.New("a second header")
		}
		s.header = *e.Header
		if s.header.Schema == ledgerSchema && !s.header.possible() {
			return errors.New("the header is impossible")
		}
		s.blocks = make([]blockState, s.header.Blocks)
		return nil
	}
	if s.header.Schema != ledgerSchema {
		return nil // readState reports what it is instead
	}
	if err := s.keep(&e); err != nil {
		return err
	}
	p := s.last()
	switch {
	case e.Before != nil:
		return s.takeBefore(e.Before)
	case e.Write != nil:
		if len(s.phases) == mostPhases {
			return fmt.Errorf("more than %d phases of writing", mostPhases)
		}
		s.phases = append(s.phases, phase{write: *e.Write})
		s.end = nil
		if e.Write.Held {
			for i := range s.blocks {
				s.blocks[i].floor = max(s.blocks[i].floor, s.blocks[i].found)
			}
		}
	case e.End != nil:
		s.end = e.End
	case p == nil || s.before == nil:
		if e.Intent != nil || e.Ack != nil || e.Cutting != nil || e.Cut != nil || e.Checked != nil {
			return errors.New("writes before their beginning")
		}
	case e.Intent != nil:
		b, err := s.block(e.Intent)
		if err != nil {
			return err
		}
		b.intended = e.Intent[1]
		p.issued++
	case e.Ack != nil:
		b, err := s.block(e.Ack)
		if err != nil {
			return err
		}
		if e.Ack[1] != b.intended {
			return fmt.Errorf("write %d of block %d is acknowledged, but write %d was intended", e.Ack[1], e.Ack[0], b.intended)
		}
		b.acked = e.Ack[1]
		if s.header.promised() {
			b.floor = b.acked
		}
		p.acked++
	case e.Cutting != nil:
		p.cutting = e.Cutting
	case e.Cut != nil:
		p.cut = e.Cut
	case e.Checked != nil:
		if len(e.Checked.Found) != len(s.blocks) {
			return fmt.Errorf("%d blocks were checked, not %d", len(e.Checked.Found), len(s.blocks))
		}
		p.checked = e.Checked
		for i, found := range e.Checked.Found {
			b := &s.blocks[i]
			b.found, b.acked, b.settled = found, found, b.intended
		}
		e.Checked.Found = nil // now in blocks; up to a million numbers for each cut would be too much
	}
	return nil
}

// takeBefore applies the line with the fingerprints of what the blocks held before the test.
func (s *state) takeBefore(list []string) error {
	if len(list) != len(s.blocks) {
		return fmt.Errorf("%d blocks are described, not %d", len(list), len(s.blocks))
	}
	for i, before := range list {
		if len(before) > fingerprintLength {
			return fmt.Errorf("the fingerprint of what block %d held before has %d characters, not %d", i, len(before), fingerprintLength)
		}
	}
	s.before = list
	return nil
}

// mostPhases and mostTexts (in bytes) keep a ledger that came from someone else from using up all
// memory. A day's test with a cut each second has fewer phases.
const (
	mostPhases = 100000
	mostTexts  = 64 << 20
)

// keep counts the bytes of text in a line that the state keeps.
func (s *state) keep(e *entry) error {
	if e.Write != nil {
		s.texts += len(e.Write.Boot)
	}
	if e.Cutting != nil {
		s.texts += len(e.Cutting.Kind) + len(e.Cutting.What)
	}
	if e.Cut != nil {
		s.texts += len(e.Cut.Words) + len(e.Cut.Failed)
	}
	if e.Checked != nil {
		c := &e.Checked.Cut
		s.texts += len(c.Kind) + len(c.What) + len(c.Words)
		for _, example := range c.Examples {
			s.texts += 16 + len(example)
		}
	}
	if s.texts > mostTexts {
		return fmt.Errorf("its texts are longer than %s, which those of no test are", units.FormatSize(mostTexts))
	}
	return nil
}

// possible reports whether a test can have begun with this header.
func (h *header) possible() bool {
	return h.Blocks >= 1 && h.Blocks <= MostBlocks && h.BlockSize >= minBlock && h.BlockSize <= maxBlock &&
		h.Jobs >= 1 && h.Jobs <= MostJobs && (h.ID == "" || h.ID == filepath.Base(h.ID)) && h.Size >= int64(h.Blocks)*h.BlockSize
}

func (s *state) block(at *[2]uint64) (*blockState, error) {
	if at[0] >= uint64(len(s.blocks)) {
		return nil, fmt.Errorf("block %d is not among the %d", at[0], len(s.blocks))
	}
	return &s.blocks[at[0]], nil
}
