package kube

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/loadline/loadline/internal/model"
)

// TracerCapabilities are the capabilities that the kernel requires for tracing: a tracer's pod has
// these and no others. Root without them may not trace, and in a pod only root gets them.
var TracerCapabilities = []string{"BPF", "PERFMON"}

// TracerSpec is a pod that traces the block layer of its node. It has no user volume and no
// namespace of the node, and is not privileged.
type TracerSpec struct {
	Name string
	Made
	// Where names the node. Its Resources and Application apply to the measuring pods only.
	Where
	Command []string
	// Directories are directories of the node. The pod mounts them read-only, to find out which devices
	// hold them, and only counts what those do: it is not root and has no capability.
	Directories []string
}

// DirectoryPath returns where a tracer's pod has the nth of its directories.
func DirectoryPath(nth int) string { return fmt.Sprintf("/disks/%d", nth+1) }

// tracer returns the pod of a spec: a worker's pod except for the volume, and for the user and the two
// capabilities, or the directories.
func (c *Client) tracer(s TracerSpec) *corev1.Pod {
	s.Application, s.Resources = "", nil
	if len(s.Directories) > 0 {
		return c.counter(s)
	}
	root := int64(0)
	pod := c.manifest(PodSpec{Name: s.Name, Made: s.Made, Where: s.Where, Command: s.Command, Identity: Identity{User: &root, Group: &root}})
	rights := pod.Spec.Containers[0].SecurityContext.Capabilities
	for _, name := range TracerCapabilities {
		rights.Add = append(rights.Add, corev1.Capability(name))
	}
	return pod
}

// counter returns the pod that counts what the devices below directories of its node do. To the numbers
// of the devices of a mounted directory everybody has access; its files are those of root.
func (c *Client) counter(s TracerSpec) *corev1.Pod {
	pod := c.manifest(PodSpec{Name: s.Name, Made: s.Made, Where: s.Where, Command: s.Command})
	kind := corev1.HostPathDirectory
	for i, dir := range s.Directories {
		name := fmt.Sprintf("disk%d", i+1)
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: dir, Type: &kind}}})
		pod.Spec.Containers[0].VolumeMounts = append(pod.Spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: name, MountPath: DirectoryPath(i), ReadOnly: true})
	}
	return pod
}

// MakeTracer makes the pod and returns its UID.
func (c *Client) MakeTracer(ctx context.Context, s TracerSpec) (uid string, err error) {
	if err := s.Check(); err != nil {
		return "", err
	}
	uid, err = c.create(ctx, "pod", c.tracer(s))
	return uid, c.explainTracer(s, err)
}

// TryTracer checks whether the cluster would accept the pod, without making anything.
func (c *Client) TryTracer(ctx context.Context, s TracerSpec) error {
	if err := s.Check(); err != nil {
		return err
	}
	return c.explainTracer(s, c.dryRun(ctx, c.tracer(s)))
}

// explainTracer adds what to do if Pod Security refuses the pod.
func (c *Client) explainTracer(s TracerSpec, err error) error {
	var refused *model.WorkerError
	if !errors.As(err, &refused) || !RefusedByPodSecurity(err) {
		return err
	}
	flag, needs, them := "--trace", "the capabilities BPF and PERFMON", "them"
	if len(s.Directories) > 0 {
		flag, needs, them = "--amplification", "a directory of the node mounted read-only (hostPath)", "it"
	}
	return model.RefusedError(fmt.Sprintf("%s needs a pod with %s, and the Pod Security standard of the namespace %s does not allow %s: %s", flag, needs, c.Namespace, them, words(err)),
		fmt.Sprintf("leave %s out, or have the namespace allow it while you measure: kubectl label --overwrite namespace %s pod-security.kubernetes.io/enforce=privileged", flag, c.Namespace))
}

// TracerManifest returns what MakeTracer makes, as YAML.
func (c *Client) TracerManifest(s TracerSpec) ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	return document(c.tracer(s))
}
