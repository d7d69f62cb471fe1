package kube

import (
	corev1 "k8s.io/api/core/v1"
)

// WorkerID is the user and the group that a worker runs as where nothing else is known.
const WorkerID int64 = 10001

// Identity is as whom a pod's processes work on a volume. The zero one changes nothing of it.
type Identity struct {
	// User and Group are WorkerID where they are nil.
	User, Group *int64
	// Groups are more groups of the processes. The volume does not change for them.
	Groups []int64
	// FSGroup is a group that Kubernetes gives the whole volume to before the pod starts:
	// every file's group and mode are changed, permanently. 0 changes nothing.
	FSGroup int64
	// Level is the SELinux level of the processes ("s0:c1,c2"); empty lets the node draw
	// one, and on a node with SELinux the volume is then labelled with that.
	Level string
}

// Own is the identity on a volume that was made for the run: it is ours to give away.
func Own() Identity { return Identity{FSGroup: WorkerID} }

// IDs are the numbers of the user and the group.
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
	if id.FSGroup != 0 {
		// A volume whose top directory has the group already is left as it is.
		policy := corev1.FSGroupChangeOnRootMismatch
		c.FSGroup, c.FSGroupChangePolicy = &id.FSGroup, &policy
	}
	if id.Level != "" {
		c.SELinuxOptions = &corev1.SELinuxOptions{Level: id.Level}
	}
	return c
}
