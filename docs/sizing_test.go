package docs_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/judge/capacity"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/text"
)

// part returns what sizing.md has between two marks, without the fence.
func part(t *testing.T, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(read(t, "sizing.md"), "<!-- begin "+name+" -->\n")
	block, _, ok2 := strings.Cut(rest, "<!-- end "+name+" -->")
	if !ok || !ok2 {
		t.Fatalf("sizing.md has lost its marks of %s", name)
	}
	lines := strings.Split(strings.TrimSpace(block), "\n")
	return strings.Join(lines[1:len(lines)-1], "\n") + "\n"
}

// The output shown in the manual is the actual output.
func TestTheSizingShownIsReal(t *testing.T) {
	shown := part(t, "answer")
	command, _, _ := strings.Cut(shown, "\n")
	data, err := os.ReadFile("medium-nodes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	points, err := spec.ParsePublished("medium-nodes.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	ask := sizing.Ask{Survive: 1, Headroom: 0.3}
	for i, word := range strings.Split(command, "'") {
		if i%2 == 1 {
			n, err := spec.ParseNeed(word)
			if err != nil {
				t.Fatal(err)
			}
			ask.Needs = append(ask.Needs, n)
		}
	}
	if len(ask.Needs) != 2 {
		t.Fatalf("%q shows %d needs", command, len(ask.Needs))
	}
	s, err := capacity.Size(&points, ask)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := text.RenderSizing(&b, &s, text.Options{Width: 100, Unicode: true}); err != nil {
		t.Fatal(err)
	}
	want := command + "\n" + b.String()
	if *update {
		whole := strings.Replace(read(t, "sizing.md"), shown, want, 1)
		if err := os.WriteFile("sizing.md", []byte(whole), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != want {
		t.Errorf("sizing.md is out of date; run go test ./docs -update. It shows\n%s\nreal is\n%s", shown, want)
	}
}

// The schema accepts the manual's points and the published ones, as the reader does, and
// both refuse the same documents.
func TestPointsSchemaAndReaderAgree(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("points.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	published := read(t, "medium-nodes.yaml")
	shown := part(t, "points")
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"published":          {published, true},
		"shown":              {shown, true},
		"rebuilds alone":     {"rebuilds: [{volume: 1TiB, time: 1h}]\n", true},
		"nothing":            {"name: x\n", false},
		"unknown field":      {shown + "colour: red\n", false},
		"negative rate":      {strings.Replace(shown, "each: 1150", "each: -1150", 1), false},
		"no volumes":         {strings.Replace(shown, "volumes: 1,", "", 1), false},
		"no points":          {"scales: [{workload: rand-read-iops, metric: iops, points: []}]\n", false},
		"a latency without":  {"scales: [{workload: rand-read-lat, metric: latency, points: [{volumes: 1}]}]\n", false},
		"a loop without end": {shown + "loop_run: 25s\n", false},
		"no metric":          {strings.Replace(shown, "metric: iops", "depth: 64", 1), false},
		"no such binding":    {strings.Replace(shown, "metric: iops", "metric: iops\n    binds: moon", 1), false},
		"a bare time":        {strings.Replace(shown, "281s", "281", 1), false},
	} {
		_, readErr := spec.ParsePublished("points.yaml", []byte(c.text))
		schemaErr := validate(schema, c.text)
		if (readErr == nil) != c.want || (schemaErr == nil) != c.want {
			t.Errorf("%s: the reader says %v, the schema %v", name, readErr, schemaErr)
		}
	}
}

// Every kind of output fits the schema: with and without hardware, met and not met, and
// for the inverse question.
func TestSizingsFitTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("sizing.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	full := read(t, "medium-nodes.yaml")
	_, measured, _ := strings.Cut(full, "scales:\n")
	for name, text := range map[string]string{"hardware and points": full, "points alone": "scales:\n" + measured, "hardware alone": strings.Split(full, "scales:\n")[0]} {
		for _, need := range []string{"pods=20 rand-read=400 rand-write=150 bs=4k size=1GiB", "rand-write=4000", "pods=9 seq-read=60MiB/s merge=2"} {
			for _, nodes := range []int{0, 2, 9} {
				points, err := spec.ParsePublished("points.yaml", []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				n, err := spec.ParseNeed(need)
				if err != nil {
					t.Fatal(err)
				}
				s, err := capacity.Size(&points, sizing.Ask{Needs: []sizing.Need{n}, Survive: 1, Headroom: 0.3, Nodes: nodes})
				if err != nil {
					t.Fatal(err)
				}
				var b bytes.Buffer
				if err := jsonout.WriteSizing(&b, &s); err != nil {
					t.Fatal(err)
				}
				if err := validate(schema, b.String()); err != nil {
					t.Errorf("%s, %s on %d nodes: %v\n%s", name, need, nodes, err, b.String())
				}
			}
		}
	}
	if validate(schema, `{"schema": "loadline.sizing/v1"}`) == nil {
		t.Error("a sizing without an answer fits")
	}
}

func TestNeedsShownAreRead(t *testing.T) {
	ask, err := spec.ParseNeeds("needs.yaml", []byte(part(t, "needs")), sizing.Ask{})
	if err != nil || len(ask.Needs) != 2 || ask.Survive != 1 || ask.Needs[0].Size != 20<<30 {
		t.Errorf("%+v: %v", ask, err)
	}
}
