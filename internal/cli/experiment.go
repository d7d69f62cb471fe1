package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/foreign/imported"
	"github.com/loadline/loadline/internal/foreign/kbench"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/plan/command"
	"github.com/loadline/loadline/internal/plan/profile"
	"github.com/loadline/loadline/internal/plan/sweep"
)

// experimentFlag is the flag that repeats a saved experiment.
const experimentFlag = "experiment"

// programsFlag permits an experiment to start programs.
const programsFlag = "allow-programs"

// unlessRepeated is an argument check for a command without --experiment. With it the targets
// may be omitted; then those of the experiment are used.
func (o *options) unlessRepeated(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if o.experimentFile != "" {
			return nil
		}
		return check(cmd, args)
	}
}

// requestedExperiment returns the experiment of a command line: that of its flags, or that of
// --experiment. It is self-contained: the files that it names are included.
func (o *options) requestedExperiment(e *env.Env, cmd *cobra.Command, args []string, flags func() (model.Experiment, error)) (exp model.Experiment, err error) {
	if o.experimentFile != "" {
		exp, err = o.repeatedExperiment(e, cmd, args)
	} else if exp, err = flags(); err == nil {
		exp.Place = o.places.Placement()
	}
	if err == nil {
		err = refuseTypedForPods(cmd, exp)
	}
	if err != nil {
		return exp, err
	}
	return exp, session.Inline(e, &exp)
}

// repeatedExperiment reads the experiment and applies the command line's flags for where to measure.
func (o *options) repeatedExperiment(e *env.Env, cmd *cobra.Command, args []string) (exp model.Experiment, err error) {
	if err := checkExperimentFlags(cmd); err != nil {
		return exp, err
	}
	file, exp, err := session.ReadExperiment(e, o.experimentFile)
	if err != nil {
		return exp, err
	}
	if err := o.checkVerb(cmd, exp, file); err != nil {
		return exp, err
	}
	if err := session.ReplaceTargets(&exp, args); err != nil {
		return exp, usage.New(err, cmd.CommandPath()+" --help")
	}
	changed := cmd.Flags().Changed
	permission := session.Permission{Typed: args, Programs: o.programs, FSGroup: changed("fs-group")}
	if err := o.places.Permit(&exp, file, permission); err != nil {
		return exp, err
	}
	if err := checkFields(e, exp, file); err != nil {
		return exp, err
	}
	if changed("note") {
		exp.Note = o.note
	}
	labels, err := o.label.Labels()
	if err != nil {
		return exp, err
	}
	exp.Labels = exp.Labels.With(labels)
	o.places.Restore(exp.Place, changed)
	exp.Place = o.places.Placement()
	if exp.Scenario != sweep.Name && exp.Profile == "" && exp.Job == "" {
		exp.Profile = profile.Default
	}
	session.FillDefaults(&exp)
	return exp, nil
}

// checkExperimentFlags refuses flags that would change what is measured.
func checkExperimentFlags(cmd *cobra.Command) error {
	wrong := disallowedFlags(cmd, flagtable.WithExperiment)
	if wrong == "" {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("--%s repeats an experiment, but %s would change it", experimentFlag, wrong),
		"leave it out, or edit a copy of the file, which is YAML")
}

// checkVerb refuses an experiment of another command; run and plan accept all of them.
func (o *options) checkVerb(cmd *cobra.Command, exp model.Experiment, file string) error {
	verb, known := command.OfScenario(exp.Scenario)
	again := verb
	if exp.App != nil {
		// Its own command does not repeat experiments.
		verb, again = "app "+exp.App.Name, "run"
	}
	switch {
	case exp.Scenario == kbench.Scenario:
		return model.RefusedError(file+" is a run of loadline kbench", "loadline kbench, with the same variables")
	case exp.Scenario == imported.Scenario:
		return model.RefusedError(file+" contains another tool's results", "measure with loadline run TARGET")
	case known && cmd.Name() != verb && cmd.Name() != "run" && cmd.Name() != "plan":
		return model.RefusedError(fmt.Sprintf("%s is an experiment of loadline %s, and this is loadline %s", file, verb, cmd.Name()),
			fmt.Sprintf("loadline %s --%s %s", again, experimentFlag, safetext.ShellWord(o.experimentFile)))
	}
	return nil
}

// commandLine returns the command to change and type again: the command as it was understood or, for an
// experiment that was read (a Job's is in its pod), the equivalent command with flags.
func (o *options) commandLine(ctx context.Context, exp model.Experiment) model.CommandLine {
	// On the command line a script is a file, but an experiment contains its text.
	if o.experimentFile == "" || exp.App != nil && exp.App.Ask.Script != "" {
		return withoutPods(flags.CommandLine(ctx), exp)
	}
	c := command.Of(exp, o.places.Destroy, session.Applications())
	if o.experimentFile == kube.ExperimentPath {
		return c // typed by a Job: its folder is in its pod
	}
	for _, name := range flagtable.Names(flagtable.BesideExperiment) {
		if len(c.Flags(name)) == 0 {
			c = append(c, flags.CommandLine(ctx).Flags(name)...)
		}
	}
	return withoutPods(c, exp)
}
