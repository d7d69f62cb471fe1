package kube

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// TestTheWorkersProgramIsLent checks that, with an application, the worker runs in the
// application's image with the program from its own image and a name for its user, and that the pod
// passes "restricted".
func TestTheWorkersProgramIsLent(t *testing.T) {
	p := made(t, PodSpec{Where: Where{Application: "postgres:17", Resources: map[string]string{"memory": "1Gi"}}, Identity: Own(), Command: []string{"agent", "--detached"}})
	if len(p.Spec.InitContainers) != 1 || len(p.Spec.Containers) != 1 {
		t.Fatalf("%+v", p.Spec)
	}
	first, worker := p.Spec.InitContainers[0], p.Spec.Containers[0]
	if first.Image != "image:1" || worker.Image != "postgres:17" || !slices.Equal(first.Command, []string{"agent", "--copy-program", ProgramCopyPath}) || !slices.Equal(worker.Command, []string{"agent", "--detached"}) {
		t.Errorf("%+v\n%+v", first, worker)
	}
	for _, c := range []corev1.Container{first, worker} {
		memory := c.Resources.Limits[corev1.ResourceMemory]
		if s := c.SecurityContext; *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || s.Capabilities.Drop[0] != "ALL" || len(s.Capabilities.Add) > 0 || memory.String() != "1Gi" {
			t.Errorf("%s: %+v", c.Name, c)
		}
	}
	if of := p.Spec.SecurityContext; !*of.RunAsNonRoot || *of.RunAsUser != WorkerID || *of.FSGroup != WorkerID {
		t.Errorf("%+v", of)
	}
	at := map[string]corev1.VolumeMount{}
	for _, m := range worker.VolumeMounts {
		at[m.MountPath] = m
	}
	for path, file := range map[string]string{"/usr/local/bin/agent": "agent", "/etc/passwd": UsersFile} {
		if m := at[path]; m.SubPath != file || !m.ReadOnly || m.Name != programVolume {
			t.Errorf("%s: %+v", path, m)
		}
	}
	if len(first.VolumeMounts) != 1 || first.VolumeMounts[0].Name != programVolume || first.VolumeMounts[0].MountPath != ProgramCopyPath || at[MountPath].Name != "target" {
		t.Errorf("%+v, %+v", first.VolumeMounts, at)
	}
	for _, v := range p.Spec.Volumes {
		if v.EmptyDir == nil && v.PersistentVolumeClaim == nil {
			t.Errorf("volume %s", v.Name)
		}
	}
	// Other pods see the identity under which it runs, and on which claim.
	if s := stated(&p.Spec, "target"); *s.User != WorkerID {
		t.Errorf("%+v", s)
	}
	if alone := made(t, PodSpec{}); len(alone.Spec.InitContainers) > 0 {
		t.Errorf("a worker alone: %+v", alone.Spec)
	}
}

// TestOneOfTwoImagesIsNamed checks that a problem with one of a pod's two images names the flag of
// that image.
func TestOneOfTwoImagesIsNamed(t *testing.T) {
	waiting := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "it cannot be had"}}
	}
	ended := func(code int32, reason string) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, Message: "no such program"}}
	}
	copied := ended(0, "Completed")
	for name, c := range map[string]struct {
		first, worker corev1.ContainerState
		words, hint   string
	}{
		"the worker's, not pulled":         {first: waiting("ErrImagePull"), worker: waiting("PodInitializing"), words: "it cannot be had", hint: "check --worker-image, and --pull-secret"},
		"the worker's, without a program":  {first: ended(128, "StartError"), worker: waiting("PodInitializing"), words: "could not start its program: no such program", hint: "--worker-image: it must hold loadline-agent"},
		"the worker's, of another version": {first: ended(2, "Error"), worker: waiting("PodInitializing"), words: "ended with exit code 2", hint: "kubectl logs -n n -l loadline/run -c program"},
		"the application's, not pulled":    {first: copied, worker: waiting("ImagePullBackOff"), words: "it cannot be had", hint: "check --image, and"},
		"the application's, no name":       {first: copied, worker: waiting("InvalidImageName"), words: "it cannot be had", hint: "check --image"},
		"the application's, foreign":       {first: copied, worker: ended(128, "StartError"), words: "could not start its program", hint: "check --image: it must be an application's"},
		"the application's, not started":   {first: copied, worker: waiting("RunContainerError"), words: "it cannot be had", hint: "check --image: it must be an application's"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, client := cluster(t, pod(func(p *corev1.Pod) {
				p.Spec.NodeName, p.Spec.InitContainers = "node1", []corev1.Container{{Name: copier}}
				p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: copier, State: c.first}}
				p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: Container, State: c.worker}}
			}))
			_, err := client.WaitRunning(context.Background(), "p", "", 300*time.Millisecond, func(string) {})
			if err == nil || !strings.Contains(err.Error(), c.words) || !strings.Contains(hint(err), c.hint) {
				t.Errorf("%v; hint %q", err, hint(err))
			}
		})
	}
}

// TestManifestsAreWhatIsMade checks that the API server gets what a plan shows.
func TestManifestsAreWhatIsMade(t *testing.T) {
	_, client := cluster(t)
	claim := ClaimSpec{Name: "c", Class: "fast", Size: 5 << 30, Access: "RWO"}
	spec := PodSpec{Name: "p", Claim: "c", Where: Where{Image: "i:1", Application: "postgres:17"}, Command: []string{"agent"}}
	both, err := client.Manifests([]ClaimSpec{claim}, spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"kind: PersistentVolumeClaim", "storage: 5Gi", "storageClassName: fast", "\n---\n", "kind: Pod\n", "image: postgres:17", "image: i:1", "claimName: c"} {
		if !strings.Contains(string(both), words) {
			t.Errorf("no %q in\n%s", words, both)
		}
	}
	if one, err := client.Manifests(nil, spec); err != nil || strings.Contains(string(one), "PersistentVolumeClaim\n") {
		t.Errorf("%v\n%s", err, one)
	}
	spec.Resources = map[string]string{"cpu": "many"}
	if _, err := client.Manifests(nil, spec); err == nil {
		t.Error("a quantity that is none is shown")
	}
}
