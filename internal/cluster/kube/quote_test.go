package kube

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// said returns an event about the claim "c" or the pod "p" as the older API counts it: with the
// number of times, and the first and the last time in seconds after the beginning.
func said(kindOf, reason, message string, times int32, first, last int) *corev1.Event {
	kind, object := claimKind, "c"
	if reason == "Scheduled" || strings.HasPrefix(reason, "Failed") || strings.HasPrefix(reason, "Pull") || reason == "SuccessfulAttachVolume" {
		kind, object = podKind, "p"
	}
	e := event(strings.ToLower(reason)+"-"+time.Duration(first).String()+message[:1], kind, object, kindOf, reason, message, 0)
	e.Count, e.FirstTimestamp, e.LastTimestamp = times, at(first), at(last)
	return e
}

func at(second int) metav1.Time {
	return metav1.NewTime(time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC))
}

// series returns an event of the newer API, which the scheduler writes.
func series(reason, message string, times int32, first, last int) *corev1.Event {
	e := said("Warning", reason, message, 0, first, last)
	e.FirstTimestamp, e.LastTimestamp, e.EventTime = metav1.Time{}, metav1.Time{}, metav1.NewMicroTime(at(first).Time)
	if times > 1 {
		e.Series = &corev1.EventSeries{Count: times, LastObservedTime: metav1.NewMicroTime(at(last).Time)}
	}
	return e
}

// Messages of the components of a cluster.
const (
	consumer = "waiting for first consumer to be created before binding"
	external = "Waiting for a volume to be created either by the external provisioner 'x.y/z' or manually by the system administrator."
	making   = `External provisioner is provisioning volume for claim "n/c"`
	noRoom   = `failed to provision volume with StorageClass "fast": rpc error: code = ResourceExhausted desc = no room`
	busy     = `failed to provision volume with StorageClass "fast": rpc error: code = Aborted desc = An operation with the given Volume ID pvc-1 already exists`
	slow     = `failed to provision volume with StorageClass "fast": rpc error: code = DeadlineExceeded desc = context deadline exceeded`
	mount    = `MountVolume.SetUp failed for volume "pvc-1" : rpc error: code = Internal desc = no such device`
	timeout  = "Unable to attach or mount volumes: unmounted volumes=[target], unattached volumes=[], failed to process volumes=[]: timed out waiting for the condition"
)

