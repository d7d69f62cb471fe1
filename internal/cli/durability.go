package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/durability"
	"github.com/loadline/loadline/internal/measure/observe"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/words"
	"github.com/loadline/loadline/internal/show/results"
	"github.com/loadline/loadline/internal/show/screen"
)

// durabilityFlags are read as text and checked together.
type durabilityFlags struct {
	sync, blockSize, size, destroy string
	blocks, jobs, writes, cuts     int
	cut, cutPID, restart, wait     string
	resume, run, results           string
	output                         outputFlags
	quiet, create                  bool
	label                          flags.Label
}

func newDurability(e *env.Env) *cobra.Command {
	var f durabilityFlags
	cmd := &cobra.Command{
		Use:   "durability TARGET",
		Short: "Test whether acknowledged and flushed writes survive a crash or power cut",
		Long: `Writes numbered, checksummed blocks and keeps a ledger of them outside the target.
The power or a process is cut in the middle of writing; then every block is read back: it
must contain the newest write that was acknowledged as flushed, or a newer one.

--cut 'COMMAND' is your own power cut: a VM reset, a power switch, or 'sleep 600' while
you pull the plug. --cut-pid kills a process, such as the target's server. Without
either, the writing process itself is killed, which proves little. If the cut also takes
down this machine, check after the reboot with --resume and the test's directory.

In a directory, it writes a file of its own and removes it; with --create it creates a
new file where none exists. An existing device, export or file is overwritten, and needs
--destroy-data-on.

Exit codes: 0 nothing promised was lost (the result says whether that proves
anything); 1 failed, such as a cut command that fails; 2 refused before any I/O;
5 flushed writes were lost, or blocks are corrupt; 130 interrupted.`,
		Example: `  loadline durability /var/lib/postgresql --cuts 3
  loadline durability /dev/sdX --destroy-data-on /dev/sdX --cut 'sleep 600' --results /mnt/other`,
		Args: usage.Exactly(1, "one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.test(cmd, e, args[0])
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.sync, "sync", "", "how a write is made durable: "+strings.Join(durability.Syncs(), ", ")+" (default: fsync; flush for NBD)")
	fl.StringVar(&f.cut, "cut", "", "`COMMAND` that cuts the power while writing continues")
	fl.StringVar(&f.cutPID, "cut-pid", "", "kill the process with this PID, or the PID in this file")
	flags.CountVar(fl, flags.Count{Name: "cuts", To: &f.cuts, Least: 1, Most: units.MostRepeats}, 1, "how often to cut; the test ends at the first loss")
	fl.StringVar(&f.restart, "restart", "", "`COMMAND` that brings the target back after each cut")
	fl.StringVar(&f.wait, "wait", "2m", "how long the target may take to respond again")
	fl.StringVar(&f.resume, "resume", "", "check what the test in this `DIR` wrote before the cut (and with --cut continue)")
	flags.CountVar(fl, flags.Count{Name: "writes", To: &f.writes, Least: 1, Most: flags.MostWrites, Such: 2000}, 2000, "minimum number of acknowledged writes before each cut")
	flags.CountVar(fl, flags.Count{Name: "blocks", To: &f.blocks, Least: 1, Most: durability.MostBlocks, Such: 100}, 100, "number of blocks that are rewritten")
	flags.CountVar(fl, flags.Count{Name: "jobs", To: &f.jobs, Least: 1, Most: durability.MostJobs, Such: 8}, 8, "number of concurrent writes")
	fl.StringVar(&f.blockSize, "block-size", "4k", "size of a block")
	fl.StringVar(&f.size, "size", "", "range over which the blocks are spread (default: the whole target; 64MiB in a file that Loadline creates)")
	fl.StringVar(&f.destroy, "destroy-data-on", "", "allow overwriting this existing device, export or file; must name the `TARGET`")
	fl.BoolVar(&f.create, "create", false, createFlag)
	fl.StringVar(&f.run, "run", "", "make the test part of the saved run in this `DIR`, where analyze finds it")
	fl.StringVar(&f.results, "results", defaultResults, "create the test's directory, with the ledger, in this `DIR`")
	registerOutput(e, cmd, &f.output, textOrJSON...)
	f.label.Register(cmd)
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress")
	registerProgress(cmd)
	return cmd
}

func (f *durabilityFlags) test(cmd *cobra.Command, e *env.Env, name string) error {
	ctx := cmd.Context()
	if f.run != "" && cmd.Flags().Changed("results") {
		return model.RefusedError("--run and --results name two places for one test", "use one of them")
	}
	if f.resume != "" {
		determined := flagtable.YieldingTo("resume")
		if i := slices.IndexFunc(determined, cmd.Flags().Changed); i >= 0 {
			return model.RefusedError(fmt.Sprintf("--%s cannot be used with --resume: the ledger determines it", determined[i]), "leave it out")
		}
	}
	// With --resume, a missing file is not a mistyped name: the power cut may have removed it, and the
	// ledger knows it.
	t, err := session.ParseNew(name, f.create || f.resume != "")
	if err != nil {
		return err
	}
	if err := refuseCluster(t, "durability"); err != nil {
		return err
	}
	progress := screen.NewCuts(e, f.quiet)
	defer progress.Close()
	o, err := f.options(e, t, progress)
	if err != nil {
		return err
	}
	var d *model.Durability
	if f.resume != "" {
		d, err = durability.Resume(ctx, e, f.resume, o)
	} else {
		d, err = durability.Run(ctx, e, o)
	}
	progress.Close()
	if d == nil {
		return err
	}
	if printErr := screen.PrintDurability(e, d, f.output.name() == "json"); printErr != nil {
		return errors.Join(err, printErr)
	}
	if f.run != "" && !f.quiet && err == nil {
		printLine(e.Stderr, "next: loadline analyze %s", safetext.ShellWord(f.run))
	}
	switch {
	case ctx.Err() != nil:
		printLine(e.Stderr, "loadline: %s", string(d.Status)+words.Prefixed(": ", d.Reason))
		for _, g := range d.Findings {
			if g.Rule == durability.Survival {
				printLine(e.Stderr, "  next: %s", g.Next)
			}
		}
		printLeft(e, err)
		return exitCode(exitInterrupted)
	case err != nil:
		return err
	}
	if code := durabilityCode(d); code != exitOK {
		return exitCode(code)
	}
	return nil
}

// options checks the flags and turns them into the test's options.
func (f *durabilityFlags) options(e *env.Env, t model.Target, progress *screen.Cuts) (durability.Options, error) {
	started := e.Now()
	o := durability.Options{
		Target: t, Destroy: f.destroy, Sync: f.sync, Blocks: f.blocks, Jobs: f.jobs, Writes: f.writes,
		Cuts: f.cuts, CutCommand: f.cut, CutPID: f.cutPID, Restart: f.restart,
		ID: store.Name(started, t.Name) + "-durability", Command: recordedCommand(e), Environment: observe.Machine(e),
		Now: e.Now, Observe: progress.Observe,
	}
	if err := results.SaveTest(&o, f.results, f.run); err != nil {
		return o, err
	}
	var err error
	if o.Labels, err = f.label.Labels(); err != nil {
		return o, err
	}
	if o.BlockSize, err = units.ParseSize(f.blockSize); err != nil {
		return o, model.RefusedError("--block-size: "+err.Error(), "give a size, such as --block-size 4k")
	}
	if f.size != "" {
		if o.Size, err = units.ParseSize(f.size); err != nil {
			return o, model.RefusedError("--size: "+err.Error(), "give a size, such as --size 1GiB")
		}
	}
	seconds, err := flags.ParseSpan("--wait", f.wait)
	if err != nil {
		return o, err
	}
	o.Wait = time.Duration(seconds * float64(time.Second))
	program := e.Program()
	o.Writer = func(ctx context.Context, ledger string) *exec.Cmd {
		return e.Command(ctx, program, durabilityWriter, ledger)
	}
	return o, nil
}

func durabilityCode(d *model.Durability) int {
	if d.Broken() {
		return exitInvalid
	}
	return exitOK
}

// durabilityWriter is the verb of the writing process.
const durabilityWriter = "durability-writer"

// newDurabilityWriter returns the verb that a durability test starts; users do not
// type it.
func newDurabilityWriter(e *env.Env) *cobra.Command {
	return &cobra.Command{
		Use:    durabilityWriter + " LEDGER",
		Short:  "Run the writer of a durability test",
		Hidden: true,
		Long: `Writes blocks as the ledger says, until its input ends or it is killed. It is started
by loadline durability.

Exit codes: 0 told to stop; 1 a write failed.`,
		Args: usage.Exactly(1, "one LEDGER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			// The parent decides how to react to an interrupt.
			return durability.Write(context.WithoutCancel(cmd.Context()), e.Clock, args[0], e.Stdin, screen.Raw(e).Stdout)
		},
	}
}
