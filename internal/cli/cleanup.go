package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/volume"
)

func newCleanup(e *env.Env) *cobra.Command {
	var cluster clusterFlags
	var everywhere, force bool
	cmd := &cobra.Command{
		Use:   "cleanup DIR | cleanup --namespace NAME",
		Short: "Remove what a killed run left in a directory or in a cluster",
		Long: `Finds Loadline's own data files in DIR (by their name, and only those that no living
run holds) and removes them. Nothing else is touched.

Without DIR it looks into a Kubernetes cluster, for the pods, claims and Jobs (with
their rights) that carry Loadline's label: in one namespace, or with --all-namespaces
in all. Those of a run that is still going on stay, and so does a Job whose results
nobody has fetched, unless --force says otherwise.

Exit codes: 0 fine, also when there was nothing; 1 something could not be removed;
2 usage.`,
		Example: `  loadline cleanup /var/lib/postgresql
  loadline cleanup .`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 0 && namesCluster(cmd) {
				return nil
			}
			return exactly(1, "one DIR, or --namespace, --all-namespaces, --context or --kubeconfig for a cluster")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cleanupCluster(cmd.Context(), e, cluster.access, everywhere, force)
			}
			if namesCluster(cmd) {
				return model.RefusedError("a directory and a cluster are cleaned one at a time", "leave out "+args[0]+", or the flags for Kubernetes")
			}
			return cleanupDirectory(e, args[0])
		},
	}
	cluster.registerAccess(cmd)
	cmd.Flags().BoolVarP(&everywhere, "all-namespaces", "A", false, "Kubernetes: in all namespaces")
	cmd.Flags().BoolVar(&force, "force", false, "Kubernetes: also what a run uses that seems to be alive")
	return cmd
}

// namesCluster tells that the flags ask for a cluster.
func namesCluster(cmd *cobra.Command) bool {
	for _, name := range []string{"namespace", "context", "kubeconfig", "all-namespaces"} {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

func cleanupDirectory(e *env.Env, dir string) error {
	t, err := parseTarget(dir)
	if err != nil {
		return err
	}
	if inCluster(t) {
		return model.RefusedError(fmt.Sprintf("%s is in a Kubernetes cluster, which is cleaned by namespace", dir), "loadline cleanup --namespace NAME, or --all-namespaces")
	}
	if t.Kind != model.Directory {
		return model.RefusedError(fmt.Sprintf("%s is no directory: own data files lie only in directories", dir), "")
	}
	files, err := volume.Leftovers(t.Path)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := volume.Remove(f); err != nil {
			return model.BrokenError(fmt.Sprintf("%s could not be removed: %v", f, err), "")
		}
		fmt.Fprintf(e.Stdout, "removed %s\n", f)
	}
	if len(files) == 0 {
		fmt.Fprintf(e.Stdout, "nothing to remove in %s\n", dir)
	}
	return nil
}
