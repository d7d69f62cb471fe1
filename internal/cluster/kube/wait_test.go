package kube

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/loadline/loadline/internal/model"
)

func pod(change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "n"}}
	p.Status.Phase = corev1.PodPending
	change(p)
	return p
}

func claim(change func(*corev1.PersistentVolumeClaim)) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"}, ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "n"}}
	c.Status.Phase = corev1.ClaimPending
	change(c)
	return c
}

func event(name, kind, object, kindOf, reason, message string, age time.Duration) *corev1.Event {
	return &corev1.Event{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Event"}, ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "n"},
		InvolvedObject: corev1.ObjectReference{Kind: kind, Name: object}, Type: kindOf, Reason: reason, Message: message,
		LastTimestamp: metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(-age))}
}

func unscheduled(message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: message}}
	}
}

func container(p *corev1.Pod, s corev1.ContainerState) {
	p.Spec.NodeName = "node1"
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: Container, State: s}}
}

// TestWaitingSpeaksTheClustersWords checks that, whatever keeps a pod from running, the error at
// the limit quotes the component that knows why.
func TestWaitingSpeaksTheClustersWords(t *testing.T) {
	bound := claim(func(c *corev1.PersistentVolumeClaim) {
		c.Status.Phase, c.Spec.VolumeName = corev1.ClaimBound, "pv-1"
	})
	volume := "pv-1"
	for name, c := range map[string]struct {
		objects []any
		want    []string
	}{
		"no room on any node": {
			[]any{pod(unscheduled("0/3 nodes are available: 3 Insufficient cpu.")), bound},
			[]string{"was not running after", "3 Insufficient cpu"},
		},
		"no node for an even spread": {
			[]any{pod(unscheduled("0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match pod topology spread constraints.")), claim(func(*corev1.PersistentVolumeClaim) {})},
			[]string{"was not running after", "are spread evenly over the nodes (--spread hard)", "the claim c is not bound", "1 Insufficient cpu"},
		},
		"no node for an even spread of claims that are bound": {
			[]any{pod(unscheduled("0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints.")), bound},
			[]string{"was not running after", "are spread evenly over the nodes (--spread hard)", "3 node(s) didn't match"},
		},
		"claim without provisioner": {
			[]any{pod(unscheduled("pod has unbound immediate PersistentVolumeClaims")), claim(func(*corev1.PersistentVolumeClaim) {}),
				event("old", claimKind, "c", "Normal", "WaitForFirstConsumer", "waiting for first consumer", time.Hour),
				event("new", claimKind, "c", "Normal", "ExternalProvisioning", "waiting for a volume to be created by\nthe external provisioner 'x.y/z'", 0)},
			[]string{"the claim c is not bound", "ExternalProvisioning: waiting for a volume to be created by the external provisioner 'x.y/z'", "unbound immediate"},
		},
		"access mode": {
			[]any{pod(unscheduled("pod has unbound immediate PersistentVolumeClaims")), claim(func(*corev1.PersistentVolumeClaim) {}),
				event("failed", claimKind, "c", "Warning", "ProvisioningFailed", "NodePath only supports ReadWriteOnce access modes", time.Minute),
				event("again", claimKind, "c", "Normal", "Provisioning", "External provisioner is provisioning volume", 0)},
			[]string{"the claim c is not bound (ProvisioningFailed: NodePath only supports ReadWriteOnce access modes)"},
		},
		"image": {
			[]any{pod(func(p *corev1.Pod) {
				container(p, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "Back-off pulling image"}})
			}), event("e", podKind, "p", "Warning", "Failed", `Failed to pull image "no/such": not found`, 0)},
			[]string{`Failed to pull image "no/such": not found`},
		},
		"attachment": {
			[]any{pod(func(p *corev1.Pod) { p.Spec.NodeName = "node1" }), bound,
				&storagev1.VolumeAttachment{TypeMeta: metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "VolumeAttachment"}, ObjectMeta: metav1.ObjectMeta{Name: "a"},
					Spec:   storagev1.VolumeAttachmentSpec{NodeName: "node1", Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume}},
					Status: storagev1.VolumeAttachmentStatus{AttachError: &storagev1.VolumeError{Message: "volume is in use by node2"}}}},
			[]string{"the volume pv-1 cannot be attached to node1: volume is in use by node2"},
		},
		"mount": {
			[]any{pod(func(p *corev1.Pod) { p.Spec.NodeName = "node1" }), bound,
				event("n", podKind, "p", "Normal", "Scheduled", "assigned", 0),
				event("w", podKind, "p", "Warning", "FailedMount", "MountVolume.SetUp failed: no such device", time.Minute)},
			[]string{"FailedMount: MountVolume.SetUp failed: no such device"},
		},
		"nothing said": {
			[]any{pod(func(p *corev1.Pod) { p.Spec.NodeName = "node1" }), bound},
			[]string{"starting on node1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, client := cluster(t, c.objects...)
			var said []string
			_, err := client.WaitRunning(context.Background(), "p", "c", 5*time.Second, func(s string) { said = append(said, s) })
			if err == nil {
				t.Fatal("no error")
			}
			if spread := strings.Contains(name, "spread"); spread != strings.Contains(hint(err), "--spread soft") {
				t.Errorf("the hint is %q", hint(err))
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
				if want != "was not running after" && !strings.Contains(strings.Join(said, "\n"), want) {
					t.Errorf("%q was not said while waiting: %q", want, said)
				}
			}
			if len(said) > 1 {
				t.Errorf("said more than once: %q", said)
			}
		})
	}
}

