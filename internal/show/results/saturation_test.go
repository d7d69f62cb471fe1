package results

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/judge/trust"
	"github.com/loadline/loadline/internal/model"
)

// clientRun is a run of pgbench with the given rates by numbers of clients, each with an interval of the
// given relative half-width.
func clientRun(half float64, rates map[int]float64) (*model.Recorded, []model.Result) {
	rec := &model.Recorded{}
	var results []model.Result
	flushing, reading := 0.94, 0.01
	for _, n := range slices.Sorted(maps.Keys(rates)) {
		rate := rates[n]
		w := model.Workload{Name: fmt.Sprintf("tpcb-c%d", n), Direction: model.Write, BlockSize: 8 << 10, Depth: n, Metric: model.Transactions,
			App: model.AppLoad{Tool: "pgbench", Threads: min(n, 4), Options: "--builtin=tpcb-like"}, Words: fmt.Sprintf("pgbench TPC-B-like, %d clients", n)}
		rec.Plan.Workloads = append(rec.Plan.Workloads, w)
		results = append(results, model.Result{Workload: w.Name, Direction: model.Write, Verdict: model.Valid, Repeats: 3, App: &model.AppResult{Flushing: &flushing, Reading: &reading}, Metrics: map[model.Metric]model.Estimate{
			model.Transactions: {Value: rate, Low: rate * (1 - half), High: rate * (1 + half), Confidence: 0.95},
			model.Latency:      {Value: float64(n) / rate},
		}})
	}
	return rec, results
}

