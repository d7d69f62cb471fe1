package session

import (
	"errors"
	"testing"

	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/measure/place/pods"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

func TestErrorsNameWhatTheUserNamed(t *testing.T) {
	at := &placed{target: model.Target{Name: "pvc:prod/data", Path: "/volume"}, cluster: &model.Cluster{}}
	err := at.named(model.RefusedError("/volume cannot be written", "hint"))
	var w *model.WorkerError
	if !errors.As(err, &w) || w.Message != "pvc:prod/data cannot be written" || w.Hint != "hint" || w.Class != model.Refused {
		t.Errorf("%#v", err)
	}
	here := &placed{target: model.Target{Name: "x", Path: "/volume"}}
	if err := here.named(errors.New("/volume is gone")); err.Error() != "/volume is gone" {
		t.Errorf("%v", err)
	}
}

// An application's server runs in a directory of its pod; its claim limits its space and is named in its
// errors, as with files.
func TestAnApplicationIsServedFromItsPod(t *testing.T) {
	claim := model.Target{Name: "pvc:prod/data", Kind: model.VolumeClaim, URI: "prod/data", Cluster: &model.ClusterVolume{Namespace: "prod", Name: "data"}}
	ask := &model.AppRequest{Name: "postgres"}
	seen := served(pods.AsSeen(claim, false), ask)
	if seen.Kind != model.Postgres || seen.Path == "" || seen.URI != "" || seen.Place() != "pvc:prod/data" {
		t.Errorf("%+v", seen)
	}
	if raw := served(pods.AsSeen(claim, true), ask); raw.Kind != model.BlockDevice {
		t.Errorf("%+v", raw)
	}
	if here := served(model.Target{Kind: model.Directory}, ask); here.Kind != model.Directory {
		t.Errorf("%+v", here)
	}
	if storage := served(pods.AsSeen(claim, false), nil); storage.Kind != model.Directory {
		t.Errorf("%+v", storage)
	}
	at := &placed{target: seen, cluster: &model.Cluster{Capacity: 1000, Identity: &model.PodIdentity{User: 10001, Group: 10001}}}
	probe := model.ProbeResult{Capacity: 5000}
	at.settle(&probe)
	if probe.Capacity != 950 || probe.Environment.Cluster != at.cluster {
		t.Errorf("a claim of 1000 bytes has room for %d", probe.Capacity)
	}
	err := at.named(model.RefusedError("a file cannot be made in /volume: permission denied", "check that"))
	modeltest.Refused(t, err, "made in pvc:prod/data: permission denied (the worker is user 10001", "--run-as-user UID[:GID]")
	if image := applicationImage(ask); image != postgres.Image || applicationImage(nil) != "" {
		t.Error(image)
	}
}
