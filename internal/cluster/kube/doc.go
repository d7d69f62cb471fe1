// Package kube is the only importer of client-go: it makes claims and pods, waits for them and
// reports the reasons for waiting, runs programs in pods, and removes what carries our label.
//
// Its assumptions: the cluster's own messages (events, conditions, the scheduler's message) are the
// explanation, so every error quotes them; a missing right is named by its verb and resource; and
// only the few kinds that Loadline needs are linked in, because a client for all of them would make
// every verb slow to start.
package kube
