package kube

import (
	corev1 "k8s.io/api/core/v1"
)

// WorkerID is the default user and group ID of a worker.
const WorkerID int64 = 10001

// Identity is the user and the groups under which a pod's processes access a volume. The zero value
// leaves the volume unchanged.
type Identity struct {
	// User and Group mean WorkerID if they are nil.
	User, Group *int64
	// Groups are supplementary groups of the processes. They do not change the volume.
	Groups []int64
	// FSGroup is a group to which Kubernetes gives the whole volume before the pod starts: it
	// changes the group and mode of every file, permanently. nil changes nothing; 0 is a group like others, root's.
	FSGroup *int64
	// Level is the processes' SELinux level ("s0:c1,c2"); if empty, the node picks one, and a node
	// with SELinux then relabels the volume with it.
	Level string
}

// Own returns the identity for a volume that was made for the run, whose ownership we may change.
func Own() Identity { return Identity{FSGroup: new(WorkerID)} }

// IDs returns the user and group IDs.
func (id Identity) IDs() (user, group int64) {
	user, group = WorkerID, WorkerID
	if id.User != nil {
		user = *id.User
	}
	if id.Group != nil {
		group = *id.Group
	}
	return user, group
}

func (id Identity) context() *corev1.PodSecurityContext {
	user, group := id.IDs()
	nonRoot := user != 0
	c := &corev1.PodSecurityContext{RunAsNonRoot: &nonRoot, RunAsUser: &user, RunAsGroup: &group, SupplementalGroups: id.Groups,
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}
	if id.FSGroup != nil {
		// A volume whose top directory already has the group is left unchanged.
		policy := corev1.FSGroupChangeOnRootMismatch
		c.FSGroup, c.FSGroupChangePolicy = id.FSGroup, &policy
	}
	if id.Level != "" {
		c.SELinuxOptions = &corev1.SELinuxOptions{Level: id.Level}
	}
	return c
}
