package postgres

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// What is known of a server before its programs are: the settings that it is given, the user's
// before Loadline's, and their defaults only if its image says which version it has.
func TestForeseen(t *testing.T) {
	got, err := Foreseen(model.AppRequest{Clients: 100, Image: "mine:1", Set: []string{"work_mem=8MB", "track_io_timing=off", "work_mem=9MB"}})
	if err != nil {
		t.Fatal(err)
	}
	want := &model.AppState{Name: "postgres"}
	for _, s := range [][2]string{{"track_io_timing", "off"}, {"track_wal_io_timing", "on"}, {"max_connections", "108"}, {"work_mem", "9MB"}, {"restart_after_crash", "off"}} {
		want.Settings = append(want.Settings, model.Setting{Name: s[0], Value: s[1], Source: "command line"})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := Foreseen(model.AppRequest{Set: []string{"default_transaction_read_only=false", "synchronous_standby_names=''"}}); err != nil {
		t.Error(err)
	}
	for set, words := range map[string]string{"fsync": "is not a setting", "=on": "is not a setting", "port=1": "where the server of a run has its files and sockets", "PORT=1": "where the server of a run has its files and sockets",
		"Synchronous_Standby_Names=x": "every commit would wait forever", "default_transaction_read_only=on": "nothing could be created"} {
		_, err := Foreseen(model.AppRequest{Set: []string{set}})
		modeltest.Refused(t, err, words)
	}
}

// The defaults are those of the version in the name of an official image, and of no other image.
func TestForeseenByTheImagesName(t *testing.T) {
	for image, major := range map[string]int{Image: 17, "postgres:14": 14, "docker.io/library/postgres:16.4-alpine": 16, "mirror.example:5000/hub/postgres:18@sha256:0123": 18,
		"postgres": 0, "postgres:latest": 0, "bitnami/postgresql:16": 0, "mirror.example/postgres:17/x": 0} {
		if got := imageMajor(image); got != major {
			t.Errorf("%s has %d, want %d", image, got, major)
		}
		state, err := Foreseen(model.AppRequest{Clients: 4, Image: image, Set: []string{"Shared_Buffers=1GB", "new_in_a_minor_version=on"}})
		if err != nil {
			t.Fatal(err)
		}
		known := oldest <= major && major <= newest
		if state.Assumed != known || known != (len(state.Settings) > 250) || known != (state.Version != "") {
			t.Errorf("%s: %+v", image, state)
		}
		for _, s := range state.Settings {
			want := map[string]model.Setting{
				"shared_buffers":         {Name: "shared_buffers", Value: "1GB", Default: "128MB", Source: "command line"},
				"new_in_a_minor_version": {Name: "new_in_a_minor_version", Value: "on", Source: "command line"},
				"checkpoint_timeout":     {Name: "checkpoint_timeout", Value: "5min", Default: "5min", Source: "default"},
			}[s.Name]
			if known && want.Name != "" && s != want {
				t.Errorf("%s: %+v, want %+v", image, s, want)
			}
		}
	}
}

// A version that cannot be measured is refused by its name.
func TestAnImageOfAnotherVersion(t *testing.T) {
	for _, image := range []string{"postgres:13", "postgres:9.6", "postgres:99"} {
		_, err := Foreseen(model.AppRequest{Clients: 4, Image: image})
		modeltest.Refused(t, err, "--image "+image+" is PostgreSQL ", "Loadline measures 14 to 18", "--image postgres:18")
	}
}

// Clients that a limit of the user's leaves no room for are refused before there is a server.
func TestTooFewConnections(t *testing.T) {
	_, err := Foreseen(model.AppRequest{Clients: 64, Set: []string{"max_connections=100", "Max_Connections='50'"}})
	if e := modeltest.Refused(t, err, "max_connections=50 is too few for 64 clients"); e != nil && !strings.Contains(e.Hint, "max_connections=72") {
		t.Errorf("%q", e.Hint)
	}
	for _, set := range [][]string{{"max_connections=72"}, {"max_connections=50", "max_connections=200"}, {"max_connections=many"}, nil} {
		if _, err := Foreseen(model.AppRequest{Clients: 64, Set: set}); err != nil {
			t.Errorf("%q: %v", set, err)
		}
	}
}

// A pod's programs are those of its image, so a missing program is reported as the image's.
func TestWhatAnImageLacks(t *testing.T) {
	claim := model.Target{Cluster: &model.ClusterVolume{Class: "fast"}}
	lacks := model.RefusedError("no psql", "apt-get install postgresql")
	modeltest.Refused(t, inImage(claim, lacks), "the pod's image has no PostgreSQL to measure: no psql", "--image postgres:17")
	if err := inImage(model.Target{}, lacks); !errors.Is(err, lacks) {
		t.Errorf("%v", err)
	}
	if broken := errors.New("killed"); !errors.Is(inImage(claim, broken), broken) {
		t.Error("a program that cannot be started is the image's fault")
	}
}
