package browser

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// foreign imports a file of another tool's results and adds its page. code is the expected
// exit code of its verdicts.
func (p *pages) foreign(name, file string, code int) {
	p.t.Helper()
	dir := filepath.Join(p.t.TempDir(), name)
	var stderr bytes.Buffer
	world := env.OS()
	world.Args = []string{"import", filepath.Join("../../internal/foreign/imported/testdata", file), "--into", dir}
	world.Stdin, world.Stdout, world.Stderr = strings.NewReader(""), io.Discard, &stderr
	if got := cli.Run(context.Background(), world); got != code {
		p.t.Fatalf("loadline import %s: exit code %d, want %d\n%s", file, got, code, stderr.String())
	}
	p.files[name] = filepath.Join(dir, "report.html")
}

// hostileRanking returns a ranking in which every text is hostile.
func hostileRanking() *model.Report {
	entries := []model.RankEntry{{Estimate: sure(1000), First: 1, Last: 2, Trust: model.Suspect, Repeats: 1}, {System: 1, Estimate: sure(900), Trust: model.Invalid, Repeats: 1}}
	row := model.RankRow{Group: evil, Workload: evil, Direction: model.Read, Metric: model.IOPS, Description: evil, Entries: entries, Verdict: model.Unclear, Reason: evil}
	group := model.RankGroup{Name: evil, Rows: 1, Entries: entries, Verdict: model.Unclear, Reason: evil}
	return &model.Report{
		Schema: model.ReportSchema,
		Run: model.RunInfo{ID: evil, Status: model.Complete, Target: model.Target{Name: evil, Kind: model.Foreign}, Command: []string{"loadline", "import", evil},
			Imported: &model.Import{System: evil, Sources: []model.Source{{Name: evil, Raw: evil, Formats: []string{evil}, Lines: 1}}}},
		Ranking: &model.Ranking{Systems: []model.RankedSystem{{Name: evil}, {Name: evil}}, Rows: []model.RankRow{row}, Groups: []model.RankGroup{group}, Alpha: 0.05,
			Noise: &model.Noise{Repeats: []model.Repeat{{Workload: evil, Direction: model.Read, Metric: model.IOPS, Values: []float64{1, 2}, Difference: 1}}, Largest: 1, Apart: 2}},
	}
}
