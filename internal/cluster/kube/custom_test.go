package kube

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestDriverIsRead(t *testing.T) {
	policy := storagev1.FileFSGroupPolicy
	attach := false
	driver := func(name string, spec storagev1.CSIDriverSpec) *storagev1.CSIDriver {
		return &storagev1.CSIDriver{TypeMeta: metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "CSIDriver"}, Spec: spec,
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"a": "2"}}}
	}
	s, client := cluster(t, driver("full", storagev1.CSIDriverSpec{AttachRequired: &attach, FSGroupPolicy: &policy}), driver("empty", storagev1.CSIDriverSpec{}))
	for name, want := range map[string]Driver{
		"full":  {Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"a": "2"}, FSGroup: "File"},
		"empty": {Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"a": "2"}, Attach: true},
	} {
		got, err := client.Driver(context.Background(), name)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
	if _, err := client.Driver(context.Background(), "none"); !errors.Is(err, ErrMissing) || errors.Is(err, ErrForbidden) {
		t.Errorf("%v", err)
	}
	s.Forbid("GET", "/apis/storage.k8s.io/v1/csidrivers/full", "get", "csidrivers")
	if _, err := client.Driver(context.Background(), "full"); err != nil {
		t.Errorf("what was told a moment ago is asked again: %v", err)
	}
	client.known = &known{}
	if _, err := client.Driver(context.Background(), "full"); !errors.Is(err, ErrForbidden) || errors.Is(err, ErrMissing) {
		t.Errorf("%v", err)
	}
}

func TestCustomObjectsAreFoundInAllNamespaces(t *testing.T) {
	object := func(namespace, name, volume string) map[string]any {
		return map[string]any{"apiVersion": "longhorn.io/v1beta2", "kind": "Replica", "spec": map[string]any{"nodeID": "node-" + name},
			"metadata": map[string]any{"namespace": namespace, "name": name, "labels": map[string]any{"longhornvolume": volume}}}
	}
	s, client := cluster(t, object("a", "1", "v"), object("b", "2", "w"))
	var got struct {
		Items []struct{ Spec struct{ NodeID string } }
	}
	which := Custom{Group: "longhorn.io", Version: "v1beta2", Resource: "replicas", Label: "longhornvolume=v"}
	if err := client.Find(context.Background(), which, &got); err != nil || len(got.Items) != 1 || got.Items[0].Spec.NodeID != "node-1" {
		t.Errorf("%v %+v", err, got)
	}
	if last := s.Calls()[len(s.Calls())-1]; last != "GET /apis/longhorn.io/v1beta2/replicas" {
		t.Error(last)
	}
	if err := client.Find(context.Background(), which, &struct{ Items string }{}); err == nil || !strings.Contains(err.Error(), "replicas.longhorn.io are not what they should be") {
		t.Errorf("%v", err)
	}
	which.Resource = "elephants"
	if err := client.Find(context.Background(), which, &got); !errors.Is(err, ErrMissing) {
		t.Errorf("%v", err)
	}
	s.Forbid("GET", "/apis/longhorn.io/v1beta2/replicas", "list", "replicas")
	which.Resource = "replicas"
	if err := client.Find(context.Background(), which, &got); !errors.Is(err, ErrForbidden) {
		t.Errorf("%v", err)
	}
}
