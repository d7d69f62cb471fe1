package kube

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
	"github.com/loadline/loadline/internal/model"
)

func class(name string) *storagev1.StorageClass {
	wait, retain := storagev1.VolumeBindingWaitForFirstConsumer, corev1.PersistentVolumeReclaimDelete
	return &storagev1.StorageClass{TypeMeta: metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"}, ObjectMeta: metav1.ObjectMeta{Name: name},
		Provisioner: "driver.example", Parameters: map[string]string{"numberOfReplicas": "3"}, MountOptions: []string{"noatime"},
		ReclaimPolicy: &retain, VolumeBindingMode: &wait}
}

func hint(err error) string {
	var w *model.WorkerError
	if errors.As(err, &w) {
		return w.Hint
	}
	return ""
}

func TestClassIsReadOrRefused(t *testing.T) {
	_, client := cluster(t, class("fast"), class("slow"))
	var got model.Cluster
	if err := client.Class(context.Background(), "fast", &got); err != nil {
		t.Fatal(err)
	}
	want := model.Cluster{Class: "fast", Provisioner: "driver.example", Parameters: map[string]string{"numberOfReplicas": "3"},
		MountOptions: []string{"noatime"}, Reclaim: "Delete", Binding: "WaitForFirstConsumer"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	err := client.Class(context.Background(), "fsat", &got)
	if err == nil || err.Error() != "the cluster has no StorageClass fsat" || !strings.HasPrefix(hint(err), "loadline run sc:fast") || !strings.Contains(hint(err), "fast and slow") {
		t.Errorf("%v; %s", err, hint(err))
	}
	_, empty := cluster(t)
	if err := empty.Class(context.Background(), "fast", &got); !strings.Contains(hint(err), "none at all") {
		t.Errorf("%v; %s", err, hint(err))
	}
}

// TestClassMayBeUnreadable checks that a Role without cluster-wide rights is enough.
func TestClassMayBeUnreadable(t *testing.T) {
	s, client := cluster(t)
	s.Forbid("GET", "/apis/storage.k8s.io/v1/storageclasses/fast", "get", "storageclasses")
	if err := client.Class(context.Background(), "fast", &model.Cluster{}); err != nil {
		t.Error(err)
	}
}

func TestClaimFactsTellWhatLiesBehind(t *testing.T) {
	block, name := corev1.PersistentVolumeBlock, "fast"
	bound := claim(func(c *corev1.PersistentVolumeClaim) {
		c.Spec = corev1.PersistentVolumeClaimSpec{VolumeName: "pv-1", VolumeMode: &block, StorageClassName: &name,
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}}
		c.Status.Phase, c.Status.Capacity = corev1.ClaimBound, corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")}
	})
	volume := &corev1.PersistentVolume{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"}, ObjectMeta: metav1.ObjectMeta{Name: "pv-1"}}
	volume.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
	volume.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "driver.example", VolumeHandle: "h", VolumeAttributes: map[string]string{"a": "b"}}
	s, client := cluster(t, bound, volume)
	want := model.Cluster{Claim: "c", Volume: "pv-1", Mode: "Block", Access: []string{"ReadWriteMany"}, Capacity: 2 << 30, Class: "fast"}
	s.Forbid("GET", "/api/v1/persistentvolumes/pv-1", "get", "persistentvolumes")
	var got model.Cluster
	if err := client.ClaimFacts(context.Background(), "n", "c", &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("without the right to read volumes: %s", diff)
	}
	s.Fail = map[string]metav1.Status{}
	if err := client.ClaimFacts(context.Background(), "n", "c", &got); err != nil {
		t.Fatal(err)
	}
	want.Driver, want.Handle, want.Attributes, want.Reclaim = "driver.example", "h", map[string]string{"a": "b"}, "Retain"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := client.ClaimFacts(context.Background(), "n", "none", &got); err == nil || err.Error() != "there is no claim none in the namespace n" {
		t.Errorf("%v", err)
	}
}

