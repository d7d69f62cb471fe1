package kube

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/loadline/loadline/internal/model"
)

// Paths and names in the worker's pod.
const (
	// Container is the name of the pod's only container.
	Container = "worker"
	// MountPath is the volume's directory, DevicePath the raw device.
	MountPath  = "/volume"
	DevicePath = "/dev/loadline"
	// LogPath is the directory of an application's log, if the log has a claim of its own.
	LogPath = "/wal"
	// StatePath is a directory of the pod for the worker's state.
	StatePath = "/run/loadline"
	// AddressVariable is the environment variable that contains the pod's address.
	AddressVariable = "LOADLINE_ADDRESS"
)

// podGrace is how many seconds a worker has to remove its file when its pod is deleted.
const podGrace = 30

// PodSpec is a pod that runs a worker.
type PodSpec struct {
	Name string
	Made
	// Set makes a StatefulSet of that name, whose only pod is the worker's.
	Set bool
	// Claim is the volume's claim, "" for a pod without one.
	Claim string
	Block bool
	// Log is the claim of an application's log, "" if the log is with the data.
	Log string
	// Identity is the user and groups of the worker; even as root it has no capabilities.
	Identity Identity
	Where
	Command []string
	// Near is a preferred node, not a required one.
	Near string
	// Spread is how the pods of the run are spread over nodes.
	Spread Spread
	// Addressed passes the pod's address to the worker, in AddressVariable.
	Addressed bool
}

// Spread is how the pods of a run are spread over the nodes that may run them; empty if there is
// only one pod, or if all must be on one node.
type Spread string

// Hard forbids that a node has two more pods than another one; Soft only prefers that.
const (
	Hard Spread = "hard"
	Soft Spread = "soft"
)

// Where is the user's choice of image, node and resources for the pods.
type Where struct {
	// Image is the worker's image. Application is an image with an application's programs, in which
	// the worker runs next to them, "" for none: the worker's program is then copied from Image.
	Image, Application string
	PullSecret         string
	// Node is the name of a node, NodeSelector are labels that it must have.
	Node         string
	NodeSelector map[string]string
	// Apart is the name of a node to avoid; empty if Node is set.
	Apart string
	// Tolerations have the form of kubectl's taints: key[=value][:effect].
	Tolerations []string
	// Resources are requests and limits, such as "cpu": "2".
	Resources map[string]string
}

// Check refuses values that the API server would not accept.
func (w Where) Check() error {
	for _, t := range w.Tolerations {
		if _, err := parseToleration(t); err != nil {
			return err
		}
	}
	for _, image := range []string{w.Image, w.Application} {
		if image != "" && !imageName.MatchString(image) {
			return model.RefusedError(fmt.Sprintf("%q is not a valid image name", image), "write it like registry.example/name:tag")
		}
	}
	for name, quantity := range w.Resources {
		if _, err := resource.ParseQuantity(quantity); err != nil || name == "" {
			return model.RefusedError(fmt.Sprintf("--resources %s=%s is not a quantity", name, quantity), "write it like --resources cpu=2,memory=1Gi")
		}
	}
	return nil
}

// imageName matches whatever may be the name of an image: the cluster finds out whether it is one.
var imageName = regexp.MustCompile(`^[\w\[][\w.:/@\[\]+-]*$`)

// parseToleration reads key[=value][:effect]; "*" tolerates everything.
func parseToleration(s string) (corev1.Toleration, error) {
	if s == "*" {
		return corev1.Toleration{Operator: corev1.TolerationOpExists}, nil
	}
	rest, effect, _ := strings.Cut(s, ":")
	key, value, equal := strings.Cut(rest, "=")
	effects := []string{"", string(corev1.TaintEffectNoSchedule), string(corev1.TaintEffectPreferNoSchedule), string(corev1.TaintEffectNoExecute)}
	if key == "" || !slices.Contains(effects, effect) {
		return corev1.Toleration{}, model.RefusedError(fmt.Sprintf("--toleration %q is none", s),
			"write KEY, KEY=VALUE or KEY=VALUE:NoSchedule, as the taint is written; '*' tolerates all")
	}
	t := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffect(effect)}
	if equal {
		t.Operator, t.Value = corev1.TolerationOpEqual, value
	}
	return t, nil
}

// MakePod makes the pod, or its StatefulSet, and returns the UID of what it has made. The pod passes the
// Pod Security standard "restricted" unless it is to run as root.
func (c *Client) MakePod(ctx context.Context, s PodSpec) (uid string, err error) {
	if err := s.Check(); err != nil {
		return "", err
	}
	return c.create(ctx, s.Kind(), c.object(s))
}

