package kube

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// User is a pod that uses a claim.
type User struct {
	Name string
	// Node is the node it runs on, or will run on; "" while that is unknown.
	Node string
	// Run is our label, "" for a pod that is not ours.
	Run string
	// As is the identity under which the pod uses the claim, as far as its manifest states it.
	As Stated
}

// Stated is the identity in a pod's manifest. Values that are left to the image or to the node are
// nil or empty.
type Stated struct {
	User, Group *int64
	// Groups are the supplementary groups of its processes, including the volume's fsGroup.
	Groups []int64
	Level  string
}

// UsedBy lists the pods that use the claim now, or will as soon as they start, except those of the
// run ("" for none).
func (c *Client) UsedBy(ctx context.Context, namespace, claim, run string) (users []User, err error) {
	var all corev1.PodList
	if err := c.list(ctx, c.core, namespace, "pods", "", "", &all); err != nil {
		return nil, err
	}
	for i := range all.Items {
		p := &all.Items[i]
		if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed || run != "" && p.Labels[Label] == run {
			continue
		}
		for _, v := range p.Spec.Volumes {
			named := v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim
			// The claim of an ephemeral volume is named after both.
			if named || v.Ephemeral != nil && p.Name+"-"+v.Name == claim {
				users = append(users, User{Name: p.Name, Node: p.Spec.NodeName, Run: p.Labels[Label], As: stated(&p.Spec, v.Name)})
				break
			}
		}
	}
	return users, nil
}

// stated returns the identity of the first container that uses a volume of the pod.
func stated(pod *corev1.PodSpec, volume string) Stated {
	var s Stated
	if of := pod.SecurityContext; of != nil {
		s.User, s.Group, s.Groups = of.RunAsUser, of.RunAsGroup, slices.Clone(of.SupplementalGroups)
		if of.FSGroup != nil && !slices.Contains(s.Groups, *of.FSGroup) {
			s.Groups = append(s.Groups, *of.FSGroup)
		}
		if of.SELinuxOptions != nil {
			s.Level = of.SELinuxOptions.Level
		}
	}
	for _, c := range pod.Containers {
		if !mounts(c, volume) {
			continue
		}
		if own := c.SecurityContext; own != nil {
			if own.RunAsUser != nil {
				s.User = own.RunAsUser
			}
			if own.RunAsGroup != nil {
				s.Group = own.RunAsGroup
			}
			if own.SELinuxOptions != nil {
				s.Level = own.SELinuxOptions.Level
			}
		}
		break
	}
	return s
}

func mounts(c corev1.Container, volume string) bool {
	return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == volume }) ||
		slices.ContainsFunc(c.VolumeDevices, func(d corev1.VolumeDevice) bool { return d.Name == volume })
}
