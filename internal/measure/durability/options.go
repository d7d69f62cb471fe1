package durability

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
)

// Options are what a test needs to know.
type Options struct {
	Target model.Target
	// Destroy is the target that the user allowed to be overwritten, as typed.
	Destroy string
	// Sync is one of Syncs, or empty for the target's usual one.
	Sync string
	// BlockSize and Size are in bytes; Size is the range over which the blocks are
	// spread, 0 for the whole device or the default of a file of our own.
	BlockSize, Size int64
	// Blocks is how many are written again and again, Jobs how many at a time, Writes
	// how many acknowledged writes there are at least before each cut.
	Blocks, Jobs, Writes int

	// Cuts is how often to cut. CutCommand or CutPID (a number, or a file that holds
	// it) says what; without both it is the writer.
	Cuts               int
	CutCommand, CutPID string
	// Restart is a command that brings the target back after a cut.
	Restart string
	// Wait bounds the time until the target answers again.
	Wait time.Duration

	// ID names the test, Command is the command line.
	ID          string
	Command     []string
	Labels      model.Labels
	Environment model.Environment
	// MakeDirectory makes the directory of the test below Parent, once everything
	// has been checked.
	Parent        string
	MakeDirectory func() (string, error)
	// Writer makes the process that calls Write on the ledger.
	Writer func(ctx context.Context, ledger string) *exec.Cmd
	// Save keeps the report so far; Observe is told what is going on.
	Save    func(*model.Durability) error
	Observe func(Update)
	Now     func() time.Time
}

// Update is one thing that a running test tells whoever watches.
type Update struct {
	// Phase is "write", "cut", "restart", "wait" or "check".
	Phase string
	// Cut is the number of the cut that is under way, of Cuts.
	Cut, Cuts int
	// Done of Total acknowledged writes, in phase "write".
	Done, Total int
	// Checked is set when a cut has been checked.
	Checked *model.Cut
	// Message is a sentence that people should see before it begins; nothing else is
	// set then.
	Message string
}

const (
	// minBlock has room for a head, some content and a checksum, and is the smallest
	// sector there is.
	minBlock = 512
	maxBlock = 1 << 20
	// ownSize is the range in a file of our own; it is sparse, so it takes no more
	// space than the blocks.
	ownSize = 64 << 20
	// mostBlocks and mostJobs keep the ledger's state small.
	mostBlocks, mostJobs = 1 << 20, 256
)

// check refuses what makes no sense on any target.
func (o *Options) check() (err error) {
	switch o.Target.Kind {
	case model.RBD:
		return model.RefusedError(fmt.Sprintf("%s: durability is tested on files, block devices and NBD exports", o.Target.Name),
			"map the image and name the device: rbd map "+safetext.ShellWord(o.Target.URI))
	case model.Fake:
		return model.RefusedError(fmt.Sprintf("%s is storage made of numbers: there is nothing to lose", o.Target.Name), "name a directory, a file, a block device or an NBD URI")
	}
	if o.Sync, err = chooseSync(o.Sync, o.Target); err != nil {
		return err
	}
	if o.BlockSize < minBlock || o.BlockSize > maxBlock || o.BlockSize&(o.BlockSize-1) != 0 {
		return model.RefusedError(fmt.Sprintf("--block-size %s is not a power of two between 512 and 1M", units.FormatBlock(o.BlockSize)), "use --block-size 4k")
	}
	for _, n := range []struct {
		flag         string
		value, limit int
	}{{"--blocks", o.Blocks, mostBlocks}, {"--jobs", o.Jobs, mostJobs}} {
		if n.value < 1 || n.value > n.limit {
			return model.RefusedError(fmt.Sprintf("%s %d is not between 1 and %d", n.flag, n.value, n.limit), "")
		}
	}
	if o.Jobs > o.Blocks {
		return model.RefusedError(fmt.Sprintf("--jobs %d cannot work on --blocks %d: each job has blocks of its own", o.Jobs, o.Blocks), "use fewer jobs or more blocks")
	}
	return o.checkCuts()
}

// checkCuts refuses what makes no sense of the cuts, also when a test goes on.
func (o *Options) checkCuts() error {
	if o.Writes < 1 || o.Cuts < 1 {
		return model.RefusedError("--writes and --cuts must be at least 1", "")
	}
	if o.CutCommand != "" && o.CutPID != "" {
		return model.RefusedError("--cut and --cut-pid are two different cuts", "use one of them")
	}
	if o.CutPID != "" {
		return checkPID(o.CutPID, o.Cuts)
	}
	return nil
}

// kind is what will be cut.
func (o *Options) kind() model.CutKind {
	switch {
	case o.CutCommand != "":
		return model.CutCommand
	case o.CutPID != "":
		return model.CutProcess
	}
	return model.CutWriter
}

// execution bundles what a running test holds on to.
type execution struct {
	*Options
	env   *env.Env
	path  string // of the ledger
	state *state
	log   *ledger
	// object is what the test holds of the target; nil for a server, and after the writer
	// has got what was there before.
	object *volume.Object
	// proved tells that the object is a file that this test has made.
	proved bool
	// from is how many cuts the ledger has from before.
	from int
}

func (w *execution) tell(u Update) {
	u.Cuts = w.from + w.Cuts
	w.Observe(u)
}