func TestSaturation(t *testing.T) {
	found := func(severity model.Severity, workload string, rules ...string) (list []model.Finding) {
		for _, r := range rules {
			list = append(list, model.Finding{Rule: r, Severity: severity, Results: []string{workload}})
		}
		return list
	}
	limited := map[int]float64{1: 95, 4: 195, 16: 700, 64: 750}
	const (
		load    = "the load (pgbench TPC-B-like) "
		unknown = "; whether the storage is the limit is not known"
		at16    = load + "saturates somewhere between 4 and 16 clients: with 16 clients, 700 tps in all and 22.9 ms each; from 16 to 64 the rate changes by +7 % (+4 % to +10 %)"
	)
	for name, c := range map[string]struct {
		half     float64
		rates    map[int]float64
		findings []model.Finding
		from, to int
		says     string
	}{
		// A flush of 10 ms: one client waits for its own, several for two on average.
		"the law of group commit": {0.02, map[int]float64{1: 95, 4: 195, 16: 780, 64: 3000}, nil, 0, 0,
			load + "is not saturated up to 64 clients: 3.00k tps in all and 21.3 ms each, 3.85 times the rate with 16 (3.74 to 3.96)"},
		"slow growth that goes on": {0.005, map[int]float64{1: 100, 4: 195, 16: 380, 64: 741}, nil, 0, 0,
			load + "is not saturated up to 64 clients: 741 tps in all and 86.4 ms each, 1.95 times the rate with 16 (1.94 to 1.96)"},
		"linear growth between close numbers": {0.01, map[int]float64{32: 320, 40: 400, 48: 480, 56: 560, 64: 640}, nil, 0, 0,
			load + "is not saturated up to 64 clients: 640 tps in all and 100 ms each, 2.00 times the rate with 32 (1.97 to 2.03)"},
		"close numbers only": {0.01, map[int]float64{14: 140, 15: 150, 16: 160}, nil, 0, 0,
			"with how many clients the load (pgbench TPC-B-like) is saturated is not known: 16 clients are less than twice as many as 14 clients"},
		"nobody knows why":            {0.02, limited, nil, 4, 16, at16 + unknown},
		"the storage":                 {0.02, limited, found(model.SeverityPassed, "tpcb-c16", "full-cpu"), 4, 16, at16 + "; a flush of its log is in progress 94 % of the time, so the storage is the limit"},
		"processors that nobody sees": {0.02, limited, found(model.SeverityNotChecked, "tpcb-c16", "full-cpu"), 4, 16, at16 + unknown},
		"full processors": {0.02, limited, found(model.SeverityWarning, "tpcb-c64", "full-cpu"), 4, 16,
			at16 + "; with 64 clients the processors are full, so this need not be the limit of the storage"},
		"full processors where it grows": {0.02, limited, found(model.SeverityWarning, "tpcb-c1", "full-cpu"), 4, 16, at16 + unknown},
		"a stolen processor": {0.02, limited, found(model.SeverityWarning, "tpcb-c16", "cpu"), 4, 16,
			at16 + "; with 16 clients others, or a limit, took processor time away, so this need not be the limit of the storage"},
		"rows": {0.02, limited, found(model.SeverityWarning, "tpcb-c64", "hot-rows"), 4, 16,
			at16 + "; with 64 clients most of them wait for each other's rows, so this need not be the limit of the storage"},
		"one thread": {0.02, limited, found(model.SeverityWarning, "tpcb-c16", "connecting"), 4, 16,
			at16 + "; with 16 clients the load tool connects in turn, so this is not the limit of the storage"},
		"a shared server": {0.02, limited, found(model.SeverityWarning, "tpcb-c16", "others"), 4, 16,
			at16 + "; with 16 clients others use the server too, so this need not be the limit of the storage"},
		"not the storage": {0.02, limited, found(model.SeverityWarning, "tpcb-c16", "storage-bound"), 4, 16,
			at16 + "; with 16 clients transactions hardly wait for the storage, so this is not its limit"},
		"a fall": {0.02, map[int]float64{1: 95, 4: 300, 16: 700, 64: 500}, nil, 4, 16,
			load + "saturates somewhere between 4 and 16 clients: with 16 clients, 700 tps in all and 22.9 ms each; from 16 to 64 the rate changes by -29 % (-31 % to -27 %)" + unknown},
		"a dip": {0.02, map[int]float64{1: 100, 4: 700, 16: 500, 64: 690}, nil, 1, 4,
			load + "saturates somewhere between 1 and 4 clients: with 4 clients, 700 tps in all and 5.71 ms each; from 4 to 64 the rate changes by -1 % (-4 % to +1 %)" + unknown},
		"from the first on": {0.02, map[int]float64{1: 95, 4: 96, 16: 97}, nil, 0, 1,
			load + "is saturated with one client: with one client, 95 tps in all and 10.5 ms each; from 1 to 16 the rate changes by +2 % (-1 % to +5 %)" + unknown},
		"perhaps earlier": {0.05, map[int]float64{1: 100, 4: 175, 16: 205, 64: 206}, nil, 1, 16,
			load + "saturates somewhere between 1 and 16 clients: with 16 clients, 205 tps in all and 78.0 ms each; from 16 to 64 the rate changes by 0 % (-6 % to +8 %)" + unknown},
		"nowhere certain": {0.05, map[int]float64{1: 175, 4: 205, 16: 206}, nil, 0, 4,
			load + "is saturated with 4 clients, perhaps with fewer: with 4 clients, 205 tps in all and 19.5 ms each; from 4 to 16 the rate changes by 0 % (-6 % to +8 %)" + unknown},
		"not certain": {0.1, map[int]float64{1: 100, 4: 390, 16: 440}, nil, 0, 0,
			"whether the load (pgbench TPC-B-like) is saturated with 4 clients is not certain: with 16 the rate is 1.13 times as high (0.98 to 1.30), and less than 1.20 counts as saturated"},
	} {
		rec, results := clientRun(c.half, c.rates)
		got := saturations(rec, results, c.findings)
		if len(got) != 1 || got[0].From != c.from || got[0].To != c.to || got[0].Says != c.says {
			t.Errorf("%s: %+v\nwant %d to %d and %q", name, got, c.from, c.to, c.says)
			continue
		}
		last := slices.Max(slices.Collect(maps.Keys(c.rates)))
		for i, n := range slices.Sorted(maps.Keys(c.rates)) {
			p, want := got[0].Points[i], c.rates[last]/c.rates[n]
			if p.Clients != n || p.Workload != fmt.Sprintf("tpcb-c%d", n) || math.Abs(p.More/want-1) > 1e-9 || n != last && !(p.Low < want && p.High > want) {
				t.Errorf("%s: %+v, want %g", name, p, want)
			}
		}
	}
}

