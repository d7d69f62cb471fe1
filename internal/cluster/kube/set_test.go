package kube

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
	"github.com/loadline/loadline/internal/model"
)

const setsPath = "/apis/apps/v1/namespaces/n/statefulsets"

var setSpec = PodSpec{Name: "s", Set: true, Made: Made{Run: "r", Driver: "host/1", Token: "ours"}, Claim: "c", Where: Where{Image: "i:1", Application: "postgres:17"}, Command: []string{"loadline-agent"}}

// controller makes the pods of StatefulSets, as the cluster's controller does, and deletes them with their set.
func controller(s *kubetest.Server) {
	s.OnCreate = func(path string, o kubetest.Object) {
		if strings.HasPrefix(path, setsPath) {
			meta := o["spec"].(kubetest.Object)["template"].(kubetest.Object)["metadata"].(kubetest.Object)
			meta["name"], meta["uid"], meta["namespace"] = "s-0", "uid-of-the-pod", "n"
			s.Objects["/api/v1/namespaces/n/pods/s-0"] = object{"kind": "Pod", "apiVersion": "v1", "metadata": meta, "spec": object{}, "status": object{"phase": "Running"}}
		}
	}
	s.OnDelete = func(path string, _ kubetest.Object) bool {
		if strings.HasPrefix(path, setsPath) {
			delete(s.Objects, "/api/v1/namespaces/n/pods/s-0")
		}
		return true
	}
}

// TestASet: its pod is the one that would be made without it, and it selects no other one of the run.
func TestASet(t *testing.T) {
	s, client := cluster(t)
	controller(s)
	uid, err := client.MakePod(t.Context(), setSpec)
	if err != nil {
		t.Fatal(err)
	}
	pod, err := client.WaitMade(t.Context(), setSpec, time.Minute, func(string) {})
	if err != nil || pod != "uid-of-the-pod" {
		t.Errorf("%q, %v", pod, err)
	}
	var set appsv1.StatefulSet
	if err := json.Unmarshal(s.Bodies[setsPath+"/s"], &set); err != nil {
		t.Fatal(err)
	}
	spec, only := set.Spec, set.Spec.Selector.MatchLabels
	if *spec.Replicas != 1 || len(only) != 1 || only[setLabel] != "s" || spec.Template.Labels[setLabel] != "s" || spec.Template.Labels[Label] != "r" || spec.Template.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		t.Errorf("%+v", spec)
	}
	if set.Labels[Label] != "r" || set.Annotations[tokenNote] != "ours" || spec.Template.Annotations[tokenNote] != "ours" {
		t.Errorf("%v, %v, %v", set.Labels, set.Annotations, spec.Template.Annotations)
	}
	single := setSpec
	single.Set = false
	want := client.manifest(single).Spec
	want.RestartPolicy = corev1.RestartPolicyAlways
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(spec.Template.Spec)
	if string(a) != string(b) {
		t.Errorf("%s\n%s", a, b)
	}

	own, err := client.Own(t.Context(), "n", "r")
	if err != nil || !slices.Equal(names(own), []string{"pod n/s-0", "statefulset n/s"}) {
		t.Fatalf("%v, %v", own, err)
	}
	if err := client.Remove(t.Context(), own, time.Minute); err != nil {
		t.Error(err)
	}
	for _, call := range s.Calls() {
		// A controller that has not yet heard of the set's end would make another pod.
		if call == "DELETE /api/v1/namespaces/n/pods/s-0" {
			t.Error("the pod of a set was deleted by us")
		}
	}
	if left, err := client.Own(t.Context(), "n", "r"); err != nil || len(left) > 0 {
		t.Errorf("%v, %v; %s", left, err, uid)
	}
}

// A set that may not be deleted keeps its pod, which it would make again.
func TestASetThatStaysKeepsItsPod(t *testing.T) {
	s, client := cluster(t)
	controller(s)
	if _, err := client.MakePod(t.Context(), setSpec); err != nil {
		t.Fatal(err)
	}
	s.Forbid("DELETE", setsPath+"/s", "delete", "statefulsets")
	own, err := client.Own(t.Context(), "n", "r")
	if err != nil {
		t.Fatal(err)
	}
	left, err := client.RemoveEach(t.Context(), own, time.Minute)
	if err == nil || !strings.Contains(err.Error(), "the right to delete statefulsets in the namespace n is missing") || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestASetWithoutAPod: the cluster accepts any set, and says only in its events that it may not make the pod.
func TestASetWithoutAPod(t *testing.T) {
	failed := func(message string) object {
		return object{"kind": "Event", "apiVersion": "v1", "metadata": object{"name": "e", "namespace": "n"}, "type": "Warning", "reason": "FailedCreate", "message": message,
			"involvedObject": object{"kind": "StatefulSet", "name": "s"}, "count": 7}
	}
	for name, c := range map[string]struct {
		events []any
		refuse string
		limit  time.Duration
		want   []string
		class  model.ErrorClass
	}{
		"a quota": {[]any{failed("create Pod s-0 in StatefulSet s failed error: pods \"s-0\" is forbidden: exceeded quota: q")}, "exceeded quota: q, requested: pods=1", time.Minute,
			[]string{"the quota of the namespace n does not allow it", "kubectl describe quota"}, model.Refused},
		"no quota for it": {[]any{failed("create Pod s-0 in StatefulSet s failed error: pods \"s-0\" is forbidden: failed quota: q: must specify limits.memory for: worker")}, "failed quota: q: must specify limits.memory for: worker", time.Minute,
			[]string{"the quota of the namespace n does not allow it", "--resources cpu=1,memory=1Gi"}, model.Refused},
		"a webhook that knows why": {[]any{failed("create Pod s-0 in StatefulSet s failed error: the webhook is down")}, "", 2 * time.Second,
			[]string{"the pod s-0 was not made within ", "the webhook is down", "kubectl describe statefulset -n n"}, model.Broken},
		"no controller": {nil, "", time.Second, []string{"the StatefulSet has not made it yet"}, model.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, client := cluster(t, c.events...)
			if c.refuse != "" {
				s.Refuse("POST", "/api/v1/namespaces/n/pods", c.refuse)
			}
			if _, err := client.MakePod(t.Context(), setSpec); err != nil {
				t.Fatal(err)
			}
			var said []string
			_, err := client.WaitMade(t.Context(), setSpec, c.limit, func(words string) { said = append(said, words) })
			var w *model.WorkerError
			if !errors.As(err, &w) || w.Class != c.class {
				t.Fatalf("%v", err)
			}
			for _, words := range c.want {
				if !strings.Contains(w.Message+" "+w.Hint, words) {
					t.Errorf("%s (%s), want %s", w.Message, w.Hint, words)
				}
			}
			if c.limit == 2*time.Second && (len(said) != 1 || !strings.Contains(said[0], Waiting+"FailedCreate: ")) {
				t.Errorf("%q", said)
			}
		})
	}
}

