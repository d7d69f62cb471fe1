package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
)

// checkedElsewhere are flags for Kubernetes whose own refusals know better what they need.
var checkedElsewhere = []string{"all-namespaces", "client-node", "baseline-client-node", "in-cluster", "detach", "hold", "service-account"}

// isForPods reports whether a flag of a measuring command says how to reach a cluster, or how pods are created in it.
func isForPods(cmd *cobra.Command, name string) bool {
	switch {
	case cmd.Flags().Lookup("access-mode") == nil || flags.GroupOf(name) != flags.Kubernetes || slices.Contains(checkedElsewhere, name):
		return false
	case name == "image":
		// That of an application is refused with the application.
		return cmd.Flags().Lookup("worker-image") == nil
	}
	return true
}

// typedKey is the context key of the flags that were typed.
type typedKey struct{}

// storeTyped stores which flags were typed. It must run before values from the configuration are applied: these are for
// the commands that they concern, and not a mistake in the others.
func storeTyped(cmd *cobra.Command) {
	var names []string
	cmd.Flags().Visit(func(f *pflag.Flag) { names = append(names, f.Name) })
	cmd.SetContext(context.WithValue(cmd.Context(), typedKey{}, names))
}

// typed returns the flags that were typed.
func typed(cmd *cobra.Command) []string {
	names, _ := cmd.Context().Value(typedKey{}).([]string)
	return names
}

// refuseTypedForPods refuses flags for pods if nothing that is measured is in a cluster: whoever types --node wants to
// measure that node, and this machine would be measured instead.
func refuseTypedForPods(cmd *cobra.Command, exp model.Experiment) error {
	var names []string
	for _, name := range typed(cmd) {
		if isForPods(cmd, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 || usesCluster(exp) || slices.ContainsFunc(append([]string{"amplification"}, checkedElsewhere...), cmd.Flags().Changed) {
		return nil
	}
	flags, verb, it := "--"+strings.Join(names, ", --"), "is", "it"
	if len(names) > 1 {
		verb, it = "are", "them"
	}
	return model.RefusedError(fmt.Sprintf("%s %s for targets in a Kubernetes cluster, and nothing that is measured here is in one", flags, verb),
		"leave "+it+" out, or name sc:CLASS or pvc:NAMESPACE/CLAIM as the target")
}

// usesCluster reports whether anything that an experiment measures is in a cluster, a log included.
func usesCluster(exp model.Experiment) bool {
	places := session.Targets(exp)
	if exp.App != nil {
		places = append(places, exp.App.Log, exp.App.BaselineLog)
	}
	return slices.ContainsFunc(places, target.InCluster)
}

// targetsInCluster reports whether one of the targets of a command is in a cluster, and whether it names any: it may
// leave them to --experiment.
func targetsInCluster(cmd *cobra.Command, args []string) (inCluster, any bool) {
	places := slices.Clone(args)
	for _, name := range []string{"baseline", "wal", "baseline-wal"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			places = append(places, f.Value.String())
		}
	}
	return slices.ContainsFunc(places, target.InCluster), len(args) > 0
}

// withoutPods returns the command without flags for pods, unless the experiment uses a cluster.
func withoutPods(c model.CommandLine, exp model.Experiment) model.CommandLine {
	if usesCluster(exp) {
		return c
	}
	return slices.DeleteFunc(slices.Clone(c), func(word string) bool {
		name, isFlag := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(name, "=")
		if name == "image" && c.Application() != "" {
			return false // part of the request for the application, which refuses it by itself
		}
		return isFlag && flags.GroupOf(name) == flags.Kubernetes && !slices.Contains(checkedElsewhere, name)
	})
}
