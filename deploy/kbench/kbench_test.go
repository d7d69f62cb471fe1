package kbench

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/foreign/kbench"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/profile"
)

// The parts of Kubernetes' objects that matter here. Decoding is strict, so a field
// that is misspelt, or that these types do not have, fails the test.
type (
	object struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   metadata
		Spec       spec
	}
	metadata struct {
		Name   string
		Labels map[string]string
	}
	spec struct {
		// Fields of claims.
		VolumeMode       string   `yaml:"volumeMode"`
		StorageClassName string   `yaml:"storageClassName"`
		AccessModes      []string `yaml:"accessModes"`
		Resources        struct{ Requests struct{ Storage string } }
		// Fields of jobs and stateful sets.
		BackoffLimit        int    `yaml:"backoffLimit"`
		ServiceName         string `yaml:"serviceName"`
		PodManagementPolicy string `yaml:"podManagementPolicy"`
		Replicas            int
		Selector            any
		Template            struct {
			Metadata metadata
			Spec     pod
		}
		VolumeClaimTemplates []struct {
			Metadata metadata
			Spec     spec
		} `yaml:"volumeClaimTemplates"`
		// Fields of services and monitors.
		Ports []struct {
			Name       string
			Port       int
			TargetPort string `yaml:"targetPort"`
		}
		Endpoints []struct{ Port, Interval string }
	}
	pod struct {
		RestartPolicy string `yaml:"restartPolicy"`
		Containers    []container
		Volumes       []struct {
			Name                  string
			EmptyDir              map[string]any `yaml:"emptyDir"`
			PersistentVolumeClaim struct {
				ClaimName string `yaml:"claimName"`
			} `yaml:"persistentVolumeClaim"`
		}
	}
	container struct {
		Name, Image     string
		ImagePullPolicy string `yaml:"imagePullPolicy"`
		Command         []string
		Env             []struct{ Name, Value string }
		Ports           []struct {
			ContainerPort int `yaml:"containerPort"`
			Name          string
		}
		VolumeMounts []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
		} `yaml:"volumeMounts"`
		ReadinessProbe struct {
			Exec                struct{ Command []string }
			InitialDelaySeconds int `yaml:"initialDelaySeconds"`
			PeriodSeconds       int `yaml:"periodSeconds"`
		} `yaml:"readinessProbe"`
	}
)

// objects decodes a manifest.
func objects(t *testing.T, text string) []object {
	t.Helper()
	var all []object
	decoder := yaml.NewDecoder(strings.NewReader(text), yaml.Strict())
	for {
		var o object
		err := decoder.Decode(&o)
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
		all = append(all, o)
	}
}

// getenv returns a variable from the container's environment.
func (c container) getenv(name string) string {
	for _, v := range c.Env {
		if v.Name == name {
			return v.Value
		}
	}
	return ""
}

// requests returns what the container's entry point would measure.
func (c container) requests(t *testing.T) []kbench.Request {
	t.Helper()
	switch strings.Join(c.Command, " ") {
	case "":
		r, err := kbench.Parse(nil, c.getenv)
		if err != nil {
			t.Fatal(err)
		}
		return []kbench.Request{r}
	case "bash /fio/cmp_run.sh":
		pair, err := kbench.ParsePair(c.getenv)
		if err != nil {
			t.Fatal(err)
		}
		return pair[:]
	case "metric-exporter -d start":
		return nil
	}
	t.Fatalf("the image has no entry point %v", c.Command)
	return nil
}

// Every manifest becomes runs: of the right jobs with the right rates, on a file
// in a volume that is large enough for it, with an exporter whose settings
// are valid.
func TestEveryManifestIsARun(t *testing.T) {
	const image = "registry.example/loadline-kbench:1"
	manifests := Manifests(image)
	if len(manifests) != 3+32 {
		t.Errorf("%d manifests", len(manifests))
	}
	for name, text := range manifests {
		t.Run(name, func(t *testing.T) {
			all := objects(t, text)
			claims := map[string]string{}
			var containers []container
			for _, o := range all {
				switch o.Kind {
				case "PersistentVolumeClaim":
					claims[o.Metadata.Name] = o.Spec.Resources.Requests.Storage
				case "Job", "StatefulSet":
					for _, c := range o.Spec.VolumeClaimTemplates {
						claims[c.Metadata.Name] = c.Spec.Resources.Requests.Storage
					}
					for _, v := range o.Spec.Template.Spec.Volumes {
						if claim := v.PersistentVolumeClaim.ClaimName; claim != "" {
							claims[v.Name] = claims[claim]
						}
					}
					containers = append(containers, o.Spec.Template.Spec.Containers...)
				}
			}
			runs := 0
			for _, c := range containers {
				if c.Image != image {
					t.Errorf("the image is %s", c.Image)
				}
				for _, r := range c.requests(t) {
					runs++
					checkRun(t, name, c, r, claims)
				}
				if slices.Contains(c.Command, "metric-exporter") {
					checkExporter(t, c)
				}
			}
			want := map[string]int{"fio-cmp": 2}[name]
			if want == 0 {
				want = 1
			}
			if runs != want {
				t.Errorf("%d runs, want %d", runs, want)
			}
		})
	}
}

