package kube

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/model/units"
)

// JobSpec is a Job that drives a measurement from inside the cluster.
type JobSpec struct {
	Name string
	Made
	// Where specifies the image, how to pull it, and what the pod tolerates; the placement of its
	// workers is part of Command.
	Where
	Command []string
	// Experiment is a document that Command finds at ExperimentPath; nil for none.
	Experiment []byte
	// Account is an existing ServiceAccount with the necessary rights; if "", one is made under the
	// Job's name, with a Role and a RoleBinding.
	Account string
}

const (
	// jobContainer is the name of the only container in a Job's pod.
	jobContainer = "loadline"
	// ResultsPath is where a Job's pod stores its results.
	ResultsPath = "/results"
	// ExperimentPath is where a Job's pod finds the experiment to run. It is an annotation of the
	// pod, which the kubelet writes to a file: it needs no object and no right of its own, is
	// created and removed with the Job, and cannot be changed during the Job's lifetime.
	ExperimentPath = experimentFolder + "/" + experimentName
	// LargestExperiment is the maximum length of the experiment, in bytes: an object's annotations
	// may have 256 KiB in total (ValidateAnnotationsSize in k8s.io/apimachinery), and kubectl apply
	// keeps a copy of the whole object in one, with its line ends escaped.
	LargestExperiment = 120 << 10

	experimentFolder, experimentName = "/experiment", "experiment.yaml"
	// experimentNote is the name of that annotation, experimentVolume that of its volume.
	experimentNote, experimentVolume = "loadline/experiment", "experiment"

	// jobLabel is the label that the Job controller sets on a Job's pods.
	jobLabel = "job-name"
	// jobGrace is how many seconds a Job's pod has to stop and to remove its workers.
	jobGrace = 180
)

// rules are the rights of the driver in the pod; deploy/role.yaml shows the same.
var rules = []rbacv1.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"pods", "persistentvolumeclaims"}, Verbs: []string{"get", "list", "create", "delete"}},
	{APIGroups: []string{appsv1.GroupName}, Resources: []string{"statefulsets"}, Verbs: []string{"get", "list", "create", "delete"}},
	{APIGroups: []string{""}, Resources: []string{"pods/exec"}, Verbs: []string{"get", "create"}},
	{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: []string{"list"}},
}

// MakeJob makes the Job and, if no ServiceAccount is named, first makes one with its rights. After
// an error some of these objects may exist.
func (c *Client) MakeJob(ctx context.Context, s JobSpec) error {
	for _, o := range s.objects(c.Namespace) {
		if _, err := c.create(ctx, o.kind, o.object); err != nil {
			return err
		}
	}
	return nil
}

// Manifest returns what MakeJob makes, as YAML for kubectl apply: a Job owned by the user, from
// which Loadline fetches results but which it does not remove.
func (s JobSpec) Manifest(namespace string) ([]byte, error) {
	var documents [][]byte
	for _, o := range s.objects(namespace) {
		text, err := document(o.object)
		if err != nil {
			return nil, err
		}
		documents = append(documents, text)
	}
	return bytes.Join(documents, []byte("---\n")), nil
}

// toMake is an object to be made, and the name of its kind.
type toMake struct {
	kind   string
	object runtime.Object
}

// objects returns the Job and, if no ServiceAccount is named, before it one with the driver's
// rights.
func (s JobSpec) objects(namespace string) []toMake {
	head := metav1.ObjectMeta{Name: s.Name, Namespace: namespace, Labels: s.labels(), Annotations: s.notes()}
	if s.Account != "" {
		return []toMake{{"job", s.manifest(head, s.Account)}}
	}
	version := rbacv1.SchemeGroupVersion.String()
	return []toMake{
		{"account", &corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: head}},
		{"role", &rbacv1.Role{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "Role"}, ObjectMeta: head, Rules: rules}},
		{"binding", &rbacv1.RoleBinding{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "RoleBinding"}, ObjectMeta: head,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: head.Name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: head.Name, Namespace: head.Namespace}}}},
		{"job", s.manifest(head, s.Name)},
	}
}

