package durability

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/loadline/loadline/internal/measure/volume/nbd"
	"github.com/loadline/loadline/internal/model"
)

// passes is how often the check reads each block: more than once, because replicas that disagree
// answer in turn.
const passes = 4

// examplesPerFault limits how many individual blocks are described per kind of fault.
const examplesPerFault = 3

// reading is what the passes read from one block.
type reading struct {
	data []byte
	// changed is how often a pass read something else than the one before; err is the first failure.
	changed int
	err     error
	// gone is true if the file itself no longer exists.
	gone bool
}

// readAll reads every block several times, forwards and backwards.
func readAll(ctx context.Context, h *header) (blocks []reading, buffered bool, err error) {
	m, buffered, err := openReader(ctx, h)
	if err != nil {
		return nil, false, err
	}
	defer m.close()
	blocks = make([]reading, h.Blocks)
	p := aligned(int(h.BlockSize))
	for pass := range passes {
		for n := range h.Blocks {
			i := n
			if pass%2 == 1 {
				i = h.Blocks - 1 - n
			}
			b := &blocks[i]
			if b.err != nil {
				continue
			}
			if err := m.read(ctx, p, h.offset(i)); err != nil {
				if ctx.Err() != nil {
					return nil, false, ctx.Err()
				}
				if said := (*nbd.IOError)(nil); h.Target.Kind == model.NBD && !errors.As(err, &said) {
					return nil, false, err // the connection is lost, and no block of it was found unreadable
				}
				b.err = err
				continue
			}
			if b.data == nil {
				b.data = bytes.Clone(p)
			} else if !bytes.Equal(b.data, p) {
				b.changed++
				copy(b.data, p)
			}
		}
		if buffered {
			m.dropCache()
		}
	}
	return blocks, buffered, nil
}

// judge compares what was read with what the ledger allows. It reads and writes nothing itself; the
// caller fills in the cut's other fields (number, kind …).
func judge(s *state, blocks []reading, cut *model.Cut) (found []uint64) {
	found = make([]uint64, len(blocks))
	told := map[string]int{}
	tell := func(fault string, i int, words string) {
		if told[fault]++; told[fault] <= examplesPerFault {
			cut.Examples = append(cut.Examples, fmt.Sprintf("%s: block at %d: %s", fault, s.header.offset(i), words))
		}
	}
	for i, r := range blocks {
		b := s.blocks[i]
		inFlight := b.intended > max(b.acked, b.settled)
		if inFlight {
			cut.InFlight++
		}
		switch {
		case r.err != nil:
			cut.Unreadable++
			tell("unreadable", i, r.err.Error())
			continue
		case r.changed > 1 || r.changed == 1 && !inFlight:
			// Once, a write may arrive that was under way when its writer was killed: a server goes on with those that
			// it has received.
			cut.Unstable++
			tell("unstable", i, "reading it again gave something else")
			continue
		}
		var seq uint64
		var fault, words string
		if !r.gone {
			seq, fault, words = s.identify(i, r.data)
		}
		found[i] = seq
		switch {
		case fault == "foreign":
			cut.Foreign++
			tell(fault, i, words)
		case fault == "torn":
			cut.Torn++
			if inFlight {
				cut.TornInFlight++
			}
			tell(fault, i, words)
		case seq < max(b.acked, b.floor):
			cut.Lost += int(max(b.acked, b.floor) - seq)
			cut.LostBlocks++
			what := fmt.Sprintf("write %d is there", seq)
			switch {
			case r.gone:
				what = "the file is gone"
			case seq == 0:
				what = "nothing of this test is there"
			}
			tell("lost", i, fmt.Sprintf("write %d was acknowledged, but %s", max(b.acked, b.floor), what))
		case inFlight && seq == b.intended:
			cut.InFlightFound++
		}
	}
	return found
}

// identify returns which write a block holds (0 is what was there before the test), or what is wrong
// with it.
func (s *state) identify(i int, p []byte) (seq uint64, fault, words string) {
	h := &s.header
	offset := h.offset(i)
	b := s.blocks[i]
	is, ours := decode(p)
	switch {
	case s.before[i] == fingerprint(p), fingerprint(p) == "0" && max(b.acked, b.floor) > 0:
		return 0, "", ""
	case !ours || !is.whole:
		return 0, "torn", pieces(p, h.Volume, offset, min(b.floor, b.found), b.intended)
	case is.volume != h.Volume:
		return 0, "foreign", fmt.Sprintf("it was written by another test (volume %s)", is.volume)
	case is.offset != offset:
		return 0, "foreign", fmt.Sprintf("it belongs to %d (write %d there)", is.offset, is.seq)
	case is.seq == 0 || is.seq > b.intended:
		return 0, "foreign", fmt.Sprintf("it says that it is write %d, but only %d were issued", is.seq, b.intended)
	}
	return is.seq, "", ""
}
