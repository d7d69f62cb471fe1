// Package jobs is this end of a measurement that a Job in a Kubernetes cluster drives: the
// files that it takes along, its progress, and the way home of what it has measured.
//
// Its opinion: the work outlives the connection, the terminal and this machine, so nothing
// here is needed for it to go on; and what was measured comes home whole, or the error says
// where it still waits or what of it is lost. The other end is archive, in the Job's pod.
package jobs
