package exporter

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/show/metrics"
)

// A setting comes from the flag, else from the environment, else from Kbench, and is checked.
func TestSettingsAreKbenchs(t *testing.T) {
	vars := map[string]string{"DATA_DIR": "/elsewhere", "TEST_MODE": "read-only", "PORT": "9100"}
	o := Options{Port: "9200"}
	labels, err := o.settle(func(name string) string { return vars[name] })
	if err != nil || o.Folder != "/elsewhere" || o.Port != "9200" || labels != (metrics.Labels{AccessMode: "rwo", TestMode: "read-only", RateLimit: "no-rate-limit"}) {
		t.Errorf("%+v, %+v, %v", o, labels, err)
	}
	for name, value := range map[string]string{"TEST_MODE": "write", "VOLUME_ACCESS_MODE": "rox", "RATE_LIMIT_TYPE": "yes", "PORT": "65536"} {
		o := Options{}
		if _, err := o.settle(func(asked string) string { return map[string]string{name: value}[asked] }); err == nil || !strings.HasPrefix(err.Error(), name+" ") {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
	for name, o := range map[string]Options{"--port": {Port: "abc"}, "--test-mode": {TestMode: "write"}} {
		if _, err := o.settle(func(string) string { return "" }); err == nil || !strings.HasPrefix(err.Error(), name+" ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A folder that does not exist yet counts as empty.
func TestAFolderMayComeLater(t *testing.T) {
	o := Options{Folder: t.TempDir() + "/later", Unreadable: func(words string) { t.Error(words) }}
	if s := o.look(); len(s.Readings)+len(s.Reports)+s.Unreadable > 0 {
		t.Errorf("%+v", s)
	}
}
