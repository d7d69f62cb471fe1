package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
)

// isForPods reports whether a flag of a measuring command says how to reach a cluster, or how pods are created in it.
func isForPods(cmd *cobra.Command, name string) bool {
	switch {
	case cmd.Flags().Lookup("access-mode") == nil || flags.GroupOf(name) != flagtable.Kubernetes || flagtable.Is(name, flagtable.OwnRefusal):
		return false
	case name == "image":
		// That of an application is refused with the application.
		return cmd.Flags().Lookup("worker-image") == nil
	}
	return true
}

// refuseTypedForPods refuses flags for pods if nothing that is measured is in a cluster: whoever types --node wants to
// measure that node, and this machine would be measured instead.
func refuseTypedForPods(cmd *cobra.Command, exp model.Experiment) error {
	var names []string
	for _, name := range flags.Typed(cmd) {
		if isForPods(cmd, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 || session.UsesCluster(exp) || slices.ContainsFunc(flagtable.Names(flagtable.OwnRefusal), cmd.Flags().Changed) {
		return nil
	}
	flags, verb, it := "--"+strings.Join(names, ", --"), "is", "it"
	if len(names) > 1 {
		verb, it = "are", "them"
	}
	return model.RefusedError(fmt.Sprintf("%s %s for targets in a Kubernetes cluster, and nothing that is measured here is in one", flags, verb),
		"leave "+it+" out, or name sc:CLASS or pvc:NAMESPACE/CLAIM as the target")
}

// targetsInCluster reports whether one of the targets of a command is in a cluster, and whether it names any: it may
// leave them to --experiment.
func targetsInCluster(cmd *cobra.Command, args []string) (inCluster, any bool) {
	places := slices.Clone(args)
	for _, name := range flagtable.Names(flagtable.NamesTarget) {
		// What may be overwritten is among the others.
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && flags.GroupOf(name) != flagtable.Safety {
			places = append(places, f.Value.String())
		}
	}
	return slices.ContainsFunc(places, target.InCluster), len(args) > 0
}

// withoutPods returns the command without flags for pods, unless the experiment uses a cluster.
func withoutPods(c model.CommandLine, exp model.Experiment) model.CommandLine {
	if session.UsesCluster(exp) {
		return c
	}
	return slices.DeleteFunc(slices.Clone(c), func(word string) bool {
		name, isFlag := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(name, "=")
		if name == "image" && c.Application() != "" {
			return false // part of the request for the application, which refuses it by itself
		}
		return isFlag && flags.GroupOf(name) == flagtable.Kubernetes && !flagtable.Is(name, flagtable.OwnRefusal)
	})
}
