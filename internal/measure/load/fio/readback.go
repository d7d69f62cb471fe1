package fio

import (
	"context"
	"fmt"
	"syscall"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/proof"
	"github.com/loadline/loadline/internal/model/units"
)

// ReadBack reads the whole volume after Fill and checks that each block contains what was written.
// Proof.Unwritten counts the bytes of the 1 MiB blocks that do not: holes, torn blocks, other data.
// It knows what Fill of the same driver wrote; for a volume that this driver did not fill, or for
// which an extent map is better proof, it says so and proves nothing (proof.None). progress is
// called once a second with model.PhaseProve.
//
// fio before 3.40 cannot distinguish this fill from an earlier one of the same blocks.
func (d *Driver) ReadBack(ctx context.Context, v model.Volume, progress func(model.Progress)) (model.Proof, error) {
	v = d.asUser(v)
	if _, err := d.Version(ctx); err != nil {
		return model.Proof{Method: proof.None}, err
	}
	d.known.Lock()
	seed, filled := d.seeds[name(v)]
	d.known.Unlock()
	if !filled {
		return model.Proof{Method: proof.None, Detail: "the volume was not filled with checksums by this worker"}, nil
	}
	if err := reachable(v); err != nil {
		return model.Proof{Method: proof.None}, err
	}
	found := model.Proof{Method: proof.ReadBack}
	for _, part := range segments(v.Size) {
		var t text
		t.comment("Loadline, read back")
		t.section("prove")
		t.sequential(v, part)
		t.set("rw", "read")
		t.checksum()
		t.set("verify_fatal", 0)
		t.set("continue_on_error", "verify")
		t.set("randseed", seed)
		p, err := d.runPass(ctx, v, t.String(), model.PhaseProve, found.Checked, progress)
		found.Checked += p.bytes
		if p.wrong() {
			found.Unwritten += int64(p.last.TotalError) * part.block
			found.Detail = fmt.Sprintf("some blocks did not read back as written (fio said: %s)", p.outcome.message())
			err = nil
		}
		if err != nil {
			return found, workerError("reading back failed after %s of %s: %v", units.FormatSize(found.Checked), units.FormatSize(v.Size), err)
		}
		if p.bytes != part.size {
			return found, workerError("only %s of %s could be read back.", units.FormatSize(found.Checked), units.FormatSize(v.Size))
		}
	}
	return found, nil
}

// wrong reports whether a pass covered everything and found blocks that differ from what was
// written, and no worse error.
func (p passResult) wrong() bool {
	return p.last != nil && p.last.TotalError > 0 && syscall.Errno(p.last.Error) == syscall.EILSEQ &&
		p.outcome.signal == 0 && p.outcome.stopped == "" && !p.outcome.interrupted
}
