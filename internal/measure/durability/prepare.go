package durability

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/measure/volume/nbd"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// prepare checks everything before any I/O, creates the file and the ledger, and records what the
// blocks hold.
func prepare(ctx context.Context, e *env.Env, o *Options) (*execution, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := volume.Guard(ctx, e, o.Target, o.Destroy); err != nil {
		return nil, volume.WithoutWorkloads(err)
	}
	storage, err := volume.Probe(ctx, e, o.Target)
	if err != nil {
		return nil, err
	}
	h := &header{
		Schema: ledgerSchema, ID: o.ID, Started: o.Now(), Command: o.Command, Labels: o.Labels, Target: o.Target, Path: o.Target.Path,
		Made: volume.MakesFile(o.Target), BlockSize: o.BlockSize, Blocks: o.Blocks, Jobs: o.Jobs, Sync: o.Sync, Environment: o.Environment,
	}
	h.Environment.Storage = storage
	if o.Target.Kind == model.BlockDevice && filepath.IsAbs(o.Target.Name) {
		h.Path = o.Target.Name // a link such as /dev/disk/by-id/… still names the device after a cut
	}
	if _, err := rand.Read(h.Volume[:]); err != nil {
		return nil, err
	}
	if err := fit(h, o, storage); err != nil {
		return nil, err
	}
	if err := ledgerPlace(ctx, e, o, storage); err != nil {
		return nil, err
	}
	if o.Target.Kind == model.NBD {
		if err := canSync(ctx, h); err != nil {
			return nil, err
		}
	}
	dir, err := o.MakeDirectory()
	if err != nil {
		return nil, err
	}
	w := &execution{Options: o, env: e, path: filepath.Join(dir, LedgerFile)}
	if h.Made {
		if w.object, err = volume.Create(o.Target, o.ID, h.Size); err != nil {
			return nil, errors.Join(err, os.Remove(dir))
		}
		h.Path, w.proved = w.object.Path(), true
		if err := w.settle(h, dir); err != nil {
			return nil, w.unbegun(model.BrokenError(fmt.Sprintf("%s cannot be flushed: %v", h.Path, err), ""), h, dir)
		}
	}
	if err := w.begin(ctx, h); err != nil {
		return nil, w.unbegun(err, h, dir)
	}
	return w, nil
}

// unbegun removes what was made for a test that cannot begin: nothing was written to the target yet.
func (w *execution) unbegun(err error, h *header, dir string) error {
	if h.Made {
		err = errors.Join(err, w.close(h))
	}
	if w.log != nil {
		err = errors.Join(err, w.log.close())
	}
	// The directory was made for this test.
	return errors.Join(err, os.RemoveAll(dir))
}

// settle makes the new file durable, together with the note that keeps a cleanup away from it until
// the test in dir is over.
func (w *execution) settle(h *header, dir string) error {
	ledger, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := volume.NoteLedger(h.Path, volume.LedgerNote{Ledger: ledger, Target: h.Target.InCommand()}); err != nil {
		return err
	}
	return settleFile(w.object)
}

// close removes the file that the test created, and its note.
func (w *execution) close(h *header) error {
	if err := w.object.Close(); err != nil {
		return err
	}
	return volume.ForgetLedger(h.Path)
}

// begin writes the ledger's first two lines.
func (w *execution) begin(ctx context.Context, h *header) error {
	blocks, _, err := readAll(ctx, h)
	if err != nil {
		return broken(h, "cannot be read", err)
	}
	before := make([]string, len(blocks))
	for i, b := range blocks {
		if b.err != nil {
			return broken(h, fmt.Sprintf("cannot be read at %d", h.offset(i)), b.err)
		}
		before[i] = fingerprint(b.data)
	}
	if w.log, err = createLedger(w.path); err != nil {
		return model.BrokenError(fmt.Sprintf("the ledger cannot be made: %v", err), "choose another folder with --results DIR")
	}
	for _, e := range []entry{{Header: h}, {Before: before}} {
		if err := w.log.append(e); err != nil {
			return model.BrokenError(err.Error(), "choose another folder with --results DIR")
		}
	}
	w.state, err = readState(w.path)
	return err
}

// broken returns the error for a failure of the target.
func broken(h *header, what string, err error) error {
	return model.BrokenError(fmt.Sprintf("%s %s: %s", h.Target.Name, what, env.Reason(err)), "")
}

