package monitoring

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/loadline/loadline/internal/show/metrics"
)

// dashboard is what is read of Grafana's JSON.
type dashboard struct {
	UID, Title string
	Templating struct {
		List []struct {
			Name  string
			Query any
		}
	}
	Panels []struct {
		ID          int
		Title, Type string
		Description string
		Datasource  struct{ UID string }
		Targets     []struct{ Expr, RefID string }
	}
}

// dashboards reads all of them.
func dashboards(t *testing.T) map[string]dashboard {
	t.Helper()
	files, err := filepath.Glob("*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("no dashboards: %v %v", files, err)
	}
	all := map[string]dashboard{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), `"alert"`) {
			t.Errorf("%s has alerts; what is wrong on somebody's storage is for them to say", file)
		}
		var d dashboard
		if err := json.Unmarshal(data, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[file] = d
	}
	return all
}

var (
	metricName = regexp.MustCompile(`\b(?:kbench|loadline)_[a-z_]+`)
	selector   = regexp.MustCompile(`(\b(?:kbench|loadline)_[a-z_]+)\{([^}]*)\}`)
	matcher    = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!=|!~|=)`)
	variable   = regexp.MustCompile(`\$\{?([a-z]+)\}?`)
)

// Each name in each query is one that the exporter serves, with its labels.
func TestDashboardsAskForWhatIsServed(t *testing.T) {
	served := metrics.Names()
	for file, d := range dashboards(t) {
		var variables []string
		for _, v := range d.Templating.List {
			variables = append(variables, v.Name)
		}
		ids := map[int]bool{}
		for _, p := range d.Panels {
			if ids[p.ID] || p.Title == "" || p.Description == "" || len(p.Targets) == 0 || p.Datasource.UID != "${datasource}" {
				t.Errorf("%s: panel %d (%s) is not whole", file, p.ID, p.Title)
			}
			ids[p.ID] = true
			for _, target := range p.Targets {
				names := metricName.FindAllString(target.Expr, -1)
				if len(names) == 0 {
					t.Errorf("%s: %q asks for nothing", p.Title, target.Expr)
				}
				for _, name := range names {
					if _, ok := served[name]; !ok {
						t.Errorf("%s: %s asks for %s, which nobody serves", file, p.Title, name)
					}
				}
				for _, s := range selector.FindAllStringSubmatch(target.Expr, -1) {
					for _, l := range matcher.FindAllStringSubmatch(s[2], -1) {
						if !slices.Contains(served[s[1]], l[1]) {
							t.Errorf("%s: %s has no label %s", p.Title, s[1], l[1])
						}
					}
				}
				for _, v := range variable.FindAllStringSubmatch(target.Expr, -1) {
					if !slices.Contains(variables, v[1]) {
						t.Errorf("%s: %q uses $%s, which the dashboard does not define", p.Title, target.Expr, v[1])
					}
				}
			}
		}
	}
}

// The monitor selects the service, and the service the port of Kbench's manifests.
func TestServiceMonitorFindsItsService(t *testing.T) {
	data, err := os.ReadFile("servicemonitor.yaml")
	if err != nil {
		t.Fatal(err)
	}
	type port struct {
		Name       string
		TargetPort string `yaml:"targetPort"`
	}
	type object struct {
		Kind     string
		Metadata struct{ Labels map[string]string }
		Spec     struct {
			Selector  map[string]any
			Ports     []port
			Endpoints []struct{ Port, Path string }
		}
	}
	var objects []object
	for part := range strings.SplitSeq(string(data), "\n---\n") {
		var o object
		if err := yaml.Unmarshal([]byte(part), &o); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, o)
	}
	service, monitor := objects[0], objects[1]
	wanted, _ := monitor.Spec.Selector["matchLabels"].(map[string]any)
	if service.Kind != "Service" || monitor.Kind != "ServiceMonitor" || len(wanted) == 0 {
		t.Fatalf("%+v", objects)
	}
	for label, value := range wanted {
		if service.Metadata.Labels[label] != value {
			t.Errorf("the monitor asks for %s=%v, the service has %v", label, value, service.Metadata.Labels)
		}
	}
	if e := monitor.Spec.Endpoints[0]; e.Port != service.Spec.Ports[0].Name || e.Path != "/metrics" || service.Spec.Ports[0].TargetPort != "metrics" {
		t.Errorf("%+v does not lead to %+v", e, service.Spec.Ports)
	}
}
