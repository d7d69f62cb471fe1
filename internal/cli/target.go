package cli

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

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
