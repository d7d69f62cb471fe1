package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// options are the flags that run and plan share. They are read as text and
// checked together, so that one wrong flag is one sentence.
type options struct {
	profile, job, size, precision string
	maxTime, maxPrefill, fixed    string
	rampTime, note                string
	only, skip, goals             []string
	untilSteady                   bool
	repeat                        int
	// experimentFile is the file or directory of --experiment.
	experimentFile string
	// programs permits the programs that the experiment's application server and load tool start.
	programs bool
	evidence flags.Evidence
	label    flags.Label
	places   session.Places
	seed     uint64
}

// register adds the flags of run and plan.
func (o *options) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.profile, "profile", "standard", "workloads to run: "+strings.Join(profile.Names(), ", ")+", or a FILE.yaml of your own")
	flags.Verify(f, "profile", session.CheckProfile)
	f.StringVar(&o.job, "job", "", "run the sections of your own fio job `FILE` instead of a profile")
	f.StringSliceVar(&o.only, "only", nil, "only these workloads (names or patterns such as 'rand-*')")
	f.StringSliceVar(&o.skip, "skip", nil, "not these workloads")
	o.registerBounds(cmd)
	f.StringVar(&o.fixed, "time", "", "one repeat of this fixed length per workload, as Kbench does (20s), instead of several short ones in random order")
	f.StringVar(&o.rampTime, "ramp-time", "", "with --time: unmeasured time before each repeat (default: a quarter of --time, at most 5s)")
	f.BoolVar(&o.untilSteady, "until-steady", false, "one long repeat per workload, until the series is steady; --max-time is then per workload")
	o.registerRest(cmd)
}

// registerBounds adds the flags that limit the data and time of a measurement.
func (o *options) registerBounds(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.size, "size", "", "size of the data, such as 4GiB (default: 25 s of bandwidth, within limits)")
	f.StringVar(&o.precision, "precision", "", "relative half-width of the 95 % interval to measure until (default: the profile's, else 5%)")
	f.StringVar(&o.maxTime, "max-time", "", "maximum time of all repeats, such as 90s or 5m, up to 8760h; not included: the probe, the prefill, waits for the storage to settle, the check of the load generator (default: the profile's, else 5m; at least twice that if two targets are compared)")
	f.StringVar(&o.maxPrefill, "max-prefill", "", "maximum time for writing data before measuring (default: for an automatic size 30s, with quick 22s; with --size none)")
}

// registerRest adds the flags that every measurement of one target takes.
func (o *options) registerRest(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.experimentFile, experimentFlag, "", "repeat the experiment in this run directory or experiment `FILE`")
	f.BoolVar(&o.programs, programsFlag, false, "with --experiment: allow its database script and settings, which can start programs")
	flags.RepeatVar(f, &o.repeat, "at least this many repeats per workload (2 to 10000; default: 3, or 4 of each side when two are compared)")
	f.StringArrayVar(&o.places.Destroy, "destroy-data-on", nil, "allow overwriting this existing device, image or file; must name the `TARGET` (repeat for each)")
	f.BoolVar(&o.places.Create, "create", false, createFlag)
	flags.SeedVar(f, &o.seed)
	o.evidence.Register(cmd)
	f.StringVar(&o.note, "note", "", "a note to save with the run")
	o.label.Register(cmd)
	f.StringSliceVar(&o.places.Hosts, "hosts", nil, "measure on `HOSTS` over ssh, a list of machines with loadline and fio (several with scale, used in turn)")
	flags.Cluster(cmd, &o.places.Cluster)
}

// experiment checks the flags and returns the experiment that they describe.
func (o *options) experiment(target string) (model.Experiment, error) {
	exp := model.Experiment{
		Scenario: profile.Name, Target: target, Profile: o.profile, Job: o.job, Only: o.only, Skip: o.skip,
		UntilSteady: o.untilSteady, DestroyDataOn: o.places.DestroyOn(target), Seed: o.seed, Note: o.note,
		Repeat: o.repeat, Goals: o.goals,
	}
	if o.job != "" {
		exp.Profile = ""
	}
	if err := o.evidence.Apply(&exp); err != nil {
		return exp, err
	}
	var err error
	if exp.Labels, err = o.label.Labels(); err != nil {
		return exp, err
	}
	if o.size != "" {
		if exp.Size, err = flags.ParseData("--size", o.size); err != nil {
			return exp, err
		}
	}
	if o.precision != "" {
		if exp.Precision, err = flags.ParseShare("--precision", o.precision); err != nil {
			return exp, err
		}
	}
	for _, d := range []struct {
		flag, text string
		to         *float64
	}{
		{"--max-time", o.maxTime, &exp.MaxTime}, {"--max-prefill", o.maxPrefill, &exp.MaxPrefill},
		{"--time", o.fixed, &exp.Time}, {"--ramp-time", o.rampTime, &exp.RampTime},
	} {
		if *d.to, err = flags.ParseSpan(d.flag, d.text); err != nil {
			return exp, err
		}
	}
	session.FillDefaults(&exp)
	if exp.RampTime > 0 && exp.Time == 0 {
		return exp, model.RefusedError("--ramp-time needs --time: rounds have a ramp of their own", "add --time 20s, or leave --ramp-time out")
	}
	return exp, nil
}

func registerGoals(cmd *cobra.Command, o *options) {
	cmd.Flags().StringArrayVar(&o.goals, "goal", nil, "goal for a result, as 'WORKLOAD METRIC > VALUE' or '… < VALUE' (repeatable)")
}
