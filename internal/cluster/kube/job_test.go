package kube

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
)

var jobSpec = JobSpec{Name: "loadline-j", Made: Made{Run: "loadline-j", Driver: "here/1"},
	Where: Where{Image: "i:1", PullSecret: "s", Tolerations: []string{"*"}}, Command: []string{"loadline", "job", "--note=$(LOADLINE_IMAGE) costs $5"}, Experiment: []byte("scenario: profile\nnote: $(HOME) costs $5\n")}

// TestRightsAreThoseOfTheManual checks that a Job gets exactly the rights in deploy/role.yaml, so
// that its readers know what is granted.
func TestRightsAreThoseOfTheManual(t *testing.T) {
	file, err := os.Open("../../../deploy/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var role rbacv1.Role
	if err := yaml.NewYAMLOrJSONDecoder(file, 4096).Decode(&role); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(role.Rules, rules); diff != "" || len(rules) == 0 {
		t.Error(diff)
	}
}

// TestJobBringsItsRights checks that everything carries the label, and that the Job's pod passes
// "restricted" with an account that was made or named.
func TestJobBringsItsRights(t *testing.T) {
	const costs = "--note=$$(LOADLINE_IMAGE) costs $$5"
	const core, rbac = "/api/v1/namespaces/n/", "/apis/rbac.authorization.k8s.io/v1/namespaces/n/"
	rights := []string{core + "serviceaccounts/loadline-j", rbac + "roles/loadline-j", rbac + "rolebindings/loadline-j"}
	for account, want := range map[string][]string{"": rights, "own": nil} {
		s, client := cluster(t)
		spec := jobSpec
		spec.Account = account
		if err := client.MakeJob(context.Background(), spec); err != nil {
			t.Fatal(err)
		}
		var job batchv1.Job
		if err := json.Unmarshal(s.Bodies["/apis/batch/v1/namespaces/n/jobs/loadline-j"], &job); err != nil {
			t.Fatal(err)
		}
		if len(s.Bodies) != len(want)+1 {
			t.Errorf("%d objects were made", len(s.Bodies))
		}
		for _, path := range want {
			var o metav1.PartialObjectMetadata
			if err := json.Unmarshal(s.Bodies[path], &o); err != nil || o.Labels[Label] != "loadline-j" || o.Annotations[driverNote] != "here/1" {
				t.Errorf("%s: %v, %+v", path, err, o)
			}
		}
		pod := job.Spec.Template
		if account == "" {
			account = "loadline-j"
		}
		c := pod.Spec.Containers[0]
		switch {
		case pod.Labels[Label] != "loadline-j" || job.Labels[Label] != "loadline-j":
			t.Errorf("labels %v, %v", job.Labels, pod.Labels)
		case pod.Spec.ServiceAccountName != account:
			t.Errorf("account %s", pod.Spec.ServiceAccountName)
		case !*pod.Spec.SecurityContext.RunAsNonRoot || *c.SecurityContext.AllowPrivilegeEscalation || !*c.SecurityContext.ReadOnlyRootFilesystem:
			t.Errorf("%+v, %+v", pod.Spec.SecurityContext, c.SecurityContext)
		case c.Command[2] != costs:
			t.Errorf("Kubernetes would make another command of %q", c.Command)
		case pod.Annotations[experimentNote] != string(jobSpec.Experiment) || job.Annotations[experimentNote] != "" || !slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
			return v.DownwardAPI != nil && v.DownwardAPI.Items[0].FieldRef.FieldPath == "metadata.annotations['"+experimentNote+"']"
		}):
			t.Errorf("the experiment is not where the command looks for it: %v, %+v", pod.Annotations, pod.Spec.Volumes)
		case *job.Spec.BackoffLimit != 0 || pod.Spec.RestartPolicy != corev1.RestartPolicyNever:
			t.Error("a measurement that failed would be repeated")
		case len(pod.Spec.Tolerations) != 1 || len(pod.Spec.ImagePullSecrets) != 1 || c.Env[0] != corev1.EnvVar{Name: "LOADLINE_IMAGE", Value: "i:1"}:
			t.Errorf("%+v", pod.Spec)
		}
	}
}

