package text

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
	"github.com/loadline/loadline/internal/show/report/term"
)

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	reporttest.Golden(t, name+".golden", got)
}

func render(t *testing.T, r *model.Report, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRender(t *testing.T) {
	for _, c := range []struct {
		name string
		r    *model.Report
		o    Options
	}{
		{"steady", steady(), Options{Width: 110, Unicode: true}},
		{"noisy", noisy(), Options{Width: 110, Unicode: true}},
		{"sparse", sparse(), Options{Width: 110, Unicode: true}},
		{"sparse-colour", sparse(), Options{Width: 110, Unicode: true, Color: true}},
		{"buffered", buffered(), Options{Width: 110, Unicode: true}},
		{"interrupted", interrupted(), Options{Width: 110, Unicode: true}},
		{"ascii-80", noisy(), Options{Width: 80}},
		{"unicode-80", sparse(), Options{Width: 80, Unicode: true}},
		{"narrow-60", noisy(), Options{Width: 60, Unicode: true}},
		{"wide-200", noisy(), Options{Width: 200, Unicode: true}},
		{"verbose", noisy(), Options{Width: 110, Unicode: true, Verbose: true}},
		{"brief", steady(), Options{Width: 110, Unicode: true, Brief: true}},
	} {
		t.Run(c.name, func(t *testing.T) { golden(t, c.name, render(t, c.r, c.o)) })
	}
}

func TestPlanAndHead(t *testing.T) {
	r := steady()
	pl := &model.Plan{
		Volume: r.Run.Volume, Workloads: r.Run.Workloads, Schedule: r.Run.Schedule, Steps: make([]model.Step, 18),
		PrefillSeconds: 26.2, MeasureSeconds: 84,
	}
	pl.Experiment.MaxPrefill = 30
	pl.Volume.SizeReason = "25 s × 164 MiB/s (Kbench's rule)"
	device := *pl
	device.Volume.Owned, device.Volume.Path = false, "/dev/sdx"
	device.Volume.Target = model.Target{Name: "/dev/sdx", Kind: model.BlockDevice, Path: "/dev/sdx"}
	device.Schedule.Mode, device.Schedule.Repeat, device.Schedule.Ramp = model.Fixed, 20, 5
	readOnly := device
	readOnly.Workloads = []model.Workload{randReadIOPS}
	readOnly.Volume.Prefill = false
	huge := device
	huge.Volume.Size = 4 << 40
	class := &model.Cluster{Made: true, Class: "longhorn", Provisioner: "driver.longhorn.io", Version: "v1.34.4", Capacity: 20 << 30,
		Access: []string{"ReadWriteOnce"}, Mode: "Filesystem", Parameters: map[string]string{"numberOfReplicas": "3", "dataLocality": "disabled"},
		Backing: &model.Backing{System: "Longhorn", Version: "v1.8.0", Replicas: 3, Locality: "disabled"}}
	unread := &model.Cluster{Made: true, Class: "fast", Version: "v1.34.4", Capacity: 20 << 30, Access: []string{"ReadWriteOnce"}, Mode: "Block",
		Backing: &model.Backing{Unknown: []string{"the storage system: neither the StorageClass nor the volume may be read (deploy/role.yaml has the rights)"}}}
	for _, c := range []struct {
		name string
		pl   *model.Plan
		c    *model.Cluster
	}{{"plan-directory", pl, nil}, {"plan-device", &device, nil}, {"plan-read-only", &readOnly, nil}, {"plan-huge", &huge, nil}, {"plan-class", pl, class}, {"plan-class-unread", pl, unread}} {
		var b bytes.Buffer
		if err := Plan(&b, c.pl, model.Environment{Cluster: c.c}, Options{Width: 100, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		b.WriteString("-- head --\n")
		here := r.Run.Environment
		here.Cluster = c.c
		if err := Head(&b, c.pl, here, r.Run.Tools, Options{Width: 100, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		golden(t, c.name, b.Bytes())
	}
}

// A range has two different ends, and a prefill of which nothing is known takes no 0 s.
func TestExpectedTimes(t *testing.T) {
	for got, want := range map[string]string{
		fromTo(7.6, 8.2): "about 8 s", fromTo(8, 8): "about 8 s", fromTo(8, 12): "8 s to 12 s",
		Prefill(0, 0): "duration not known", Prefill(0, 9): "at most 9 s", Prefill(1, 45): "1 s to 45 s", Prefill(30, 30): "about 30 s",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	pl := &model.Plan{MeasureSeconds: 6.9, Schedule: model.Schedule{Mode: model.Rounds, MaxTime: 8}, Volume: model.Volume{Prefill: true, Size: 64 << 20}}
	pl.Experiment.Size = pl.Volume.Size
	if got := planWords(pl)[1]; got != "prefill duration not known, measuring 7 s to 8 s" {
		t.Errorf("%q", got)
	}
	pl.MeasureSeconds, pl.Schedule.MaxTime = 598.6, 600.4
	if got := planWords(pl)[1]; strings.Contains(got, " to ") && strings.Count(got, "10 m 00 s") > 1 {
		t.Errorf("%q", got)
	}
}

var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestFitsEveryWidth checks for any width that no line is too long or ends in blanks, ASCII stays
// ASCII, and text from outside cannot smuggle in control sequences.
func TestFitsEveryWidth(t *testing.T) {
	reports := []func() *model.Report{steady, noisy, sparse, buffered, interrupted}
	rapid.Check(t, func(rt *rapid.T) {
		r := rapid.SampledFrom(reports).Draw(rt, "report")()
		o := Options{Width: rapid.IntRange(60, 200).Draw(rt, "width"), Color: rapid.Bool().Draw(rt, "color"), Unicode: rapid.Bool().Draw(rt, "unicode")}
		r.Run.Target.Path = rapid.StringN(0, 40, 120).Draw(rt, "target")
		r.Run.Volume.Target.Path = r.Run.Target.Path
		r.Run.Environment.Hostname = rapid.StringN(0, 90, 200).Draw(rt, "host")
		for i := range r.Findings {
			r.Findings[i].Message = rapid.StringN(0, 200, 400).Draw(rt, "message")
		}
		out := string(render(t, r, o))
		if !o.Color && strings.Contains(out, "\x1b") {
			rt.Fatal("an escape sequence without colour")
		}
		for line := range strings.Lines(escape.ReplaceAllString(out, "")) {
			line = strings.TrimSuffix(line, "\n")
			if n := term.Columns(line); n > o.Width && !typed(line) {
				rt.Fatalf("%d columns where %d are there: %q", n, o.Width, line)
			}
			if strings.TrimRight(line, " ") != line {
				rt.Fatalf("trailing blanks: %q", line)
			}
			for _, c := range line {
				if c < ' ' || c == 0x7f || !o.Unicode && c > 0x7e {
					rt.Fatalf("character %q in %q", c, line)
				}
			}
		}
	})
}

func TestInvalidNumbersDoNotLookGood(t *testing.T) {
	for line := range strings.Lines(string(render(t, sparse(), Options{Width: 120, Unicode: true}))) {
		if !strings.HasPrefix(line, "rand-read-iops ") {
			continue
		}
		for _, want := range []string{"(566k IOPS)", "✗ invalid"} {
			if !strings.Contains(line, want) {
				t.Errorf("%q lacks %q", line, want)
			}
		}
		return
	}
	t.Error("no row for rand-read-iops")
}

func TestEveryPlannedWorkloadHasARow(t *testing.T) {
	out := string(render(t, interrupted(), Options{Width: 100, Unicode: true}))
	for _, w := range steady().Run.Workloads {
		if !strings.Contains(out, "\n"+w.Name+" ") {
			t.Errorf("%s is missing silently", w.Name)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestABrokenStreamIsAnError(t *testing.T) {
	for name, err := range map[string]error{
		"Render": Render(broken{}, steady(), Options{}),
		"Plan":   Plan(broken{}, &model.Plan{}, model.Environment{}, Options{}),
		"Head":   Head(broken{}, &model.Plan{}, model.Environment{}, nil, Options{}),
	} {
		if err == nil {
			t.Error(fmt.Sprint(name, " hides that nothing was printed"))
		}
	}
}

// A report from somebody else may contain texts of any length: they do not fill the terminal.
func TestLongTextsAreShortened(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	r := noisy()
	r.Run.Environment.Hostname, r.Run.Note = long, long
	r.Findings[0].Message, r.Findings[0].Next = long, long
	got := string(render(t, r, Options{Width: 80, Unicode: true}))
	if n := strings.Count(got, "x"); n < factColumns || n > 3*sentenceColumns+factColumns+1000 || !strings.Contains(got, "x…") {
		t.Errorf("%d of x are printed", n)
	}
}

// typed reports whether a line contains a command to type, which is never broken.
func typed(line string) bool { return strings.Contains(line, "loadline ") }

// What measures is what was typed without "plan": only that can take the same flags.
func TestAPlanNamesTheCommandThatMeasures(t *testing.T) {
	for planned, want := range map[string]string{
		"":                                   "type `loadline run` instead of `loadline plan`",
		"loadline plan":                      "type `loadline run` instead of `loadline plan`",
		"loadline plan compare":              "type `loadline compare` instead of `loadline plan compare`",
		"loadline plan app postgres":         "type `loadline app postgres` instead of `loadline plan app postgres`",
		"loadline plan --experiment …":       "type `loadline run --experiment …` instead of `loadline plan --experiment …`",
		"loadline plan sweep --experiment …": "type `loadline sweep --experiment …` instead of `loadline plan sweep --experiment …`",
	} {
		if said := instead(planned); !strings.Contains(said, want) {
			t.Errorf("%q: %s", planned, said)
		}
	}
}
