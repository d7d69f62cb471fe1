package perf

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// cleanStorages returns devices without faults: noise of all the kinds
// seen on real devices, but no change over time.
func cleanStorages() []string {
	return []string{
		"cv=0.001",
		"cv=0.01",
		"cv=0.03",
		"cv=0.06",
		"cv=0.10",
		"cv=0.03&phi=0.8",
		"cv=0.06&phi=0.8",
		"cv=0.06&phi=0.95",
		"cv=0.01&repeat-cv=0.03",
		"cv=0.01&repeat-cv=0.06",
	}
}

// waysToRun returns ways in which a run spends its time. The last three make long series.
func waysToRun() [][]string {
	return [][]string{
		{"--profile", "standard"},
		{"--profile", "quick"},
		{"--only", "rand-read-iops"},
		{"--profile", "quick", "--time", "20s"},
		{"--profile", "quick", "--time", "60s"},
		{"--profile", "quick", "--until-steady"},
	}
}

// report runs a whole command inside this process and parses its report.
func report(ctx context.Context, dir string, args ...string) (model.Report, error) {
	var stdout, stderr bytes.Buffer
	world := env.OS()
	world.Args = append([]string{"run", "--quiet", "--format", "json", "--results", dir}, args...)
	world.Stdin, world.Stdout, world.Stderr = strings.NewReader(""), &stdout, io.Writer(&stderr)
	world.Terminal, world.Output = env.Terminal{Width: 120}, env.Terminal{Width: 120}
	cli.Run(ctx, world)
	var r model.Report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return r, fmt.Errorf("%v: %s", args, stderr.String())
	}
	return r, nil
}

// alarms lists the rules that flagged something. A wide interval is not an alarm,
// but the expected effect of noise, so "precision" does not count.
func alarms(r model.Report) []string {
	var rules []string
	for _, f := range r.Findings {
		flagged := f.Severity == model.SeverityInvalid || f.Severity == model.SeverityWarning || f.Severity == model.SeverityNote
		if flagged && f.Rule != "precision" && !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	return rules
}

// tallyAlarms runs a clean storage runs times.
func tallyAlarms(t testing.TB, storage string, way []string, runs int) (flagged int, byRule map[string]int) {
	byRule = map[string]int{}
	dir, err := os.MkdirTemp("", "loadline-perf-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for seed := range runs {
		args := append([]string{fmt.Sprintf("fake:?iops=20000&seed=%d&%s", seed+1, storage), "--seed", fmt.Sprint(seed + 1)}, way...)
		r, err := report(context.Background(), dir, args...)
		if err != nil {
			t.Error(err)
			return
		}
		rules := alarms(r)
		if len(rules) > 0 {
			flagged++
		}
		for _, rule := range rules {
			byRule[rule]++
		}
	}
	return flagged, byRule
}

// BenchmarkFalseAlarms prints how often a run on clean storage is flagged for
// anything.
func BenchmarkFalseAlarms(b *testing.B) {
	const runs = 20
	for range b.N {
		w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
		fmt.Fprintf(w, "\nfalse alarms of %d clean runs\tway\taccused\tby\n", runs)
		type line struct {
			storage string
			way     []string
			flagged int
			byRule  map[string]int
		}
		var lines []line
		for _, way := range waysToRun() {
			for _, s := range cleanStorages() {
				lines = append(lines, line{storage: s, way: way})
			}
		}
		concurrently(len(lines), func(i int) {
			lines[i].flagged, lines[i].byRule = tallyAlarms(b, lines[i].storage, lines[i].way, runs)
		})
		total := 0
		for _, l := range lines {
			total += l.flagged
			fmt.Fprintf(w, "%s\t%s\t%d\t%v\n", l.storage, strings.Join(l.way, " "), l.flagged, l.byRule)
		}
		fmt.Fprintf(w, "all\t\t%.1f %%\t\n", 100*float64(total)/float64(runs*len(lines)))
		w.Flush()
	}
}
