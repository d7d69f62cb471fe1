package kube

import (
	"context"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func made(t *testing.T, spec PodSpec) *corev1.Pod {
	t.Helper()
	s, client := cluster(t)
	spec.Name, spec.Run, spec.Claim, spec.Image = "p", "r", "c", "image:1"
	if _, err := client.MakePod(context.Background(), spec); err != nil {
		t.Fatal(err)
	}
	var p corev1.Pod
	if err := json.Unmarshal(s.Bodies["/api/v1/namespaces/n/pods/p"], &p); err != nil {
		t.Fatal(err)
	}
	return &p
}

// TestPodIsRestricted checks the requirements of the Pod Security standard "restricted".
func TestPodIsRestricted(t *testing.T) {
	for _, block := range []bool{false, true} {
		p := made(t, PodSpec{Block: block})
		of, c := p.Spec.SecurityContext, p.Spec.Containers[0]
		switch {
		case !*of.RunAsNonRoot, *of.RunAsUser == 0, of.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault,
			*c.SecurityContext.AllowPrivilegeEscalation, len(c.SecurityContext.Capabilities.Add) != 0,
			c.SecurityContext.Capabilities.Drop[0] != "ALL", p.Spec.HostNetwork, p.Spec.HostPID, p.Spec.HostIPC:
			t.Errorf("block %v: %+v, %+v", block, of, c.SecurityContext)
		}
		for _, v := range p.Spec.Volumes {
			if v.EmptyDir == nil && v.PersistentVolumeClaim == nil {
				t.Errorf("volume %s", v.Name)
			}
		}
		if *p.Spec.AutomountServiceAccountToken {
			t.Error("the worker needs no token")
		}
		if block != (len(c.VolumeDevices) == 1) {
			t.Errorf("block %v: %v", block, c.VolumeDevices)
		}
	}
	root := made(t, PodSpec{Identity: Identity{User: new(int64), Group: new(int64)}})
	if *root.Spec.SecurityContext.RunAsUser != 0 || *root.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation {
		t.Errorf("%+v", root.Spec.SecurityContext)
	}
}

func TestPodGoesWhereItIsTold(t *testing.T) {
	p := made(t, PodSpec{Where: Where{Node: "node3", NodeSelector: map[string]string{"disk": "ssd"}, PullSecret: "pull",
		Tolerations: []string{"dedicated=storage:NoSchedule", "gpu"}, Resources: map[string]string{"cpu": "2"}}})
	// spec.nodeName would bypass the scheduler, which binds late claims.
	if p.Spec.NodeName != "" {
		t.Errorf("nodeName %q", p.Spec.NodeName)
	}
	field := p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0]
	if field.Key != "metadata.name" || field.Values[0] != "node3" {
		t.Errorf("%+v", field)
	}
	tolerations := p.Spec.Tolerations
	if len(tolerations) != 2 || tolerations[0].Value != "storage" || tolerations[0].Effect != corev1.TaintEffectNoSchedule || tolerations[1].Operator != corev1.TolerationOpExists {
		t.Errorf("%+v", tolerations)
	}
	cpu := p.Spec.Containers[0].Resources.Limits[corev1.ResourceCPU]
	if p.Spec.NodeSelector["disk"] != "ssd" || p.Spec.ImagePullSecrets[0].Name != "pull" || cpu.String() != "2" {
		t.Errorf("%+v", p.Spec)
	}
	if spread := p.Spec.TopologySpreadConstraints; len(spread) != 0 {
		t.Errorf("a single pod is spread: %+v", spread)
	}
	// By default nothing throttles the load.
	if limits := made(t, PodSpec{}).Spec.Containers[0].Resources.Limits; len(limits) != 0 {
		t.Errorf("limits %v", limits)
	}
	near := made(t, PodSpec{Near: "node1", Spread: Hard})
	if near.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil || len(near.Spec.TopologySpreadConstraints) != 0 {
		t.Errorf("%+v", near.Spec)
	}
}

func TestWhereIsChecked(t *testing.T) {
	for want, w := range map[string]Where{
		`--toleration "a=b:Sometimes" is none`:      {Tolerations: []string{"a=b:Sometimes"}},
		`--toleration ":NoSchedule" is none`:        {Tolerations: []string{":NoSchedule"}},
		"--resources memory=much is not a quantity": {Resources: map[string]string{"memory": "much"}},
	} {
		if err := w.Check(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := (Where{Tolerations: []string{"*", "a", "a:NoExecute"}, Resources: map[string]string{"cpu": "500m"}}).Check(); err != nil {
		t.Error(err)
	}
}

// TestSpread checks that a hard spread is required, and only over the nodes that may run the pods:
// a tainted node holds no pod and would limit every other node to one.
func TestSpread(t *testing.T) {
	for spread, want := range map[Spread]corev1.UnsatisfiableConstraintAction{Hard: corev1.DoNotSchedule, Soft: corev1.ScheduleAnyway} {
		p := made(t, PodSpec{Spread: spread})
		list := p.Spec.TopologySpreadConstraints
		if len(list) != 1 {
			t.Fatalf("%+v", list)
		}
		c := list[0]
		if c.MaxSkew != 1 || c.TopologyKey != corev1.LabelHostname || c.WhenUnsatisfiable != want || c.LabelSelector.MatchLabels[Label] != "r" ||
			*c.NodeTaintsPolicy != corev1.NodeInclusionPolicyHonor || *c.NodeAffinityPolicy != corev1.NodeInclusionPolicyHonor {
			t.Errorf("%s: %+v", spread, c)
		}
	}
}

// TestForeignVolumeIsNotGivenAway checks that without fsGroup Kubernetes changes nothing on a
// volume, whatever groups the worker has.
func TestForeignVolumeIsNotGivenAway(t *testing.T) {
	user, group := int64(999), int64(998)
	id := Identity{User: &user, Group: &group, Groups: []int64{5, 6}, Level: "s0:c1,c2"}
	of := made(t, PodSpec{Identity: id}).Spec.SecurityContext
	if of.FSGroup != nil || of.FSGroupChangePolicy != nil || of.SELinuxChangePolicy != nil || *of.RunAsUser != 999 || *of.RunAsGroup != 998 || !*of.RunAsNonRoot ||
		len(of.SupplementalGroups) != 2 || of.SELinuxOptions.Level != "s0:c1,c2" || of.SELinuxOptions.Type != "" {
		t.Errorf("%+v", of)
	}
	if plain := made(t, PodSpec{}).Spec.SecurityContext; plain.FSGroup != nil || plain.SELinuxOptions != nil || *plain.RunAsUser != WorkerID {
		t.Errorf("%+v", plain)
	}
	if own := made(t, PodSpec{Identity: Own()}).Spec.SecurityContext; *own.FSGroup != WorkerID || *own.FSGroupChangePolicy != corev1.FSGroupChangeOnRootMismatch {
		t.Errorf("%+v", own)
	}
	if root := made(t, PodSpec{Identity: Identity{FSGroup: new(int64)}}).Spec.SecurityContext; root.FSGroup == nil || *root.FSGroup != 0 || root.FSGroupChangePolicy == nil {
		t.Errorf("a group 0 that was asked for is not in the pod: %+v", root)
	}
}
