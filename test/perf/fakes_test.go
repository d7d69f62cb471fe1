package perf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// comparedFakes runs "loadline compare A B" inside this process on two fakes of these parameters; run determines their seeds.
func comparedFakes(t *testing.T, a, b string, run int, args ...string) model.Comparison {
	t.Helper()
	var stdout, stderr bytes.Buffer
	world := *env.OS()
	world.Args = append([]string{"compare", fmt.Sprintf("fake:?%s&seed=%d", a, 2*run+1), fmt.Sprintf("fake:?%s&seed=%d", b, 2*run+2),
		"--seed", fmt.Sprint(run + 1), "--format", "json", "--quiet", "--results", inMemory(t)}, args...)
	world.Stdin, world.Stdout, world.Stderr = strings.NewReader(""), &stdout, &stderr
	world.Terminal, world.Output = env.Terminal{Width: 120}, env.Terminal{Width: 120}
	code := cli.Run(t.Context(), &world)
	var c model.Comparison
	if err := json.Unmarshal(stdout.Bytes(), &c); err != nil || code != 0 && code != 4 {
		t.Fatalf("exit code %d: %v\n%s%s", code, err, stdout.String(), stderr.String())
	}
	return c
}

// equalRows counts the rows of comparisons of equal sides.
type equalRows struct {
	all, different, wrong, covered int
}

func (n *equalRows) add(c model.Comparison) {
	for _, r := range c.Rows {
		n.all++
		if r.Adjusted < c.Alpha {
			n.different++
		}
		if r.Verdict == model.Better || r.Verdict == model.Worse {
			n.wrong++
		}
		if r.Ratio.Low <= 1 && 1 <= r.Ratio.High {
			n.covered++
		}
	}
}

// Of the rows of 120 whole comparisons of equal devices, at most one in twenty is
// called different with the smallest possible margin, and none with the default one.
func TestEqualDevicesAreNotCalledDifferent(t *testing.T) {
	const runs = 40
	for _, parameters := range []string{"iops=3000&cv=0.02", "iops=7700&cv=0.01&repeat-cv=0.03", "iops=5200&cv=0.06&phi=0.8"} {
		t.Run(parameters, func(t *testing.T) {
			var n equalRows
			for run := range runs {
				c := comparedFakes(t, parameters, parameters, run, "--profile", "quick")
				n.add(c)
			}
			t.Logf("%d rows: %d different, %d better or worse, the interval holds the truth in %.1f %%", n.all, n.different, n.wrong, 100*float64(n.covered)/float64(n.all))
			if n.all < 6*runs || float64(n.different) > 0.05*float64(n.all) || float64(n.wrong) > 0.005*float64(n.all) {
				t.Errorf("of %d rows of equal devices %d are different and %d better or worse", n.all, n.different, n.wrong)
			}
			if float64(n.covered) < 0.92*float64(n.all) {
				t.Errorf("%d of %d intervals hold the truth", n.covered, n.all)
			}
		})
	}
}

// A device that is 5 % slower, with 3 % noise from repeat to repeat, is
// found in at least four of five comparisons of ten blocks.
func TestFivePercentLessIsFound(t *testing.T) {
	const runs = 100
	found, wrong := 0, 0
	for run := range runs {
		// Ten blocks of two repeats are planned for the time; a pause that is shorter than
		// planned leaves time for one more.
		c := comparedFakes(t, "iops=4000&cv=0.005&repeat-cv=0.03", "iops=3800&cv=0.005&repeat-cv=0.03", run,
			"--profile", "kbench", "--only", "rand-read-iops", "--repeat", "10", "--max-time", "53s")
		r := c.Rows[0]
		if r.Blocks < 10 || r.Blocks > 11 {
			t.Fatalf("%d blocks", r.Blocks)
		}
		if r.Adjusted < c.Alpha && r.Ratio.Value < 1 {
			found++
		}
		if r.Verdict == model.Better {
			wrong++
		}
	}
	t.Logf("found in %d of %d comparisons", found, runs)
	if found < 80 || wrong > 0 {
		t.Errorf("found in %d of %d comparisons, called better in %d", found, runs, wrong)
	}
}
