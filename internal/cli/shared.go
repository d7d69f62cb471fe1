package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
)

// defaultResults is the directory that run directories are created in.
const defaultResults = "loadline-results"

// registerChild adds the hidden flag that runs the workers of this machine as processes.
func registerChild(cmd *cobra.Command, child *bool) {
	cmd.Flags().BoolVar(child, "child-worker", false, "run the worker as a separate process")
	_ = cmd.Flags().MarkHidden("child-worker")
}

// recordedCommand returns the command line to record, without secrets.
func recordedCommand(e *env.Env) []string {
	return secrets.MaskCommand(append([]string{"loadline"}, e.Args...))
}

// refuseCluster refuses cluster targets, for verbs that do not support them.
func refuseCluster(t model.Target, verb string) error {
	if t.Cluster == nil {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s is in a Kubernetes cluster, but %s tests the machine it runs on", t.Name, verb),
		fmt.Sprintf("run it in a pod that mounts the volume: kubectl exec POD -- loadline %s /volume", verb))
}

// createFlag is the help text of --create.
const createFlag = "TARGET does not exist: create it as a new file, and remove it at the end"