// checkRun plans what the request asks for.
func checkRun(t *testing.T, name string, c container, r kbench.Request, claims map[string]string) {
	t.Helper()
	fits := false
	for _, m := range c.VolumeMounts {
		if size, err := units.ParseSize(claims[m.Name]); path.Clean(m.MountPath) == path.Dir(r.File) && err == nil && r.Size < size {
			fits = true
		}
	}
	if !fits {
		t.Errorf("%s (%s) is in no volume that is large enough: %v", r.File, r.SizeText, claims)
	}
	p, err := profile.Lookup("kbench")
	if err != nil {
		t.Fatal(err)
	}
	if p, err = profile.Choose(p, r.Jobs(), nil); err != nil {
		t.Fatal(err)
	}
	p.Workloads = r.Limited(p.Workloads)
	ramp, measured := r.Times()
	plan, err := profile.Build(model.Experiment{Target: r.File, Size: r.Size, Time: measured, RampTime: ramp, Seed: 1, DestroyDataOn: r.File},
		p, model.Target{Name: r.File, Kind: model.File, Path: r.File}, model.ProbeResult{Engines: []string{"libaio"}, Direct: true, Capacity: r.Size})
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(name)
	if len(fields) < 2 && name != "fio-long-run" {
		if len(plan.Steps) != 12 || r.LongRun || r.Size != 30<<30 {
			t.Errorf("%d jobs on %s", len(plan.Steps), r.SizeText)
		}
		return
	}
	// One job of the report, repeated, with the rate in the right direction.
	w := plan.Workloads[0]
	if len(plan.Steps) != 1 || !r.LongRun || !r.SkipParse || r.Prefix != "/test-result/device" || plan.Steps[0].Seconds != 20 || plan.Steps[0].Ramp != 5 {
		t.Errorf("%d jobs: %+v of %+v", len(plan.Steps), plan.Steps, r)
	}
	if len(fields) > 0 && name != "fio-long-run" {
		pattern, direction, _ := strings.Cut(fields[0], "-")
		if !strings.HasPrefix(pattern, string(w.Access)) || !strings.HasPrefix(direction, string(w.Direction)) {
			t.Errorf("%s measures %s", name, w.Name)
		}
	}
	rates := map[string]float64{"RATE_IOPS=617": 617, "RATE_IOPS=1205": 1205, "RATE_IOPS=102": 102, "RATE_IOPS=203": 203,
		"RATE=23244k,": 23244. / 128, "RATE=22220k,": 22220. / 128, "RATE=,7559k": 7559. / 128, "RATE=,7629k": 7629. / 128}
	want := 0.0
	if len(fields) == 3 {
		if want = rates[fields[2]]; want == 0 {
			t.Errorf("no such rate in the report: %s", fields[2])
		}
	}
	if w.Limit() != want {
		t.Errorf("limited to %g/s, want %g/s", w.Limit(), want)
	}
}

// checkExporter starts the exporter with the container's settings and ends it.
func checkExporter(t *testing.T, c container) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := env.OS()
	e.Args, e.Stdout, e.Stderr = append([]string{"kbench", "exporter"}, c.Command[1:]...), io.Discard, io.Discard
	e.Getenv = func(name string) string {
		if name == "PORT" {
			return "0"
		}
		return c.getenv(name)
	}
	if code := cli.Run(ctx, e); code != 0 {
		t.Errorf("the exporter ends with %d", code)
	}
	if len(c.Ports) != 1 || c.Ports[0].ContainerPort != 8080 || c.Ports[0].Name != "metrics" || c.ReadinessProbe.Exec.Command[0] != "sh" {
		t.Errorf("the exporter's port or probe is not Kbench's: %+v", c)
	}
}
