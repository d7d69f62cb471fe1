package kube

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/loadline/loadline/internal/cluster/kube/kubetest"
	"github.com/loadline/loadline/internal/model"
)

func ownPod(name, namespace, run string) *corev1.Pod {
	return pod(func(p *corev1.Pod) {
		p.Name, p.Namespace, p.Status.Phase = name, namespace, corev1.PodRunning
		p.Labels, p.Annotations = map[string]string{Label: run}, map[string]string{driverNote: "here/1"}
	})
}

func ownClaim(name, namespace, run string) *corev1.PersistentVolumeClaim {
	return claim(func(c *corev1.PersistentVolumeClaim) {
		c.Name, c.Namespace, c.Labels, c.Annotations = name, namespace, map[string]string{Label: run}, map[string]string{driverNote: "here/1"}
	})
}

func names(list []Object) []string {
	var s []string
	for _, o := range list {
		s = append(s, o.String())
	}
	slices.Sort(s)
	return s
}

// TestOwnIsWhatCarriesTheLabel: no other object is ever listed, so no other object is ever removed.
func TestOwnIsWhatCarriesTheLabel(t *testing.T) {
	_, client := cluster(t, ownPod("w", "n", "r"), ownClaim("v", "n", "r"), ownClaim("v2", "n", "other"), ownPod("far", "m", "r"),
		pod(func(p *corev1.Pod) { p.Name = "db" }), claim(func(c *corev1.PersistentVolumeClaim) { c.Name = "data" }),
		// Somebody may give theirs our label.
		pod(func(p *corev1.Pod) { p.Name, p.Labels = "alike", map[string]string{Label: "r"} }),
		claim(func(c *corev1.PersistentVolumeClaim) { c.Name, c.Labels = "alike", map[string]string{Label: "r"} }))
	for _, c := range []struct {
		namespace, run string
		want           []string
	}{
		{"n", "", []string{"claim n/v", "claim n/v2", "pod n/w"}},
		{"n", "r", []string{"claim n/v", "pod n/w"}},
		{"", "", []string{"claim n/v", "claim n/v2", "pod m/far", "pod n/w"}},
	} {
		got, err := client.Own(context.Background(), c.namespace, c.run)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, names(got)); diff != "" {
			t.Errorf("%+v: %s", c, diff)
		}
	}
}

func TestRemoveTakesPodsFirstAndAsksAgain(t *testing.T) {
	s, client := cluster(t, ownClaim("v", "n", "r"), ownPod("w", "n", "r"))
	var order []string
	s.OnDelete = func(path string, _ kubetest.Object) bool {
		order = append(order, path[strings.LastIndex(path, "/")+1:])
		return true
	}
	s.Fail["DELETE /api/v1/namespaces/n/pods/w"] = metav1.Status{Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable, Message: "restarting"}
	err := client.Remove(context.Background(), []Object{{Kind: "claim", Namespace: "n", Name: "v", UID: "uid-of-v"}, {Kind: "pod", Namespace: "n", Name: "w", UID: "uid-of-w"}, {Kind: "pod", Namespace: "n", Name: "gone", UID: "uid-of-gone"}}, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Objects) != 0 || len(order) != 2 {
		t.Errorf("left %v, deleted %v", s.Objects, order)
	}
	if calls := s.Calls(); slices.Index(calls, "DELETE /api/v1/namespaces/n/pods/w") > slices.Index(calls, "DELETE /api/v1/namespaces/n/persistentvolumeclaims/v") {
		t.Errorf("%v", calls)
	}
}