func jobPod(name, job string, change func(*corev1.Pod)) *corev1.Pod {
	return pod(func(p *corev1.Pod) {
		p.Name, p.Labels = name, map[string]string{jobLabel: job, Label: job}
		p.Spec.Containers = []corev1.Container{{Name: jobContainer}}
		change(p)
	})
}

func TestFindJob(t *testing.T) {
	running := func(p *corev1.Pod) {
		p.Status.Phase, p.Annotations = corev1.PodRunning, map[string]string{driverNote: "here/1"}
	}
	ended := func(p *corev1.Pod) {
		p.CreationTimestamp = metav1.NewTime(time.Unix(1, 0))
		container(p, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 5, Reason: "Error"}})
		p.Status.Phase = corev1.PodFailed
	}
	job := &batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: metav1.ObjectMeta{Name: "young", Namespace: "n"}}
	_, client := cluster(t, jobPod("a", "one", running), jobPod("b", "two", running), jobPod("c", "two", ended), job)
	ctx := context.Background()
	if p, err := client.FindJob(ctx, "one"); err != nil || p.Name != "a" || !p.Running || !p.Made || p.Ended != nil || p.Container != jobContainer {
		t.Errorf("%+v, %v", p, err)
	}
	// Of several pods, the newest counts.
	if p, err := client.FindJob(ctx, "two"); err != nil || p.Name != "c" || p.Running || p.Made || p.Ended == nil || !strings.Contains(p.Ended.Error(), "exit code 5") {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := client.FindJob(ctx, "young"); p != nil || err != nil {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := client.FindJob(ctx, "ones"); err == nil || !strings.Contains(err.Error(), "there is no Job ones in the namespace n") || hint(err) != "did you mean one?" {
		t.Errorf("%v; %s", err, hint(err))
	}
}

// TestWaitingForAJob checks that the reason is reported for a Job without a pod, and that a pod
// that ended at once is found.
func TestWaitingForAJob(t *testing.T) {
	job := &batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: metav1.ObjectMeta{Name: "j", Namespace: "n"}}
	why := event("e", "Job", "j", "Warning", "FailedCreate", "pods \"j-\" is forbidden: exceeded quota", 0)
	s, client := cluster(t, job, why)
	ctx := context.Background()
	if _, err := client.WaitJob(ctx, "j", 300*time.Millisecond, func(string) {}); err == nil || !strings.Contains(err.Error(), "did not start within") || !strings.Contains(err.Error(), "exceeded quota") {
		t.Errorf("%v", err)
	}
	time.AfterFunc(300*time.Millisecond, func() {
		s.Add(t, jobPod("p", "j", func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }))
	})
	if p, err := client.WaitJob(ctx, "j", 10*time.Second, func(string) {}); err != nil || p.Ended == nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestJobKeepsItsRightsToTheEnd: the Job's pod removes its workers, so its rights are removed last;
// and the pod is removed with its Job, which specifies the grace period.
func TestJobKeepsItsRightsToTheEnd(t *testing.T) {
	head := func(version, kind string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: kind},
			ObjectMeta: metav1.ObjectMeta{Name: "j", Namespace: "n", Labels: map[string]string{Label: "j"}, Annotations: map[string]string{driverNote: "here/1"}}}
	}
	s, client := cluster(t, head("batch/v1", "Job"), head("v1", "ServiceAccount"), head("rbac.authorization.k8s.io/v1", "Role"),
		head("rbac.authorization.k8s.io/v1", "RoleBinding"), ownClaim("v", "n", "j"),
		jobPod("j-x", "j", func(p *corev1.Pod) {
			p.Status.Phase, p.Annotations = corev1.PodRunning, map[string]string{driverNote: "here/1"}
		}))
	ctx := context.Background()
	all, err := client.Own(ctx, "n", "j")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"account n/j", "binding n/j", "claim n/v", "job n/j", "pod n/j-x", "role n/j"}
	if diff := cmp.Diff(want, names(all)); diff != "" {
		t.Fatal(diff)
	}
	var order []string
	s.OnDelete = func(path string, _ kubetest.Object) bool {
		parts := strings.Split(path, "/")
		order = append(order, parts[len(parts)-2])
		// The pod goes last of what does not need its rights.
		if strings.HasSuffix(path, "/persistentvolumeclaims/v") {
			time.AfterFunc(300*time.Millisecond, func() {
				s.Lock()
				defer s.Unlock()
				delete(s.Objects, "/api/v1/namespaces/n/pods/j-x")
				order = append(order, "pods")
			})
		}
		return true
	}
	if err := client.Remove(ctx, all, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	if len(s.Objects) != 0 {
		t.Errorf("left: %v", s.Objects)
	}
	if diff := cmp.Diff([]string{"jobs", "persistentvolumeclaims", "pods", "rolebindings", "roles", "serviceaccounts"}, order, cmp.Transformer("rights", func(list []string) []string {
		slices.Sort(list[min(3, len(list)):])
		return list
	})); diff != "" {
		t.Error(diff)
	}
}