// TestWaitStarted: only a container that has failed is waited for.
func TestWaitStarted(t *testing.T) {
	ended := func(code int) object { return object{"terminated": object{"exitCode": code}} }
	for name, c := range map[string]struct {
		label, uid         string
		state, last        object
		deleted, waitedFor bool
	}{
		"failed":               {"s", "first", ended(137), object{}, false, true},
		"waits to be started":  {"s", "first", object{"waiting": object{"reason": "CrashLoopBackOff"}}, ended(1), false, true},
		"runs again":           {"s", "first", object{"running": object{}}, ended(137), false, false},
		"ended as it should":   {"s", "first", ended(0), object{}, false, false},
		"is being deleted":     {"s", "first", ended(137), object{}, true, false},
		"is another pod":       {"s", "second", ended(137), object{}, false, false},
		"is not that of a set": {"", "first", ended(137), object{}, false, false},
	} {
		meta := object{"name": "s-0", "namespace": "n", "uid": "first", "labels": object{setLabel: c.label}}
		if c.deleted {
			meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
		}
		s, client := cluster(t, object{"kind": "Pod", "apiVersion": "v1", "metadata": meta,
			"status": object{"phase": "Running", "containerStatuses": []object{{"name": "worker", "state": c.state, "lastState": c.last}}}})
		client.WaitStarted(t.Context(), "s-0", c.uid, time.Second)
		if calls := s.Calls(); len(calls) > 1 != c.waitedFor {
			t.Errorf("a container that %s: asked %d times", name, len(calls))
		}
	}
}

// TestARestartedContainerHasEnded: the cluster starts it again, but what was measured in it is over.
func TestARestartedContainerHasEnded(t *testing.T) {
	again := object{"kind": "Pod", "apiVersion": "v1", "metadata": object{"name": "s-0", "namespace": "n", "uid": "first"}, "spec": object{"nodeName": "node1"},
		"status": object{"phase": "Running", "containerStatuses": []object{{"name": "worker", "restartCount": 1, "state": object{"running": object{}},
			"lastState": object{"terminated": object{"exitCode": 137, "reason": "OOMKilled"}}}}}}
	_, client := cluster(t, again)
	if err := client.Gone(context.Background(), "s-0", "first"); err == nil || !strings.Contains(err.Error(), "OOMKilled") {
		t.Errorf("%v", err)
	}
	if err := client.Gone(context.Background(), "s-0", "second"); err == nil || !strings.Contains(err.Error(), "was deleted in the middle of the measurement") {
		t.Errorf("%v", err)
	}
}

// A set that may not be listed is known by its pod, which it would make again.
func TestASetThatMayNotBeListedIsNotForgotten(t *testing.T) {
	s, client := cluster(t)
	controller(s)
	if _, err := client.MakePod(t.Context(), setSpec); err != nil {
		t.Fatal(err)
	}
	s.Forbid("GET", setsPath, "list", "statefulsets")
	own, err := client.Own(t.Context(), "n", "r")
	if err != nil || !slices.Equal(names(own), []string{"pod n/s-0", "statefulset n/s"}) {
		t.Fatalf("%v, %v", own, err)
	}
	s.Forbid("GET", setsPath+"/s", "get", "statefulsets")
	left, err := client.RemoveEach(t.Context(), own, time.Minute)
	var w *model.LeftError
	if !errors.As(err, &w) || !strings.Contains(w.Message, "statefulset n/s stays") || !strings.Contains(w.Hint, "deploy/role.yaml") || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}

// A pod that the cluster does not delete with its set, because somebody has orphaned it, is deleted by us.
func TestAnOrphanedPod(t *testing.T) {
	s, client := cluster(t)
	controller(s)
	if _, err := client.MakePod(t.Context(), setSpec); err != nil {
		t.Fatal(err)
	}
	s.OnDelete = nil
	own, err := client.Own(t.Context(), "n", "r")
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Remove(t.Context(), own, time.Minute); err != nil {
		t.Error(err)
	}
	if left, err := client.Own(t.Context(), "n", "r"); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	// If only the pod is left, nothing else is waited for.
	if _, err := client.MakePod(t.Context(), setSpec); err != nil {
		t.Fatal(err)
	}
	delete(s.Objects, setsPath+"/s")
	if own, err = client.Own(t.Context(), "n", "r"); err != nil || len(own) != 1 {
		t.Fatalf("%v, %v", own, err)
	}
	if err := client.Remove(t.Context(), own, 2*time.Second); err != nil {
		t.Error(err)
	}
}
