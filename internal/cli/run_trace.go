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
	cmd.Flags().BoolVar(&f.observed.Trace, traceFlag, false, "also plan a trace of the run; for Kubernetes, show the pod that traces")
}

// registerAmplification adds it to a verb that plans.
func (f *planFlags) registerAmplification(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.observed.Amplification, amplificationFlag, false, "plan with counting the I/Os of the disks behind the volume, and show the pod that counts")
}
