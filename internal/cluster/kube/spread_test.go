package kube

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestNodesThatMayRunAPod checks that a node counts if it has the labels and no taint that the pod
// does not tolerate, and that without the right to list nodes none is known.
func TestNodesThatMayRunAPod(t *testing.T) {
	node := func(name, disk string, taints ...corev1.Taint) *corev1.Node {
		return &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"disk": disk}}, Spec: corev1.NodeSpec{Taints: taints}}
	}
	nodes := []any{node("a", "ssd"), node("b", "ssd"), node("c", "hdd"), node("d", "ssd", corev1.Taint{Key: "control-plane", Effect: corev1.TaintEffectNoSchedule}),
		node("e", "ssd", corev1.Taint{Key: "slow", Effect: corev1.TaintEffectPreferNoSchedule})}
	for name, c := range map[string]struct {
		where Where
		want  int
	}{
		"all":       {Where{}, 4},
		"tolerated": {Where{Tolerations: []string{"control-plane"}}, 5},
		"selected":  {Where{NodeSelector: map[string]string{"disk": "ssd"}}, 3},
		"named":     {Where{Node: "c"}, 1},
	} {
		_, client := cluster(t, nodes...)
		if got, known := client.Nodes(context.Background(), c.where); got != c.want || !known {
			t.Errorf("%s: %d, not %d", name, got, c.want)
		}
	}
	s, client := cluster(t, nodes...)
	s.Forbid("GET", "/api/v1/nodes", "list", "nodes")
	if got, known := client.Nodes(context.Background(), Where{}); known {
		t.Errorf("%d without the right", got)
	}
}

// TestBoundVolume checks that a volume that only some nodes can use is recognised by its node
// affinity.
func TestBoundVolume(t *testing.T) {
	volume := func(name string, terms ...corev1.NodeSelectorTerm) *corev1.PersistentVolume {
		pv := &corev1.PersistentVolume{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"}, ObjectMeta: metav1.ObjectMeta{Name: name}}
		if len(terms) > 0 {
			pv.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: terms}}
		}
		return pv
	}
	claim := claim(func(c *corev1.PersistentVolumeClaim) {
		c.Status.Phase, c.Spec.VolumeName = corev1.ClaimBound, "local"
	})
	_, client := cluster(t, volume("local", corev1.NodeSelectorTerm{}), volume("network"), claim)
	ctx := context.Background()
	if name := client.WaitBound(ctx, "c", 0); name != "local" || !client.Bound(ctx, name) || client.Bound(ctx, "network") || client.Bound(ctx, "none") || client.Bound(ctx, "") {
		t.Errorf("%q", name)
	}
	if name := client.WaitBound(ctx, "none", 0); name != "" {
		t.Errorf("a claim that is not there has %q", name)
	}
}
