package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loadline/loadline/internal/env"
)

// printed returns what a command prints; it must end with code 0.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := env.OS()
	e.Args, e.Stdin, e.Stdout, e.Stderr = args, strings.NewReader(""), &stdout, &stderr
	if code := Run(context.Background(), e); code != exitOK {
		t.Fatalf("loadline %s: exit code %d\n%s", strings.Join(args, " "), code, stderr.String())
	}
	return stdout.String()
}

// measuredOnce runs a command on a fake device and returns its run directory and what it
// printed.
func measuredOnce(t *testing.T, args ...string) (dir, document string) {
	t.Helper()
	results := t.TempDir()
	document = printed(t, append(args, "--seed", "3", "-q", "--format", "json", "--results", results)...)
	found, err := filepath.Glob(filepath.Join(results, "*", "report.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v: %v, %v", args, found, err)
	}
	return filepath.Dir(found[0]), document
}

// The JSON that the scaling commands print fits the published schemas: for
// measured and for published points, for points that allow much and little, with hardware
// and without.
func TestDocumentsOfScalingFitTheirSchemas(t *testing.T) {
	const published = "../../docs/medium-nodes.yaml"
	few := filepath.Join(t.TempDir(), "few.yaml")
	text := `scales:
  - {workload: rand-read-lat, metric: latency, points: [{volumes: 1, latency: 1ms}]}
  - {workload: rand-write-iops, metric: iops, points: [{volumes: 1, each: 900}, {volumes: 2, each: 890}]}
rebuilds: [{volume: 1TiB, extent: 64k, time: 1h}]
`
	if err := os.WriteFile(few, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	scaled, report := measuredOnce(t, "scale", "fake:?iops=1000&shared=3000&cv=0.01", "--volumes", "1,2,3,6,9", "--cap", "iops=3000")
	limited, _ := measuredOnce(t, "scale", "fake:?iops=1000&shared=3000&cv=0.01", "--volumes", "9", "--rate", "100", "--workload", "rand-write-iops")
	alone, _ := measuredOnce(t, "run", "fake:?iops=3000&cv=0.01", "--profile", "quick")
	size := func(args ...string) string {
		return printed(t, append([]string{"size", "--format", "json"}, args...)...)
	}
	refer := func(args ...string) string {
		return printed(t, append([]string{"report", "--reference", "--format", "json"}, args...)...)
	}
	for schema, documents := range map[string]map[string]string{
		"report": {"of a scale": report},
		"study": {"published": size("--from", published), "few": size("--from", few), "measured": size(scaled), "limited": size(limited),
			"rebuilds": size("--from", published, "--rebuild", "--snapshots", "2", "--throttle", "100MiB/s"), "rebuilds in pieces": size("--from", few, "--rebuild")},
		"sizing":    {"of a run": size(scaled, "--need", "rand-read=100")},
		"reference": {"published": refer(published), "few": refer(few), "measured": refer(scaled, limited, alone), "of one volume": refer(alone)},
	} {
		compiled, err := jsonschema.NewCompiler().Compile(filepath.Join("../../docs", schema+".schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		for name, document := range documents {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
			if err == nil {
				err = compiled.Validate(value)
			}
			if err != nil {
				t.Errorf("%s, %s: %v\n%s", schema, name, err, document)
			}
		}
	}
}