func (s JobSpec) manifest(head metav1.ObjectMeta, account string) *batchv1.Job {
	yes, no, id, grace, tries := true, false, WorkerID, int64(jobGrace), int32(0)
	pod := corev1.PodSpec{
		ServiceAccountName: account, RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: &grace, EnableServiceLinks: &no,
		SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: &yes, RunAsUser: &id, RunAsGroup: &id,
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{{
			Name: jobContainer, Image: s.Image, Command: literally(s.Command), ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: ResultsPath,
			// The workers use the same image.
			Env: []corev1.EnvVar{{Name: "LOADLINE_IMAGE", Value: s.Image}},
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("64Mi")}},
			SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes,
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
			VolumeMounts: []corev1.VolumeMount{{Name: "results", MountPath: ResultsPath}},
		}},
		Volumes: []corev1.Volume{{Name: "results", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
	}
	s.admit(&pod)
	notes := head.Annotations
	if s.Experiment != nil {
		notes = maps.Clone(notes)
		if notes == nil {
			notes = map[string]string{}
		}
		notes[experimentNote] = string(s.Experiment)
		pod.Volumes = append(pod.Volumes, corev1.Volume{Name: experimentVolume, VolumeSource: corev1.VolumeSource{DownwardAPI: &corev1.DownwardAPIVolumeSource{
			Items: []corev1.DownwardAPIVolumeFile{{Path: experimentName, FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.annotations['" + experimentNote + "']"}}}}}})
		pod.Containers[0].VolumeMounts = append(pod.Containers[0].VolumeMounts, corev1.VolumeMount{Name: experimentVolume, MountPath: experimentFolder, ReadOnly: true})
	}
	return &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Job"}, ObjectMeta: head,
		// A failed measurement should be examined, not repeated.
		Spec: batchv1.JobSpec{BackoffLimit: &tries, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: head.Labels, Annotations: notes}, Spec: pod}},
	}
}

// literally keeps Kubernetes from expanding $(NAME) in a command as a variable.
func literally(command []string) []string {
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = strings.ReplaceAll(word, "$", "$$")
	}
	return words
}

// JobPod is the pod that does a Job's work.
type JobPod struct {
	Name, Node, Container string
	// Running is set while the container runs.
	Running bool
	// Ended says how the pod has ended; nil if it has not.
	Ended error
	// Run is the Job's label; Made is set if Loadline made the Job itself.
	Run  string
	Made bool
}

// FindJob finds the newest pod of a Job, or nil if there is none yet. If the Job does not exist,
// the error is a refusal.
func (c *Client) FindJob(ctx context.Context, name string) (*JobPod, error) {
	var pods corev1.PodList
	if err := c.list(ctx, c.core, c.Namespace, "pods", jobLabel+"="+name, "", &pods); err != nil {
		return nil, err
	}
	if len(pods.Items) == 0 {
		return nil, c.checkJob(ctx, name)
	}
	p := slices.MaxFunc(pods.Items, func(a, b corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	found := &JobPod{Name: p.Name, Node: p.Spec.NodeName, Run: p.Labels[Label], Made: p.Annotations[driverNote] != "",
		Running: p.Status.Phase == corev1.PodRunning, Ended: ended(&p)}
	if len(p.Spec.Containers) > 0 {
		found.Container = p.Spec.Containers[0].Name
	}
	return found, nil
}

// checkJob returns a refusal if the Job does not exist, and lists the Jobs that hold results.
func (c *Client) checkJob(ctx context.Context, name string) error {
	var job batchv1.Job
	err := c.get(ctx, c.batch, c.Namespace, "jobs", name, &job)
	if err == nil || !missing(err) && !forbidden(err) {
		return err
	}
	hint := "loadline fetch lists those that there are; --namespace looks in another one"
	if jobs, err := c.Jobs(ctx); err == nil && len(jobs) > 0 {
		hint = "there is " + units.FormatList(jobs)
		if near := suggest.Nearest(name, jobs); near != "" {
			hint = "did you mean " + near + "?"
		}
	}
	return model.RefusedError(fmt.Sprintf("there is no Job %s in the namespace %s", name, c.Namespace), hint)
}

// Jobs returns the names of the Jobs in the namespace whose pods carry our label.
func (c *Client) Jobs(ctx context.Context) ([]string, error) {
	var pods corev1.PodList
	if err := c.list(ctx, c.core, c.Namespace, "pods", Label+","+jobLabel, "", &pods); err != nil {
		return nil, err
	}
	var names []string
	for _, p := range pods.Items {
		names = append(names, p.Labels[jobLabel])
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// WaitJob waits at most limit until the Job's pod runs or has ended; say receives the reason for
// waiting.
func (c *Client) WaitJob(ctx context.Context, name string, limit time.Duration, say func(string)) (*JobPod, error) {
	reached := false
	for begin := c.Clock.Now(); ; {
		pod, err := c.FindJob(ctx, name)
		late := c.Clock.Since(begin) > limit
		switch {
		// Once the server has answered, keep waiting for it.
		case err != nil && (!passing(err) || !reached || late):
			return nil, err
		case pod != nil && (pod.Running || pod.Ended != nil):
			return pod, nil
		case pod != nil:
			if _, err := c.WaitRunning(ctx, pod.Name, "", limit, say); err != nil {
				// It may have run and ended between two polls.
				if again, findErr := c.FindJob(ctx, name); findErr == nil && again != nil && again.Ended != nil {
					return again, nil
				}
				return nil, err
			}
			continue
		case late:
			words := "no pod was made for it"
			if all, err := c.events(ctx, c.Namespace, "Job", name); err == nil {
				if q := mostInformative(all); q.warning {
					words = q.String()
				}
			}
			return nil, model.BrokenError(fmt.Sprintf("the Job %s did not start within %s: %s", name, limit, words), look("job", c.Namespace))
		}
		reached = reached || err == nil
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.Clock.After(lookOften):
		}
	}
}

// Log returns the log of the container of a Job's pod from the beginning, as far as it has been written.
func (c *Client) Log(ctx context.Context, pod *JobPod) (io.ReadCloser, error) {
	req := c.core.Get().Namespace(c.Namespace).Resource("pods").Name(pod.Name).SubResource("log").Param("container", pod.Container)
	stream, err := req.Stream(ctx)
	return stream, c.explain("get", "pods/log", c.Namespace, err)
}