// object returns what MakePod makes.
func (c *Client) object(s PodSpec) runtime.Object {
	if s.Set {
		return c.set(s)
	}
	return c.manifest(s)
}

func (c *Client) manifest(s PodSpec) *corev1.Pod {
	yes, no, grace := true, false, int64(podGrace)
	container := corev1.Container{
		Name: Container, Image: s.Image, Command: s.Command, ImagePullPolicy: corev1.PullIfNotPresent, Resources: resources(s.Resources),
		SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes,
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
		// fio and the runtime need a place for temporary files.
		Env:                      []corev1.EnvVar{{Name: "TMPDIR", Value: StatePath}, {Name: "HOME", Value: StatePath}},
		WorkingDir:               StatePath,
		VolumeMounts:             []corev1.VolumeMount{{Name: "state", MountPath: StatePath}},
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
	if s.Addressed {
		container.Env = append(container.Env, corev1.EnvVar{Name: AddressVariable, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"}}})
	}
	switch {
	case s.Claim == "":
	case s.Block:
		container.VolumeDevices = []corev1.VolumeDevice{{Name: "target", DevicePath: DevicePath}}
	default:
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: "target", MountPath: MountPath})
	}
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: s.Name, Namespace: c.Namespace, Labels: s.labels(), Annotations: s.notes()},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: &grace,
			AutomountServiceAccountToken: &no, EnableServiceLinks: &no, SecurityContext: s.Identity.context(),
			Containers:   []corev1.Container{container},
			NodeSelector: s.NodeSelector, Affinity: affinity(s), TopologySpreadConstraints: s.spread(),
			Volumes: []corev1.Volume{
				{Name: "state", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			},
		},
	}
	if s.Claim != "" {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "target", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: s.Claim}}})
	}
	if s.Application != "" {
		s.copyProgram(&pod.Spec)
	}
	if s.Log != "" {
		s.addLog(&pod.Spec)
	}
	s.admit(&pod.Spec)
	return pod
}

// spread keeps the pods of a run apart, on the nodes that may run them: those that match the pod's
// selector and whose taints it tolerates.
func (s PodSpec) spread() []corev1.TopologySpreadConstraint {
	if s.Spread == "" || s.Near != "" {
		// Spreading would work against the preference for the other side's node.
		return nil
	}
	honor, unsatisfiable := corev1.NodeInclusionPolicyHonor, corev1.DoNotSchedule
	if s.Spread == Soft {
		unsatisfiable = corev1.ScheduleAnyway
	}
	return []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: unsatisfiable,
		NodeAffinityPolicy: &honor, NodeTaintsPolicy: &honor,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{Label: s.Run}}}}
}

// admit sets what a pod needs in order to run on a node with its image.
func (w Where) admit(pod *corev1.PodSpec) {
	if w.PullSecret != "" {
		pod.ImagePullSecrets = []corev1.LocalObjectReference{{Name: w.PullSecret}}
	}
	for _, text := range w.Tolerations {
		if t, err := parseToleration(text); err == nil {
			pod.Tolerations = append(pod.Tolerations, t)
		}
	}
}

// resources requests little by default: a limit would throttle the load itself.
func resources(asked map[string]string) corev1.ResourceRequirements {
	r := corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("128Mi")}}
	for name, quantity := range asked {
		q, err := resource.ParseQuantity(quantity)
		if err != nil {
			continue
		}
		if r.Limits == nil {
			r.Limits = corev1.ResourceList{}
		}
		r.Requests[corev1.ResourceName(name)], r.Limits[corev1.ResourceName(name)] = q, q
	}
	return r
}

// affinity requires or prefers a node by its name. It leaves the choice to the scheduler (instead
// of setting spec.nodeName), so that a claim that waits for its first consumer is bound.
func affinity(s PodSpec) *corev1.Affinity {
	term := func(by corev1.NodeSelectorOperator, name string) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: by, Values: []string{name}}}}
	}
	required := func(t corev1.NodeSelectorTerm) *corev1.Affinity {
		return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{t}}}}
	}
	switch {
	case s.Node != "":
		return required(term(corev1.NodeSelectorOpIn, s.Node))
	case s.Apart != "":
		return required(term(corev1.NodeSelectorOpNotIn, s.Apart))
	case s.Near != "":
		return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
			{Weight: 100, Preference: term(corev1.NodeSelectorOpIn, s.Near)}}}}
	}
	return nil
}
