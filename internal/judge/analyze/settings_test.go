package analyze

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// Settings that somebody chose are compared; where a server has its files is not, nor what a version chooses.
func TestSettingsThatDiffer(t *testing.T) {
	server := func(list ...model.Setting) *model.RunInfo {
		return &model.RunInfo{Prepare: &model.Preparation{App: &model.AppState{Settings: list}}}
	}
	a := server(model.Setting{Name: "data_directory", Value: "/a", Source: "override"}, model.Setting{Name: "fsync", Value: "on", Source: "default"},
		model.Setting{Name: "port", Value: "5432", Source: "command line"}, model.Setting{Name: "track_io_timing", Value: "on", Source: "command line"},
		model.Setting{Name: "wal_buffers", Value: "4MB", Source: "default"}, model.Setting{Name: "old", Value: "1", Source: "command line"})
	b := server(model.Setting{Name: "data_directory", Value: "/b", Source: "override"}, model.Setting{Name: "fsync", Value: "off", Source: "command line"},
		model.Setting{Name: "port", Value: "5433", Source: "command line"}, model.Setting{Name: "track_io_timing", Value: "on", Source: "command line"},
		model.Setting{Name: "wal_buffers", Value: "16MB", Source: "default"}, model.Setting{Name: "TimeZone", Value: "UTC", Source: "configuration file"})
	a.Prepare.App.Settings = append(a.Prepare.App.Settings, model.Setting{Name: "TimeZone", Value: "CET", Source: "configuration file"})
	_, got := traits(a, b)
	if diff := cmp.Diff([]model.Difference{{Name: "fsync", A: "on", B: "off", NotComparable: true}}, got); diff != "" {
		t.Error(diff)
	}
	if _, got := traits(a, &model.RunInfo{}); len(got) != 0 {
		t.Errorf("against a run without a server: %+v", got)
	}
}
