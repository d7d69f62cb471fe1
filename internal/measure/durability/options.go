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

// Options are the parameters of a test.
type Options struct {
	Target model.Target
	// Destroy is the target that the user allowed to be overwritten, as typed.
	Destroy string
	// Sync is one of Syncs, or empty for the target's default.
	Sync string
	// BlockSize and Size are in bytes; Size is the range over which the blocks are spread, 0 for the
	// whole device or the default for a file created by the test.
	BlockSize, Size int64
	// Blocks is how many blocks are rewritten over and over, Jobs how many are written concurrently,
	// Writes the minimum number of acknowledged writes before each cut.
	Blocks, Jobs, Writes int

	// Cuts is how many cuts to make. CutCommand or CutPID (a process ID, or a file that holds one)
	// says how; without either, the writer is killed.
	Cuts               int
	CutCommand, CutPID string
	// Restart is a command that brings the target back after a cut.
	Restart string
	// Wait bounds the time until the target answers again.
	Wait time.Duration

	// ID is the name of the test, Command the command line.
	ID          string
	Command     []string
	Labels      model.Labels
	Environment model.Environment
	// MakeDirectory creates the directory of the test below Parent, once everything has been checked.
	Parent        string
	MakeDirectory func() (string, error)
	// Writer returns the command for the process that calls Write on the ledger.
	Writer func(ctx context.Context, ledger string) *exec.Cmd
	// Save saves the report so far; Observe is called with progress updates.
	Save    func(*model.Durability) error
	Observe func(Update)
	Now     func() time.Time
}

// Update is one progress report from a running test.
type Update struct {
	// Phase is "write", "cut", "restart", "wait" or "check".
	Phase string
	// Cut is the number of the current cut, of Cuts.
	Cut, Cuts int
	// Done of Total acknowledged writes, in phase "write".
	Done, Total int
	// Checked is set once a cut has been checked.
	Checked *model.Cut
	// Message is a sentence for the user to see before the test begins; nothing else is set then.
	Message string
}

const (
	// minBlock is the minimum block size, in bytes: it has room for a header, some content and a
	// checksum, and is the smallest sector size in use.
	minBlock = 512
	maxBlock = 1 << 20
	// ownSize is the range used in a file created by the test, in bytes; the file is sparse, so it
	// takes no more space than the blocks.
	ownSize = 64 << 20
	// MostBlocks and MostJobs bound Options.Blocks and Options.Jobs, so that the ledger's state stays small.
	MostBlocks, MostJobs = 1 << 20, 256
)

// check refuses options that make no sense for any target.
func (o *Options) check() (err error) {
	switch o.Target.Kind {
	case model.RBD:
		return model.RefusedError(fmt.Sprintf("%s: durability is tested on files, block devices and NBD exports", o.Target.Name),
			"map the image and name the device: rbd map "+safetext.ShellWord(o.Target.URI))
	case model.Fake:
		return model.RefusedError(fmt.Sprintf("%s is simulated storage, which has nothing to lose", o.Target.Name), "name a directory, a file, a block device or an NBD URI")
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
	}{{"--blocks", o.Blocks, MostBlocks}, {"--jobs", o.Jobs, MostJobs}} {
		if n.value < 1 || n.value > n.limit {
			return model.RefusedError(fmt.Sprintf("%s %d is not between 1 and %d", n.flag, n.value, n.limit), "")
		}
	}
	if o.Jobs > o.Blocks {
		return model.RefusedError(fmt.Sprintf("--jobs %d cannot work on --blocks %d: each job has blocks of its own", o.Jobs, o.Blocks), "use fewer jobs or more blocks")
	}
	return o.checkCuts()
}

// checkCuts refuses cut options that make no sense, also when a test is resumed.
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

// kind returns what will be cut.
func (o *Options) kind() model.CutKind {
	switch {
	case o.CutCommand != "":
		return model.CutCommand
	case o.CutPID != "":
		return model.CutProcess
	}
	return model.CutWriter
}

// execution holds the resources of a running test.
type execution struct {
	*Options
	env   *env.Env
	path  string // of the ledger
	state *state
	log   *ledger
	// object is the test's hold on the target; nil for a server, and once a target that existed
	// before has been passed to the writer.
	object *volume.Object
	// proved is true if the object is known to be a file created by this test.
	proved bool
	// from is the number of cuts already in the ledger at the start.
	from int
	// unsaved is why the report of the last cut could not be saved; nil if it was.
	unsaved error
}

func (w *execution) tell(u Update) {
	u.Cuts = w.from + w.Cuts
	w.Observe(u)
}