func TestSaturationOfWhatIsNotKnown(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *model.Workload, r *model.Result)
		// says is what is said of the other numbers of clients, if there are enough; nothing if it is empty.
		says string
	}{
		"an invalid rate": {func(_ *model.Workload, r *model.Result) { r.Verdict = model.Invalid }, "; the rate with 16 clients is invalid and is left out"},
		"a single repeat": {func(_ *model.Workload, r *model.Result) { r.Repeats = 1 }, "; the rate with 16 clients was measured only once and is left out"},
		"no interval":     {func(_ *model.Workload, r *model.Result) { r.Metrics[model.Transactions] = model.Estimate{Value: 700} }, "; the rate with 16 clients has no interval and is left out"},
		"an interval to 0": {func(_ *model.Workload, r *model.Result) {
			r.Metrics[model.Transactions] = model.Estimate{Value: 7, High: 20, Confidence: 0.95}
		}, "; the rate with 16 clients has no interval and is left out"},
		"an open interval": {func(_ *model.Workload, r *model.Result) {
			r.Metrics[model.Transactions] = model.Estimate{Value: 7, Low: 2, High: math.Inf(1), Confidence: 0.95}
		}, "; the rate with 16 clients has no interval and is left out"},
		"no result":        {func(_ *model.Workload, r *model.Result) { r.Workload = "another" }, "; the rate with 16 clients was not measured and is left out"},
		"a requested rate": {func(w *model.Workload, _ *model.Result) { w.OpenLoop = true }, ""},
		"another load":     {func(w *model.Workload, _ *model.Result) { w.App.Options = "--builtin=select-only" }, ""},
		"connecting":       {func(w *model.Workload, _ *model.Result) { w.App.Reconnect = true }, ""},
		"no application":   {func(w *model.Workload, _ *model.Result) { w.App.Tool = "" }, ""},
		"the same clients": {func(w *model.Workload, _ *model.Result) { w.Depth = 4 }, ""},
	} {
		for _, more := range []bool{false, true} {
			rates := map[int]float64{1: 95, 4: 195, 16: 700}
			if more {
				rates[64] = 1500
			}
			rec, results := clientRun(0.02, rates)
			for i, w := range rec.Plan.Workloads {
				if w.Depth == 16 {
					c.change(&rec.Plan.Workloads[i], &results[i])
				}
			}
			got := saturations(rec, results, nil)
			switch want := "the load (pgbench TPC-B-like) is not saturated up to 64 clients: 1.50k tps in all and 42.7 ms each, 7.69 times the rate with 4 (7.48 to 7.91)" + c.says; {
			case !more && len(got) != 0:
				t.Errorf("%s, two others: %+v", name, got)
			case more && (len(got) != 1 || got[0].Says != want):
				t.Errorf("%s: %+v\nwant %q", name, got, want)
			}
		}
	}
}

// The sentence names the load of any application.
func TestSaturationOfPuts(t *testing.T) {
	rec, results := clientRun(0.01, map[int]float64{1: 300, 8: 1000, 64: 2700})
	for i := range rec.Plan.Workloads {
		w := &rec.Plan.Workloads[i]
		w.App, w.Words = model.AppLoad{Tool: "etcd"}, "etcd puts, 8 clients"
	}
	got := saturations(rec, results, nil)
	if want := "the load (etcd puts) is not saturated up to 64 clients: 2.70k tps in all and 23.7 ms each, 2.70 times the rate with 8 (2.66 to 2.74)"; len(got) != 1 || got[0].Says != want {
		t.Errorf("%+v, want %q", got, want)
	}
}

// A rate exactly at the margin is decided in no more than the intervals' 5 % of the cases, and one far from
// it in nearly all.
func TestSaturationIsRarelyWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const runs = 4000
	share := func(more float64) (saturated, growing float64) {
		for range runs {
			noisy := func(v float64) float64 { return v * math.Exp(0.05/1.96*r.NormFloat64()) }
			rec, results := clientRun(0.05, map[int]float64{1: noisy(100), 4: noisy(300), 16: noisy(300 * more)})
			switch s := saturations(rec, results, nil)[0]; {
			case s.To == 4:
				saturated++
			case strings.Contains(s.Says, "not saturated up to 16"):
				growing++
			}
		}
		return saturated / runs, growing / runs
	}
	if a, b := share(saturatedMargin); a > 0.04 || b > 0.04 {
		t.Errorf("at the margin %.1f %% are called saturated and %.1f %% growing", 100*a, 100*b)
	}
	if a, _ := share(1); a < 0.95 {
		t.Errorf("only %.1f %% of those that do not grow are called saturated", 100*a)
	}
	if _, b := share(1.5); b < 0.95 {
		t.Errorf("only %.1f %% of those that grow by half are called growing", 100*b)
	}
}

// A rule that is renamed would no longer be asked.
func TestOtherLimitsAreRules(t *testing.T) {
	for _, l := range otherLimits {
		if !slices.ContainsFunc(trust.Rules(), func(r trust.Rule) bool { return r.Name == l.rule }) {
			t.Errorf("there is no rule %q", l.rule)
		}
	}
}