// TestTheCauseIsQuoted checks that, of a cluster's messages in their real order, the message of the
// component that failed is shown, with its count, whatever was reported after it.
func TestTheCauseIsQuoted(t *testing.T) {
	pending, started := pod(unscheduled("pod has unbound immediate PersistentVolumeClaims")), pod(func(p *corev1.Pod) { p.Spec.NodeName = "node1" })
	for name, c := range map[string]struct {
		pod    *corev1.Pod
		events []any
		want   string
	}{
		"a provisioner that fails, and remarks after it": {pending, []any{
			said("Normal", "WaitForFirstConsumer", consumer, 1, 0, 0),
			said("Warning", "ProvisioningFailed", noRoom, 5, 2, 17),
			said("Normal", "Provisioning", making, 6, 2, 33),
			said("Normal", "ExternalProvisioning", external, 3, 1, 34),
		}, "the claim c is not bound (ProvisioningFailed: " + noRoom + ", 5 times in 15 s)"},
		"its next try finds the last one at work": {pending, []any{
			said("Normal", "ExternalProvisioning", external, 2, 0, 31),
			said("Warning", "ProvisioningFailed", noRoom, 1, 10, 10),
			said("Warning", "ProvisioningFailed", busy, 4, 12, 30),
		}, "(ProvisioningFailed: " + noRoom + ")"},
		"it only ever runs out of time": {pending, []any{
			said("Warning", "ProvisioningFailed", slow, 2, 10, 30),
			said("Normal", "ExternalProvisioning", external, 3, 0, 31),
		}, "(ProvisioningFailed: " + slow + ", 2 times in 20 s)"},
		"each try says the number of its request": {pending, []any{
			said("Warning", "ProvisioningFailed", "quota reached, request id: 77aa", 1, 1, 1),
			said("Warning", "ProvisioningFailed", "quota reached, request id: 2bc3", 1, 3, 3),
			said("Warning", "ProvisioningFailed", "quota reached, request id: 90de", 1, 7, 7),
			said("Normal", "Provisioning", making, 3, 1, 7),
		}, "(ProvisioningFailed: quota reached, request id: 90de, 3 times in 6 s)"},
		"nobody provisions": {pending, []any{
			said("Normal", "WaitForFirstConsumer", consumer, 1, 0, 0),
			said("Normal", "ExternalProvisioning", external, 9, 1, 120),
		}, "the claim c is not bound (ExternalProvisioning: " + external + "); the scheduler says: "},
		"a mount that fails, and kubelet that waits for it": {started, []any{
			series("FailedScheduling", "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.", 1, 0, 0),
			said("Normal", "Scheduled", "Successfully assigned n/p to node1", 1, 1, 1),
			said("Warning", "FailedMount", mount, 8, 2, 70),
			said("Warning", "FailedMount", timeout, 1, 124, 124),
		}, "FailedMount: " + mount + ", 8 times in 1 m 08 s"},
		"what kept it from being scheduled is over": {started, []any{
			series("FailedScheduling", "0/3 nodes are available: 3 Insufficient cpu.", 3, 0, 60),
			said("Normal", "Scheduled", "Successfully assigned n/p to node1", 1, 61, 61),
			said("Normal", "Pulling", `Pulling image "i:1"`, 1, 62, 62),
		}, `starting on node1 (Pulling image "i:1")`},
		"its image is there": {started, []any{
			said("Normal", "Pulling", `Pulling image "i:1"`, 1, 62, 62),
			said("Normal", "Pulled", `Container image "i:1" already present on machine`, 1, 63, 63),
		}, "starting on node1"},
		"just scheduled": {started, []any{said("Normal", "Scheduled", "Successfully assigned n/p to node1", 1, 61, 61)}, "starting on node1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, client := cluster(t, append([]any{c.pod, claim(func(*corev1.PersistentVolumeClaim) {})}, c.events...)...)
			r, err := client.why(context.Background(), c.pod, "c")
			if err != nil || !strings.Contains(r.words, c.want) || c.pod == started && r.words != c.want {
				t.Errorf("%q, %v\nwant %q", r.words, err, c.want)
			}
		})
	}
}

// TestRepeatsAreSaidSparely checks that a recurring cause is reported again when its count has
// doubled, and a new one at once.
func TestRepeatsAreSaidSparely(t *testing.T) {
	var before reason
	var told []string
	hear := func(q quote, rest string) {
		r := reason{words: "the claim is not bound (" + q.String() + ")" + rest, quoted: q}
		if !r.like(before) {
			before = r
			told = append(told, r.words)
		}
	}
	for n := range 9 {
		hear(quote{words: "no room", times: n + 1, span: time.Duration(n) * time.Second, warning: true}, "")
	}
	hear(quote{words: "no room", times: 10, span: 10 * time.Second, warning: true}, "; no node")
	hear(quote{words: "no power", times: 1, warning: true}, "; no node")
	want := []string{"the claim is not bound (no room)", "the claim is not bound (no room, 2 times in 1 s)", "the claim is not bound (no room, 4 times in 3 s)",
		"the claim is not bound (no room, 8 times in 7 s)", "the claim is not bound (no room, 10 times in 10 s); no node", "the claim is not bound (no power); no node"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

// TestEventsCountInBothWays: the newer API stores count and time in a series.
func TestEventsCountInBothWays(t *testing.T) {
	for _, c := range []struct {
		e    *corev1.Event
		want quote
	}{
		{series("FailedScheduling", "no node", 4, 3, 33), quote{"FailedScheduling: no node", 4, 30 * time.Second, true}},
		{series("FailedScheduling", "no node", 1, 3, 3), quote{"FailedScheduling: no node", 1, 0, true}},
		{said("Warning", "FailedMount", "FailedMount of it", 2, 3, 5), quote{"FailedMount of it", 2, 2 * time.Second, true}},
		{said("Normal", "Pulling", "an image", 2, 3, 5), quote{words: "Pulling: an image"}},
	} {
		if got := mostInformative([]corev1.Event{*c.e}); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
	if got := mostInformative(nil); got != (quote{}) {
		t.Errorf("%+v", got)
	}
}