func TestClaimIsMadeOnceAndLabelled(t *testing.T) {
	s, client := cluster(t)
	const path = "/api/v1/namespaces/n/persistentvolumeclaims/c"
	// The first response is lost: making the claim again does no harm.
	s.Fail["POST /api/v1/namespaces/n/persistentvolumeclaims"] = metav1.Status{Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable, Message: "etcd is away"}
	_, err := client.MakeClaim(context.Background(), ClaimSpec{Name: "c", Made: Made{Run: "r", Driver: "here/1"}, Class: "fast", Size: 3 << 30, Block: true, Access: "RWX"})
	if err != nil {
		t.Fatal(err)
	}
	var got corev1.PersistentVolumeClaim
	if err := json.Unmarshal(s.Bodies[path], &got); err != nil {
		t.Fatal(err)
	}
	size := got.Spec.Resources.Requests[corev1.ResourceStorage]
	if got.Labels[Label] != "r" || got.Annotations[driverNote] != "here/1" || *got.Spec.StorageClassName != "fast" || size.Value() != 3<<30 ||
		*got.Spec.VolumeMode != corev1.PersistentVolumeBlock || got.Spec.AccessModes[0] != corev1.ReadWriteMany {
		t.Errorf("%s", s.Bodies[path])
	}
}

func TestUsersOfAClaim(t *testing.T) {
	uses := func(name, phase, run string) *corev1.Pod {
		p := pod(func(p *corev1.Pod) {
			p.Name, p.Spec.NodeName, p.Status.Phase = name, "node2", corev1.PodPhase(phase)
			p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}}
		})
		if run != "" {
			p.Labels = map[string]string{Label: run}
		}
		return p
	}
	ephemeral := pod(func(p *corev1.Pod) {
		p.Name = "e"
		p.Spec.Volumes = []corev1.Volume{{Name: "c", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}}
	})
	_, client := cluster(t, uses("db", "Running", ""), uses("job", "Succeeded", ""), uses("own", "Running", "r"), uses("other", "Pending", "s"), ephemeral)
	for run, want := range map[string][]string{"r": {"db", "other"}, "": {"db", "other", "own"}} {
		users, err := client.UsedBy(context.Background(), "n", "c", run)
		var names []string
		for _, u := range users {
			names = append(names, u.Name)
		}
		if err != nil || !cmp.Equal(names, want) || users[0].Node != "node2" || users[1].Run != "s" {
			t.Errorf("%+v, %v", users, err)
		}
	}
	if users, err := client.UsedBy(context.Background(), "n", "e-c", ""); err != nil || len(users) != 1 {
		t.Errorf("an ephemeral volume: %v, %v", users, err)
	}
}

// TestStatedIdentity checks that a setting of the container that uses the claim overrides one of
// the pod, and that a setting that is absent stays unset.
func TestStatedIdentity(t *testing.T) {
	number := func(n int64) *int64 { return &n }
	mount := []corev1.VolumeMount{{Name: "v"}}
	spec := corev1.PodSpec{
		SecurityContext: &corev1.PodSecurityContext{RunAsUser: number(1), FSGroup: number(7), SupplementalGroups: []int64{6, 7},
			SELinuxOptions: &corev1.SELinuxOptions{Level: "s0:c1"}},
		Containers: []corev1.Container{
			{Name: "sidecar", SecurityContext: &corev1.SecurityContext{RunAsUser: number(2)}},
			{Name: "db", VolumeMounts: mount, SecurityContext: &corev1.SecurityContext{RunAsUser: number(999), SELinuxOptions: &corev1.SELinuxOptions{Level: "s0:c2"}}},
		},
	}
	want := Stated{User: number(999), Groups: []int64{6, 7}, Level: "s0:c2"}
	if diff := cmp.Diff(want, stated(&spec, "v")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Stated{}, stated(&corev1.PodSpec{Containers: []corev1.Container{{VolumeMounts: mount}}}, "v")); diff != "" {
		t.Error(diff)
	}
}

// A request without an answer may have used up the quota that refuses the next one: what it made is ours.
func TestTheQuotaThatOurOwnClaimUsedUp(t *testing.T) {
	s, client := cluster(t)
	const claims = "/api/v1/namespaces/n/persistentvolumeclaims"
	s.LoseAnswer = true
	s.OnCreate = func(string, kubetest.Object) {
		s.Fail["POST "+claims] = metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: `persistentvolumeclaims "c" is forbidden: exceeded quota`}
	}
	uid, err := client.MakeClaim(t.Context(), ClaimSpec{Name: "c", Made: Made{Run: "r", Driver: "here/1", Token: "ours"}, Class: "fast", Size: 1 << 30})
	if err != nil || uid == "" || len(s.Objects) != 1 {
		t.Errorf("%q, %v, %d objects", uid, err, len(s.Objects))
	}
}