func TestWaitingEnds(t *testing.T) {
	terminated := func(code int32, reason, message string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			container(p, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, Message: message}})
			p.Status.Phase = corev1.PodFailed
		}
	}
	for name, c := range map[string]struct {
		pod  func(*corev1.Pod)
		want string
	}{
		"image name": {func(p *corev1.Pod) {
			container(p, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "InvalidImageName", Message: "A B is no image"}})
		}, "does not start: InvalidImageName: A B is no image"},
		"out of memory": {terminated(137, "OOMKilled", ""), "the pod p on node1 was killed because it used more memory than it may (OOMKilled)"},
		"no program":    {terminated(128, "StartError", `exec: "loadline-agent": not found`), `could not start its program: exec: "loadline-agent": not found`},
		"program":       {terminated(3, "Error", strings.Repeat("x", 400)+" the end"), "x the end"},
		"evicted": {func(p *corev1.Pod) {
			p.Spec.NodeName, p.Status.Phase, p.Status.Reason, p.Status.Message = "node1", corev1.PodFailed, "Evicted", "The node was low on resource: memory."
		}, "the pod p on node1 was evicted: The node was low on resource: memory."},
		"node lost": {func(p *corev1.Pod) {
			p.Spec.NodeName, p.Status.Phase = "node1", corev1.PodRunning
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "DeletionByTaintManager", Message: "Taint manager: deleting"}}
		}, "was taken away by the cluster: DeletionByTaintManager: Taint manager: deleting"},
		"deleted": {func(p *corev1.Pod) {
			now := metav1.Now()
			p.DeletionTimestamp = &now
		}, "is being deleted by somebody else"},
	} {
		t.Run(name, func(t *testing.T) {
			_, client := cluster(t, pod(c.pod))
			begin := time.Now()
			_, err := client.WaitRunning(context.Background(), "p", "c", time.Minute, func(string) {})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if time.Since(begin) > 30*time.Second {
				t.Error("it waited for what cannot come")
			}
			var w *model.WorkerError
			if !errors.As(err, &w) || w.Class != model.Broken {
				t.Errorf("%#v is no failure of the worker", err)
			}
		})
	}
}

// TestWaitingOutlivesTheServer checks that waiting continues while the API server is unavailable
// for a while.
func TestWaitingOutlivesTheServer(t *testing.T) {
	s, client := cluster(t, pod(func(p *corev1.Pod) { p.Spec.NodeName, p.Status.Phase = "node7", corev1.PodRunning }))
	s.Fail["GET /api/v1/namespaces/n/pods/p"] = metav1.Status{Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable, Message: "starting"}
	node, err := client.WaitRunning(context.Background(), "p", "c", 10*time.Second, func(string) {})
	if node != "node7" || err != nil {
		t.Errorf("%q, %v", node, err)
	}
	if _, err := client.WaitRunning(context.Background(), "other", "c", 10*time.Second, func(string) {}); err == nil || !strings.Contains(err.Error(), "was deleted while it was waited for") {
		t.Errorf("%v", err)
	}
}

func TestWaitingCanBeInterrupted(t *testing.T) {
	_, client := cluster(t, pod(unscheduled("no node")), claim(func(*corev1.PersistentVolumeClaim) {}))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := client.WaitRunning(ctx, "p", "c", time.Minute, func(string) {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// TestAway checks that a pod on a node that no longer reports is away, and that a pod that is
// starting, or that ends by itself, is not.
func TestAway(t *testing.T) {
	ready := func(status corev1.ConditionStatus, s corev1.ContainerState, phase corev1.PodPhase) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			container(p, s)
			p.Status.Phase = phase
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status, LastTransitionTime: metav1.NewTime(time.Unix(3600, 0))}}
		}
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	node := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "node1"},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, Message: "Kubelet stopped posting node status."}}}}
	for name, c := range map[string]struct {
		pod  func(*corev1.Pod)
		want string
	}{
		"away":     {ready(corev1.ConditionFalse, running, corev1.PodRunning), "the pod p is lost with its node: node1 has not reported to the cluster since before 01:00:00 UTC (Kubelet stopped posting node status.)"},
		"runs":     {ready(corev1.ConditionTrue, running, corev1.PodRunning), ""},
		"starting": {ready(corev1.ConditionFalse, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}, corev1.PodRunning), ""},
		"ended":    {ready(corev1.ConditionFalse, running, corev1.PodFailed), ""},
	} {
		_, client := cluster(t, pod(c.pod), node)
		if err := client.Away(context.Background(), "p"); err == nil && c.want != "" || err != nil && err.Error() != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, client := cluster(t)
	if err := client.Away(context.Background(), "p"); err != nil {
		t.Errorf("a pod that does not exist: %v", err)
	}
}
