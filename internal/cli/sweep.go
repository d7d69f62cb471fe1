package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/command"
	"github.com/loadline/loadline/internal/plan/sweep"
)

// sweepOptions are the flags that sweep and plan sweep share.
type sweepOptions struct {
	options
	depths, blocks, jobs, pattern string
	load                          bool
}

func newSweep(e *env.Env) *cobra.Command { return sweepCommand(e, &sweepOptions{}) }

func sweepCommand(e *env.Env, o *sweepOptions) *cobra.Command {
	var f measureFlags
	cmd := &cobra.Command{
		Use:   "sweep TARGET",
		Short: "Measure one pattern over queue depths, block sizes and jobs, or over offered rates",
		Long: `Measures one pattern in every combination of queue depth, block size and jobs. The
cells are measured in random order, several times, each with its interval and verdict.
If there is time, the heaviest cell in each direction is measured for 20 s without a
pause: if burst credits run out, the result is the rate it falls to.

With --load it offers I/Os at seven rates, from 10 % to 95 % of what a closed loop of
depth 64 has reached, and shows the latency at each rate, and the knee: the largest rate
at which p99 is at most twice that at the lowest, and at least 98 % of the rate is
achieved. The load is an open loop: I/Os are due at random times whether or not earlier
ones have completed, and latencies count from when an I/O was due.

Targets are treated as by loadline run: in a directory, a file of its own; an existing
device, image or file is only read unless --destroy-data-on names it. The plan with its
time limit is printed before anything is measured. --experiment repeats a saved sweep, and
--in-cluster runs it in a Job in the Kubernetes cluster (see loadline run).

Exit codes: 0 measured; 1 failed; 2 refused before any I/O, with the reason; 5 measured,
but a cell is invalid; 130 interrupted (results so far are kept).`,
		Example: `  loadline sweep /var/lib/postgresql --depth 1,4,16 --bs 4k,64k
  loadline sweep /var/lib/postgresql --rw randwrite --bs 8k`,
		Args: o.unlessRepeated(usage.Exactly(1, "one TARGET")),
		RunE: f.run(e, &o.options, func(cmd *cobra.Command, args []string) (model.Experiment, error) { return o.experiment(cmd, args[0]) }),
	}
	o.register(cmd)
	f.inside.register(cmd)
	f.saveFlags.register(e, cmd, resultsHelp)
	f.registerPublisher(e, cmd)
	return cmd
}

func (o *sweepOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	d := sweep.GridDefaults()
	f.StringVar(&o.pattern, "rw", d.Pattern, "the pattern: "+strings.Join(sweep.Patterns, ", "))
	flags.ListVar(f, &o.depths, "depth", command.Joined(d.Depths, strconv.Itoa), flags.ReadWhole, "queue depths of each job")
	flags.ListVar(f, &o.blocks, "bs", command.Joined(d.BlockSizes, units.FormatBlock), units.ParseSize, "block sizes (with --load: one, 4k by default)")
	flags.ListVar(f, &o.jobs, "jobs", command.Joined(d.Jobs, strconv.Itoa), flags.ReadWhole, "numbers of concurrent submitters")
	for _, a := range axes {
		flags.Verify(f, a.flag, a.check)
	}
	f.BoolVar(&o.load, "load", false, "instead, offer rates: latency against load, and the knee")
	o.registerBounds(cmd)
	o.registerRest(cmd)
}

// axis is a flag of the grid; read puts what was typed into a request.
type axis struct {
	flag string
	read func(r *model.SweepRequest, typed string) error
}

var axes = []axis{
	{"rw", func(r *model.SweepRequest, s string) error { r.Pattern = s; return nil }},
	{"depth", func(r *model.SweepRequest, s string) (err error) {
		r.Depths, err = flags.ParseList("--depth", s, flags.ReadWhole)
		return err
	}},
	{"bs", func(r *model.SweepRequest, s string) (err error) {
		r.BlockSizes, err = flags.ParseList("--bs", s, units.ParseSize)
		return err
	}},
	{"jobs", func(r *model.SweepRequest, s string) (err error) {
		r.Jobs, err = flags.ParseList("--jobs", s, flags.ReadWhole)
		return err
	}},
}

// check refuses a value that a sweep with one cell would refuse.
func (a axis) check(typed string) error {
	r := model.SweepRequest{Pattern: sweep.Patterns[0], Depths: []int{1}, BlockSizes: []int64{4096}, Jobs: []int{1}}
	if err := a.read(&r, typed); err != nil {
		return err
	}
	_, err := sweep.Profile(r)
	return err
}

// experiment returns the experiment that the flags describe. Values that make no sense are refused when the
// workloads are made.
func (o *sweepOptions) experiment(cmd *cobra.Command, target string) (model.Experiment, error) {
	r := sweep.GridDefaults()
	if o.load {
		r = sweep.LoadDefaults()
	}
	r.Pattern = o.pattern
	for _, a := range axes {
		if f := cmd.Flags().Lookup(a.flag); f.Changed {
			if err := a.read(&r, f.Value.String()); err != nil {
				return model.Experiment{}, err
			}
		}
	}
	exp, err := o.options.experiment(target)
	exp.Scenario, exp.Profile, exp.Sweep = sweep.Name, "", &r
	return exp, err
}