// The pod of a Job has more time to remove its workers than a deletion by us would give it, so it is left to the cluster
// however long that takes, also if a StatefulSet was removed with the Job.
func TestTheTimeOfAJobsPodIsNotShortened(t *testing.T) {
	s, client := cluster(t)
	controller(s)
	if _, err := client.MakePod(t.Context(), setSpec); err != nil {
		t.Fatal(err)
	}
	s.Add(t, &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: "j", Namespace: "n", Labels: map[string]string{Label: "j"}, Annotations: map[string]string{driverNote: "here/1"}}})
	s.Add(t, jobPod("j-x", "j", func(p *corev1.Pod) {
		p.Status.Phase, p.Annotations = corev1.PodRunning, map[string]string{driverNote: "here/1"}
	}))
	all, err := client.Own(t.Context(), "n", "")
	if err != nil || len(all) != 4 {
		t.Fatalf("%v, %v", names(all), err)
	}
	left, err := client.RemoveEach(t.Context(), all, collected+2*time.Second)
	if err == nil || len(left) != 1 || left[0].Name != "j-x" {
		t.Errorf("%v, %v", names(left), err)
	}
	for _, call := range s.Calls() {
		if call == "DELETE /api/v1/namespaces/n/pods/j-x" {
			t.Error("the pod of a Job was deleted by us")
		}
	}
}

// A Job that may not be deleted keeps what it uses, without a wait; what belongs to another run goes.
func TestAJobThatMayNotBeDeleted(t *testing.T) {
	head := func(version, kind string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: kind},
			ObjectMeta: metav1.ObjectMeta{Name: "j", Namespace: "n", Labels: map[string]string{Label: "j"}, Annotations: map[string]string{driverNote: "here/1"}}}
	}
	s, client := cluster(t, head("batch/v1", "Job"), head("v1", "ServiceAccount"), ownClaim("v", "n", "j"), ownPod("w", "n", "other"),
		jobPod("j-x", "j", func(p *corev1.Pod) {
			p.Status.Phase, p.Annotations = corev1.PodRunning, map[string]string{driverNote: "here/1"}
		}))
	s.Forbid("DELETE", "/apis/batch/v1/namespaces/n/jobs/j", "delete", "jobs")
	all, err := client.Own(t.Context(), "n", "")
	if err != nil || len(all) != 5 {
		t.Fatalf("%v, %v", names(all), err)
	}
	began := time.Now()
	left, err := client.RemoveEach(t.Context(), all, time.Minute)
	if err == nil || !strings.Contains(err.Error(), "; job n/j stays") || time.Since(began) > 30*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	if diff := cmp.Diff([]string{"account n/j", "claim n/v", "job n/j", "pod n/j-x"}, names(left)); diff != "" {
		t.Errorf("left: %s", diff)
	}
	if now, err := client.Own(t.Context(), "n", ""); err != nil || len(now) != 4 {
		t.Errorf("there are %v, %v", names(now), err)
	}
}

// TestOwnWithoutTheRightsOfJobs: a user without the right to list Jobs has made none.
func TestOwnWithoutTheRightsOfJobs(t *testing.T) {
	s, client := cluster(t, ownPod("w", "n", "r"))
	s.Forbid("GET", "/apis/batch/v1/namespaces/n/jobs", "list", "jobs")
	s.Forbid("GET", "/apis/rbac.authorization.k8s.io/v1/namespaces/n/roles", "list", "roles")
	if all, err := client.Own(context.Background(), "n", ""); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}
