package analyze

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// One row that needs many blocks would give as many to all others: it is left for a command of its own. And where single
// repeats of a chosen length were compared, those of a comparison are others, so their number says nothing.
func TestUndecidedRowsTogetherTakeNoDay(t *testing.T) {
	typed := model.CommandLine{"loadline", "compare", "/srv/a", "/srv/b"}
	run := func(target string, mode model.Mode) model.RunInfo {
		return model.RunInfo{Again: typed, Target: model.Target{Kind: model.File, Name: target, Path: target},
			Schedule: model.Schedule{Mode: mode, Ramp: 0.5, Repeat: 3, Overhead: 0.5, MinRounds: 5}}
	}
	compared := func(method model.Method, mode model.Mode, needed ...int) *model.Comparison {
		c := &model.Comparison{Method: method, A: run("/srv/a", mode), B: run("/srv/b", mode)}
		for i, n := range needed {
			c.Rows = append(c.Rows, model.Row{Workload: string(rune('a' + i)), Verdict: model.Unclear, Blocks: 5, Needed: n})
			c.Rows[i].NeededSeconds = neededSeconds(c, c.Rows[i])
		}
		return c
	}
	if got, want := undecided(compared(model.Paired, model.Rounds, 400, 8, 8, 8)),
		"loadline compare /srv/a /srv/b --repeat 12 --max-time 5m --only b,c,d   # about 5 m 00 s of measuring, for 3 unclear rows"; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	if got, want := undecided(compared(model.Paired, model.Rounds, 400)), "loadline compare /srv/a /srv/b --repeat 600 --max-time 80m   # about 1 h 20 m of measuring, for 1 unclear row"; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	if got, want := undecided(compared(model.Paired, model.Fixed, 8)), "loadline compare /srv/a /srv/b --max-time 2m   # at most 2 m 00 s of measuring, for 1 unclear row"; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// The advised command measures the workloads of the rows that can be decided within an hour each, half as often again as their variation needs; nothing is advised where no command measures both sides.
func TestUndecidedRowsAreMeasuredLonger(t *testing.T) {
	typed := model.CommandLine{"loadline", "compare", "/srv/a", "/srv/b", "--profile=quick", "--max-time=60s"}
	run := func(target string, again model.CommandLine) model.RunInfo {
		return model.RunInfo{Again: again, Target: model.Target{Kind: model.File, Name: target, Path: target},
			Schedule: model.Schedule{Mode: model.Rounds, Ramp: 0.5, Repeat: 3, Overhead: 0.5, MinRounds: 5}}
	}
	row := func(workload string, needed int) model.Row {
		return model.Row{Workload: workload, Verdict: model.Unclear, Blocks: 5, Needed: needed}
	}
	for name, c := range map[string]struct {
		method  model.Method
		a, b    model.CommandLine
		rows    []model.Row
		seconds float64 // of the first row
		want    string
	}{
		"one of two": {model.Paired, typed, typed, []model.Row{row("r", 36), {Workload: "w", Verdict: model.Same}}, 31 * 8,
			"loadline compare /srv/a /srv/b --profile quick --repeat 54 --max-time 8m --only r   # about 8 m 00 s of measuring, for 1 unclear row"},
		"all, two rows of one": {model.Paired, typed, typed, []model.Row{row("r", 36), row("r", 20), row("w", 20)}, 31 * 8,
			"loadline compare /srv/a /srv/b --profile quick --repeat 54 --max-time 15m   # about 15 m 00 s of measuring, for 3 unclear rows"},
		"one would take too long": {model.Paired, typed, typed, []model.Row{row("r", 36), row("w", 600)}, 31 * 8,
			"loadline compare /srv/a /srv/b --profile quick --repeat 54 --max-time 8m --only r   # about 8 m 00 s of measuring, for 1 unclear row"},
		"two runs": {model.Independent, model.CommandLine{"loadline", "run", "/srv/a", "--profile=quick"}, model.CommandLine{"loadline", "run", "/srv/b", "--profile=quick"},
			[]model.Row{row("r", 36)}, 36 * 8, "loadline compare /srv/a /srv/b --profile quick --repeat 54 --max-time 8m   # about 8 m 00 s of measuring, for 1 unclear row"},
		"two runs of different things": {model.Independent, model.CommandLine{"loadline", "run", "/srv/a", "--profile=quick"}, model.CommandLine{"loadline", "sweep", "/srv/b"}, []model.Row{row("r", 36)}, 36 * 8, ""},
		"a saved experiment":           {model.Paired, model.CommandLine{"loadline", "compare", "--experiment=x.yaml"}, nil, []model.Row{row("r", 36)}, 31 * 8, ""},
		"a Job":                        {model.Paired, nil, nil, []model.Row{row("r", 36)}, 31 * 8, ""},
		"everything would":             {model.Paired, typed, typed, []model.Row{row("r", 600)}, 595 * 8, ""},
		"more does not help":           {model.Paired, typed, typed, []model.Row{row("r", 0)}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := &model.Comparison{Method: c.method, A: run("/srv/a", c.a), B: run("/srv/b", c.b), Rows: c.rows}
			for i := range m.Rows {
				m.Rows[i].NeededSeconds = neededSeconds(m, m.Rows[i])
			}
			if got := m.Rows[0].NeededSeconds; math.Abs(got-c.seconds) > 1e-9 {
				t.Errorf("%g s, want %g", got, c.seconds)
			}
			if got := undecided(m); got != c.want {
				t.Errorf("%q\nwant %q", got, c.want)
			}
			if c.method != model.Paired {
				// A comparison of a target with itself is refused.
				m.B.Target = m.A.Target
				if got := undecided(m); got != "" {
					t.Errorf("of one target: %q", got)
				}
			}
		})
	}
}
