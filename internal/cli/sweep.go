package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/profile"
	"github.com/loadline/loadline/internal/plan/sweep"
)

// sweepOptions are the flags that sweep and plan sweep share.
type sweepOptions struct {
	options
	depths, blocks, jobs, pattern string
	load                          bool
}

func newSweep(e *env.Env) *cobra.Command {
	var o sweepOptions
	var f savingFlags
	cmd := &cobra.Command{
		Use:   "sweep TARGET",
		Short: "Measure one pattern over depths, block sizes and jobs, or over offered rates",
		Long: `Measures one pattern in every combination of queue depth, block size and jobs. The
cells are visited in random order, several times, each with its interval and verdict.

With --load it offers I/Os at seven rates, from 10 % to 95 % of what a closed loop of
depth 64 has reached, and tells what latency each rate costs, and where the knee is:
the largest rate at which p99 is at most twice that at the lowest, and at least 98 % of
the rate is achieved. The load is open: I/Os are due at random times whether or not
earlier ones have ended, and latencies count from when an I/O was due.

Targets are those of loadline run, and so is what happens to them: a file of its own in
a directory; an existing device, image or file is only read unless --destroy-data-on
names it. The plan with its bound of time is printed before anything is measured.

Exit codes: 0 measured; 1 failed; 2 refused before any I/O, with the reason; 5 measured,
but a cell is invalid; 130 interrupted (what was measured is kept).`,
		Example: `  loadline sweep /var/lib/postgresql --depth 1,4,16 --bs 4k,64k
  loadline sweep /var/lib/postgresql --rw randwrite --bs 8k`,
		Args: exactly(1, "one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			by, err := o.scenario(cmd)
			if err != nil {
				return err
			}
			return f.carryOut(cmd.Context(), e, &o.options, args[0], by)
		},
	}
	o.register(cmd)
	f.register(cmd, inRun)
	return cmd
}

func (o *sweepOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	d := sweep.GridDefaults()
	f.StringVar(&o.pattern, "rw", d.Pattern, "the pattern: "+strings.Join(sweep.Patterns, ", "))
	f.StringVar(&o.depths, "depth", joined(d.Depths, strconv.Itoa), "queue depths of each job")
	f.StringVar(&o.blocks, "bs", joined(d.BlockSizes, units.FormatBlock), "block sizes (with --load: one, 4k by default)")
	f.StringVar(&o.jobs, "jobs", joined(d.Jobs, strconv.Itoa), "numbers of concurrent submitters")
	f.BoolVar(&o.load, "load", false, "offer rates instead: latency against load, and its knee")
	o.registerBounds(cmd)
	o.registerRest(cmd)
}

// scenario reads the flags of the sweep. What cannot be read is refused here, what
// makes no sense when the workloads are made.
func (o *sweepOptions) scenario(cmd *cobra.Command) (scenario, error) {
	r := sweep.GridDefaults()
	if o.load {
		r = sweep.LoadDefaults()
	}
	r.Pattern = o.pattern
	var err error
	for _, l := range []struct {
		flag, text string
		read       func(string) error
	}{
		{"depth", o.depths, func(s string) error { r.Depths, err = parseList("--depth", s, strconv.Atoi); return err }},
		{"bs", o.blocks, func(s string) error { r.BlockSizes, err = parseList("--bs", s, units.ParseSize); return err }},
		{"jobs", o.jobs, func(s string) error { r.Jobs, err = parseList("--jobs", s, strconv.Atoi); return err }},
	} {
		if !cmd.Flags().Changed(l.flag) {
			continue
		}
		if err := l.read(l.text); err != nil {
			return scenario{}, err
		}
	}
	return scenario{
		shape: func(exp *model.Experiment) { exp.Scenario, exp.Profile, exp.Sweep = sweep.Name, "", &r },
		workloads: func(_ *env.Env, exp model.Experiment, _ func(string)) (profile.Profile, error) {
			return sweep.Profile(*exp.Sweep)
		},
		build: sweep.Build,
	}, nil
}

// parseList reads a list with commas; "" is an empty one.
func parseList[V any](flag, s string, read func(string) (V, error)) ([]V, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	var values []V
	for word := range strings.SplitSeq(s, ",") {
		word = strings.TrimSpace(word)
		v, err := read(word)
		if err != nil {
			what := fmt.Sprintf("%s: %q is no whole number", flag, word)
			if flag == "--bs" {
				what = fmt.Sprintf("%s: %v", flag, err)
			}
			return nil, model.RefusedError(what, "write a list with commas, such as "+flag+" "+map[bool]string{true: "4k,64k", false: "1,2,4"}[flag == "--bs"])
		}
		values = append(values, v)
	}
	return values, nil
}

// joined writes a list as a flag takes it.
func joined[V any](values []V, write func(V) string) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = write(v)
	}
	return strings.Join(words, ",")
}