// fit chooses the range and checks that the blocks fit into it.
func fit(h *header, o *Options, s model.Storage) error {
	room := volume.Capacity(s, o.Target, true)
	h.Size = room
	if h.Made {
		h.Size = ownSize
	}
	if o.Size > 0 {
		if !h.Made && o.Size > room {
			return model.RefusedError(fmt.Sprintf("--size %s is more than %s has (%s)", units.FormatSize(o.Size), o.Target.Name, units.FormatSize(room)), "")
		}
		h.Size = o.Size
	}
	needed := int64(h.Blocks) * h.BlockSize
	if h.Made && o.Size == 0 {
		h.Size = max(h.Size, needed)
	}
	// The file is sparse: only its blocks take space.
	if h.Size < needed || h.Made && room < needed {
		return model.RefusedError(fmt.Sprintf("%d blocks of %s do not fit into %s of %s", h.Blocks, units.FormatBlock(h.BlockSize), units.FormatSize(min(h.Size, room)), o.Target.Name),
			"use fewer --blocks, or a smaller --block-size")
	}
	if unit := int64(s.LogicalBlock); unit > 0 && h.BlockSize%unit != 0 {
		return model.RefusedError(fmt.Sprintf("--block-size %s is smaller than the blocks of %s (%s)", units.FormatBlock(h.BlockSize), o.Target.Name, units.FormatBlock(unit)),
			"use --block-size "+units.FormatBlock(max(unit, 4096)))
	}
	return nil
}

// canSync refuses a flush that the server does not offer.
func canSync(ctx context.Context, h *header) error {
	m, err := openNBD(ctx, h)
	if err != nil {
		return broken(h, "cannot be opened", err)
	}
	defer m.close()
	need := map[string]nbd.Flags{syncFlush: nbd.CanFlush, syncFUA: nbd.CanFUA | nbd.CanFlush}[h.Sync]
	if flags := m.conn.Flags; !flags.Has(need) {
		return model.RefusedError(fmt.Sprintf("%s does not offer %s (its server says: %s), so it promises nothing that could be tested", h.Target.Name, h.Sync, flags),
			"serve it with flush and FUA; --sync none shows what a cut takes")
	}
	return nil
}

// settleFile makes the new file itself durable: its size and its name.
func settleFile(o *volume.Object) error {
	return errors.Join(o.File().Sync(), syncDirectory(filepath.Dir(o.Path())))
}

// ledgerPlace refuses a ledger that would be affected by the cut: one on the target's own disk would
// lose its last lines together with the writes that they record, and neither loss would be noticed.
func ledgerPlace(ctx context.Context, e *env.Env, o *Options, target model.Storage) error {
	kind := o.kind()
	if kind == model.CutWriter || o.Target.Kind == model.NBD {
		return nil // the kernel keeps running; what a server writes to cannot be seen from here
	}
	parent, err := filepath.Abs(o.Parent)
	if err != nil {
		return err
	}
	for !isDirectory(parent) && parent != filepath.Dir(parent) {
		parent = filepath.Dir(parent)
	}
	if real, err := filepath.EvalSymlinks(parent); err == nil {
		// The ledger is where a link leads.
		parent = real
	}
	ledger, err := volume.Probe(ctx, e, model.Target{Name: parent, Kind: model.Directory, Path: parent})
	if err != nil {
		return err
	}
	shared := slices.IndexFunc(ledger.DeviceChain, func(name string) bool {
		return slices.Contains(target.DeviceChain, name) && env.Exists("/sys/class/block/"+name)
	})
	if kind == model.CutCommand && ledger.Memory {
		o.Observe(Update{Message: fmt.Sprintf("the ledger is in memory (%s): if the cut takes this machine, there is nothing to check against", parent)})
	}
	where := ""
	switch {
	case kind == model.CutProcess:
		// Killing a process only affects a filesystem if the process serves it.
		if volume.SameFilesystem(parent, o.Target.Path) && strings.HasPrefix(ledger.Filesystem, "fuse") {
			where = "the same filesystem, " + ledger.Mount
		}
	case shared >= 0:
		where = "the same device, " + ledger.DeviceChain[shared]
	case o.Target.Kind != model.BlockDevice && volume.SameFilesystem(parent, o.Target.Path):
		where = "the same filesystem, " + ledger.Mount
	}
	if where == "" {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("the ledger would be in %s, and so on %s as %s: the cut would take it too, and a ledger that was cut proves nothing", o.Parent, where, o.Target.Name),
		"keep the test on another disk or machine: --results /mnt/other")
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
