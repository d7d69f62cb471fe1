// Package cli is the command line: one file per verb, and all the wiring. Its
// assumptions: a verb reads its flags, builds what it needs from the other packages,
// and turns their errors into a sentence, a hint and a documented exit code;
// results go to standard output, everything else to standard error.
package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/settings"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/worker"
	"github.com/loadline/loadline/internal/show/screen"
)

// Run executes the command line of e and returns the exit code.
func Run(ctx context.Context, e *env.Env) int {
	out := &screen.Output{Writer: e.Stdout}
	watched := *e
	watched.Stdout = out
	e = screen.Sanitized(screen.WithEvents(&watched))
	code := execute(ctx, e)
	if code == exitOK {
		code = outputCode(e, out)
	}
	if screen.EmitsEvents(e) {
		screen.Events(e).End(code)
	}
	return code
}

// execute executes the command line and explains any error.
func execute(ctx context.Context, e *env.Env) int {
	root := newRoot(e)
	preferPaths(e, root)
	root.SetArgs(e.Args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var code exitCode
	if errors.As(err, &code) {
		return int(code)
	}
	return reportError(ctx, e, err)
}

// Commands returns the command tree, from which the manual pages are generated.
func Commands(e *env.Env) *cobra.Command { return newRoot(e) }

// commandGroups are the program's commands, grouped as its help shows them.
var commandGroups = []flags.CommandGroup{
	{Title: "Measure", Names: []string{"run", "compare", "sweep", "scale", "app", "durability", "trace"}},
	{Title: "Prepare", Names: []string{"doctor", "plan"}},
	{Title: "Analyze and show", Names: []string{"analyze", "report", "explain", "predict", "size", "import", "serve"}},
	{Title: "Kubernetes and Kbench", Names: []string{"fetch", "cleanup", "kbench"}},
}

// newRoot builds the command tree.
func newRoot(e *env.Env) *cobra.Command {
	s := settings.New(e, func() *cobra.Command { return unusedRoot(e) }, doesNotApply)
	root := &cobra.Command{
		Use:   "loadline",
		Short: "A storage benchmark you can believe",
		Long: `Loadline measures how much I/O a directory, a file, a block device, an NBD or Ceph
volume or a Kubernetes StorageClass can sustain, with an interval and a verdict on every
number. It says which of two systems is better, and how much storage a workload needs.

Exit codes: 0 fine; 1 failed; 2 refused before any I/O; 3 a goal was missed;
4 a regression; 5 measured, but invalid; 6 inconclusive; 130 interrupted. Each
command's help lists the ones it uses.`,
		Example: `  loadline run /var/lib/postgresql
  loadline doctor`,
		Version:       worker.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          usage.UnknownCommand,
		// No command may have a PersistentPreRunE of its own: it would replace this one.
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.RefuseEmpty(cmd); err != nil {
				return err
			}
			flags.StoreTyped(cmd)
			if err := s.Take(cmd, args); err != nil {
				return err
			}
			flags.StoreCommandLine(cmd, args, settings.NoFile)
			return beginProgress(e, cmd)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SetVersionTemplate("loadline {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage.UnknownFlag(e, cmd, err)
	})
	root.AddCommand(newRun(e), newCompare(e), newSweep(e), newScale(e), newSize(e), newPlan(e), newAnalyze(e), newDoctor(e), newCleanup(e), newDurability(e), newDurabilityWriter(e), newAgent(e), newCompletion(e), newLicenses(e))
	root.AddCommand(newFetch(e), newJob(e, Run))
	root.AddCommand(newApp(e))
	root.AddCommand(newServe(e))
	root.AddCommand(newReport(e))
	root.AddCommand(newExplain(e))
	root.AddCommand(newPredict(e))
	root.AddCommand(newImport(e))
	root.AddCommand(newKbench(e))
	root.AddCommand(newTrace(e))
	root.AddCommand(newVersion(e))
	root.AddCommand(newConfig(e, s))
	for _, c := range root.Commands() {
		if slices.Contains([]string{"analyze", "report", "explain", "size", "import"}, c.Name()) {
			c.RunE = interruptible(c.RunE)
		}
	}
	root.SetHelpCommand(newHelp())
	registerVerbose(e, root)
	registerYes(e, root)
	root.CompletionOptions.DisableDefaultCmd = true
	s.Register(root)
	flags.OneLine(root)
	flags.Help(e, root, commandGroups)
	return root
}
