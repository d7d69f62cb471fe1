package cli

import (
	"github.com/spf13/cobra"
)

// The names of the flags that ask for something to be observed during a run.
const (
	traceFlag         = "trace"
	amplificationFlag = "amplification"
)

// tracerHelp is appended to the help of --trace by verbs that measure in a cluster.
const tracerHelp = " (in Kubernetes by a pod with the capabilities BPF and PERFMON)"

// registerTrace adds --trace; whose says whose device is traced.
func (f *measureFlags) registerTrace(cmd *cobra.Command, whose string) {
	cmd.Flags().BoolVar(&f.observed.Trace, traceFlag, false, "trace "+whose+" during the run, and save the trace with it (see loadline trace)")
}

// registerAmplification adds --amplification.
func (f *measureFlags) registerAmplification(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.observed.Amplification, amplificationFlag, false,
		"count the I/Os of all disks with a replica of the volume, for each of the client's (Longhorn; in pods that mount the replicas' directories read-only)")
}

// registerTrace adds --trace to a verb that plans.
func (f *planFlags) registerTrace(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.observed.Trace, traceFlag, false, "plan with a trace beside the run; for Kubernetes, show the pod that traces")
}

// registerAmplification adds it to a verb that plans.
func (f *planFlags) registerAmplification(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.observed.Amplification, amplificationFlag, false, "plan with counting the I/Os of the disks behind the volume, and show the pod that counts")
}

// tracerWords explain what a tracer pod is for.
const tracerWords = `# With --trace, such a pod on each node that has a volume as well, removed at the end. It has
# the capabilities BPF and PERFMON, because the kernel lets nobody without them trace it, and
# nothing else of the node: no privileges, no namespaces, no paths. The pods that measure have
# no capability.
`

// counterWords explain what a counting pod is for.
const counterWords = `# With --amplification, such a pod on each node that has a replica, removed at the end. It
# mounts the directories in which the storage system keeps replicas there (the path below is the
# default; the volume's own is read from its replicas), read-only, because only that tells which disks hold
# them; what those do, it reads from /sys. It is not root and has no capability, so it cannot
# read the replicas, which are root's. The pods that measure mount nothing of the node.
`
