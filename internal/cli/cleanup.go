package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/cleanup"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
)

func newCleanup(e *env.Env) *cobra.Command {
	var at session.Cluster
	var everywhere, force bool
	cmd := &cobra.Command{
		Use:   "cleanup DIR|postgres://… | cleanup --namespace NAME",
		Short: "Remove what a killed run left in a directory, a database or a cluster",
		Long: `Finds Loadline's own data files in DIR and removes them: regular files that
are yours, have exactly such a name and no other link, and are not in use by a running
measurement. It also removes the directories of databases that were measured there
(loadline app), after stopping their servers, and what these left in shared memory.
The file of a durability test is kept until it has been checked (durability --resume): it
is listed, with the command. Nothing else is touched, not even a file that you named (run
--create, kbench run).

Without DIR it searches a Kubernetes cluster for the pods, claims and Jobs (with their
rights) that have Loadline's label: in one namespace, or in all with --all-namespaces.
Objects of a run in progress are kept, and so is a Job whose results have not been
fetched, unless --force is given.

Exit codes: 0 success, even if there was nothing to remove; 1 something could not be
removed; 2 usage; 130 interrupted.`,
		Example: `  loadline cleanup /var/lib/postgresql
  loadline cleanup .
  loadline cleanup postgres://bench@db1/bench`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 0 && namesCluster(cmd) {
				return nil
			}
			return usage.Exactly(1, "one DIR or postgres://…, or --namespace, --all-namespaces, --context or --kubeconfig for a cluster")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			tell := func(f cleanup.Found) { printFound(e, f) }
			switch {
			case len(args) == 0:
				return cleanupCluster(cmd.Context(), e, at.Access, everywhere, force)
			case strings.TrimSpace(args[0]) == "":
				return usage.EmptyDir(cmd)
			case namesCluster(cmd):
				return model.RefusedError("a directory and a cluster cannot be cleaned in one command", "leave out "+args[0]+", or the flags for Kubernetes")
			case target.IsServer(args[0]):
				return cleaned(e)(cleanup.Server(cmd.Context(), e, args[0], tell))
			}
			return cleaned(e)(cleanup.Directory(e, args[0], tell))
		},
	}
	flags.Access(cmd, &at)
	cmd.Flags().BoolVarP(&everywhere, "all-namespaces", "A", false, "Kubernetes: in all namespaces")
	cmd.Flags().BoolVar(&force, "force", false, "Kubernetes: also remove objects of a run that seems to be alive")
	return cmd
}

// namesCluster reports whether the flags ask for a cluster.
func namesCluster(cmd *cobra.Command) bool {
	return slices.ContainsFunc(flagtable.Names(flagtable.NamesCluster), cmd.Flags().Changed)
}

// printFound prints what was done with something that a run has left.
func printFound(e *env.Env, f cleanup.Found) {
	if f.Stays == "" {
		printLine(e.Stdout, "removed %s", f.Name)
		return
	}
	printLine(e.Stdout, "kept    %s: %s", f.Name, f.Stays)
	if f.Next != "" {
		printLine(e.Stdout, "  next: %s", f.Next)
	}
}

// cleaned returns what prints that there was nothing to remove.
func cleaned(e *env.Env) func(cleanup.Outcome, error) error {
	return func(done cleanup.Outcome, err error) error {
		if done.Nothing {
			printLine(e.Stdout, "nothing to remove in %s", done.Where)
		}
		return err
	}
}

// cleanupCluster removes the objects that carry our label and belong to no run in progress.
func cleanupCluster(ctx context.Context, e *env.Env, access kube.Access, everywhere, force bool) error {
	tell := func(f cleanup.Found) { printFound(e, f) }
	c, err := cleanup.FindInCluster(ctx, e, access, everywhere, force, tell)
	switch {
	case err != nil:
		return err
	case c.Nothing:
		return cleaned(e)(c.Outcome, nil)
	}
	return explained(ctx, e, c.Remove(ctx, tell))
}
