// Package jobs is the local end of a measurement that is driven by a Job in a Kubernetes cluster:
// it provides the files that the Job needs, shows its progress, and fetches its results.
//
// Its assumptions: the work outlives the connection, the terminal and this machine, so nothing here is
// needed for it to continue; and results arrive complete, or the error says where they still are or
// what part of them is lost. The other end is package archive, in the Job's pod.
package jobs
