package words

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A row that a rule leaves without a verdict says so, and not that it is as large as the margin.
func TestSettleNamesTheRuleThatWithholdsAVerdict(t *testing.T) {
	certain := model.Estimate{Value: 0.4, Low: 0.38, High: 0.42, Confidence: 0.95}
	row := model.Row{Workload: "w", Metric: model.P99, Verdict: model.Unclear, A: certain, B: certain, Ratio: certain, P: 1e-6, Adjusted: 1e-6, Margin: 0.05}
	c := &model.Comparison{Alpha: 0.05, Rows: []model.Row{row}}
	for _, rule := range withholding {
		c.Findings = []model.Finding{{Rule: rule, Severity: model.SeverityWarning, Results: []string{"w"}}}
		if got := settle(c, row); got != "not judged: see "+rule {
			t.Errorf("%s: %q", rule, got)
		}
		c.Findings[0].Results = []string{"another"}
		if got := settle(c, row); got == "not judged: see "+rule {
			t.Errorf("%s of another row: %q", rule, got)
		}
		c.Findings[0].Results, c.Findings[0].Severity = []string{"w"}, model.SeverityNote
		if got := settle(c, row); got == "not judged: see "+rule {
			t.Errorf("a note of %s: %q", rule, got)
		}
	}
}

// What is left after a large drop shows.
func TestLargeDrops(t *testing.T) {
	for ratio, want := range map[float64]string{0.01: "−99%", 0.003: "−99.70%", 0.0003: "−99.97%", 0.2: "−80%"} {
		if got := Change(ratio, 1); got != want {
			t.Errorf("%g is written %s, want %s", ratio, got, want)
		}
	}
}

// A row whose numbers are invalid is unusable, which is not inconclusive.
func TestUnusableRowsAreCountedApart(t *testing.T) {
	for want, verdicts := range map[string][]model.Change{
		"B is better in 1 of 4 rows, and in none worse; inconclusive: 1 of 4 rows; unusable: 2 of 4 rows": {model.Better, model.Unclear, model.Unusable, model.Unusable},
		"inconclusive: 1 of 2 rows; unusable: 1 of 2 rows":                                                {model.Unclear, model.Unusable},
		"unusable: 1 of 1 row": {model.Unusable},
		"no difference beyond the margin in 1 of 2 rows; inconclusive: 1 of 2 rows": {model.Same, model.Unclear},
		"B is worse in 1 of 1 row": {model.Worse},
		"nothing was compared":     nil,
	} {
		c := &model.Comparison{}
		for _, v := range verdicts {
			c.Rows = append(c.Rows, model.Row{Verdict: v})
		}
		if got := Decided(c); got != want {
			t.Errorf("%v: %q, want %q", verdicts, got, want)
		}
	}
}

// What would narrow an unclear row says how long that takes, and beyond an hour that this is too long.
func TestSettleSaysHowLongItTakes(t *testing.T) {
	known := model.Estimate{Value: 1, Low: 0.9, High: 1.1, Confidence: 0.95}
	for _, c := range []struct {
		method  model.Method
		needed  int
		seconds float64
		want    string
	}{
		{model.Paired, 36, 216, "about 36 blocks would narrow this to ±3.0% (about 3 m 36 s more)"},
		{model.Paired, 579, 4397, "about 579 blocks would narrow this to ±3.0%, which takes about 1 h 13 m more: this storage, as it varies now, does not give that precision in a reasonable time"},
		{model.Paired, 50000, 400000, "about 50000 blocks would narrow this to ±3.0%, which takes days: this storage, as it varies now, does not give that precision in a reasonable time"},
		{model.Independent, 36, 277, "about 36 repeats of each would narrow this to ±3.0% (about 4 m 37 s of measuring)"},
		{model.Paired, 36, 0, "about 36 blocks would narrow this to ±3.0%"},
	} {
		row := model.Row{Workload: "w", Metric: model.IOPS, Verdict: model.Unclear, A: known, B: known, Ratio: known, P: 0.3, Adjusted: 0.3, Margin: 0.05, Blocks: 8, Needed: c.needed, Narrow: 0.03, NeededSeconds: c.seconds}
		if got := settle(&model.Comparison{Method: c.method, Alpha: 0.05}, row); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The sentence at the top of a comparison counts the rows that are not decided apart from those that are.
func TestBetterCountsWhatIsDecided(t *testing.T) {
	for want, verdicts := range map[string][]model.Change{
		"B against A: better in 1 of 4 rows; 1 is unclear; 2 are unusable.":    {model.Better, model.Unclear, model.Unusable, model.Unusable},
		"B against A: worse in 1, the same in 1 of 2 rows.":                    {model.Worse, model.Same},
		"B against A: inconclusive, with none of 1 row decided; 1 is unclear.": {model.Unclear},
		"Nothing was compared.": nil,
	} {
		c := &model.Comparison{Comparable: true}
		for _, v := range verdicts {
			c.Rows = append(c.Rows, model.Row{Verdict: v})
		}
		if got := Better(c); got != want {
			t.Errorf("%v: %q, want %q", verdicts, got, want)
		}
	}
}

// One repeat is not "1 repeats".
func TestBlocksAgreeWithTheirNumber(t *testing.T) {
	for _, c := range []struct {
		method model.Method
		counts []int
		want   string
	}{
		{model.Paired, []int{1}, "1 block, interleaved"},
		{model.Paired, []int{4, 9}, "4–9 blocks, interleaved"},
		{model.Independent, []int{1, 1}, "1 repeat or more, not interleaved"},
		{model.Independent, []int{9, 5}, "5–9 repeats or more, not interleaved"},
	} {
		m := &model.Comparison{Method: c.method}
		for _, n := range c.counts {
			m.Rows = append(m.Rows, model.Row{Blocks: n})
		}
		if got := blocks(m); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