func TestRemoveSaysWhatStays(t *testing.T) {
	s, client := cluster(t, ownPod("w", "n", "r"))
	// A pod on a lost node stays however often it is deleted.
	s.OnDelete = func(string, kubetest.Object) bool { return false }
	err := client.Remove(context.Background(), []Object{{Kind: "pod", Namespace: "n", Name: "w", UID: "uid-of-w"}}, 500*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "still there: pod n/w") || hint(err) != "later: loadline cleanup --namespace n" {
		t.Errorf("%v; %s", err, hint(err))
	}
	// Without the right to read the pod it does not wait.
	s.Forbid("GET", "/api/v1/namespaces/n/pods/w", "get", "pods")
	if err := client.Remove(context.Background(), []Object{{Kind: "pod", Namespace: "n", Name: "w", UID: "uid-of-w"}}, 5*time.Second); err != nil {
		t.Error(err)
	}
	s.OnDelete = nil
	s.Forbid("DELETE", "/api/v1/namespaces/n/pods/w", "delete", "pods")
	err = client.Remove(context.Background(), []Object{{Kind: "pod", Namespace: "n", Name: "w", UID: "uid-of-w"}}, 5*time.Second)
	if err == nil || !strings.HasPrefix(err.Error(), "the right to delete pods in the namespace n is missing") {
		t.Errorf("%v", err)
	}
}

// TestRemoveTakesNothingElse checks that an object that has taken the name of another stays, and so
// does one with an expected name that is not known to be ours.
func TestRemoveTakesNothingElse(t *testing.T) {
	for name, o := range map[string]Object{
		"another UID":   {UID: "of an older one"},
		"another token": {Token: "ours"},
		"nothing known": {},
	} {
		theirs := ownPod("w", "n", "r")
		theirs.Annotations[tokenNote] = "theirs"
		s, client := cluster(t, theirs)
		o.Kind, o.Namespace, o.Name = "pod", "n", "w"
		if err := client.Remove(context.Background(), []Object{o}, 5*time.Second); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(s.Objects) != 1 {
			t.Errorf("%s: the pod is gone", name)
		}
	}
}

// TestLostAnswer checks that an object whose creation response was lost is recognised by its token,
// when it is made again and when it is removed.
func TestLostAnswer(t *testing.T) {
	s, client := cluster(t)
	s.LoseAnswer = true
	spec := PodSpec{Name: "w", Made: Made{Run: "r", Token: "ours"}, Claim: "c"}
	uid, err := client.MakePod(context.Background(), spec)
	if err != nil || uid != "uid-1" || len(s.Bodies) != 1 {
		t.Errorf("%q, %v, %d made", uid, err, len(s.Bodies))
	}
	if err := client.Remove(context.Background(), []Object{{Kind: "pod", Namespace: "n", Name: "w", Token: "ours"}}, 5*time.Second); err != nil || len(s.Objects) != 0 {
		t.Errorf("%v, %v is left", err, s.Objects)
	}
}

// TestNothingIsTakenOver checks that an object with our name that is not ours is refused and not
// changed.
func TestNothingIsTakenOver(t *testing.T) {
	s, client := cluster(t, ownPod("w", "n", "r"), ownClaim("w", "n", "r"))
	mine := Made{Run: "r", Token: "mine"}
	_, podErr := client.MakePod(context.Background(), PodSpec{Name: "w", Made: mine, Claim: "c"})
	_, claimErr := client.MakeClaim(context.Background(), ClaimSpec{Name: "w", Made: mine, Class: "fast", Size: 1})
	for kind, err := range map[string]error{"pod": podErr, "claim": claimErr} {
		var said *model.WorkerError
		if !errors.As(err, &said) || said.Class != model.Refused || said.Message != kind+" n/w exists already and is not this run's; it was left as it is" {
			t.Errorf("%v", err)
		}
	}
	if len(s.Objects) != 2 || len(s.Bodies) != 0 {
		t.Errorf("%v", s.Bodies)
	}
}

// What may not be deleted is named, and everything else goes.
func TestOneRefusalKeepsNothingElse(t *testing.T) {
	s, client := cluster(t, ownPod("a", "n", "r"), ownPod("b", "n", "r"), ownClaim("v", "n", "r"))
	s.Forbid("DELETE", "/api/v1/namespaces/n/pods/a", "delete", "pods")
	all, err := client.Own(t.Context(), "n", "r")
	if err != nil || len(all) != 3 {
		t.Fatalf("%v, %v", all, err)
	}
	err = client.Remove(t.Context(), all, 10*time.Second)
	if err == nil || !strings.Contains(err.Error(), "; pod n/a stays") {
		t.Errorf("got %v", err)
	}
	left, err := client.Own(t.Context(), "n", "r")
	if diff := cmp.Diff([]string{"pod n/a"}, names(left)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}
