package results

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/foreign/imported"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// imports imports files and reads the saved report.
func imports(t *testing.T, files ...string) *model.Report {
	t.Helper()
	done, err := Import(ImportOptions{Files: files, Into: filepath.Join(t.TempDir(), "out"), Experiment: model.Experiment{Scenario: imported.Scenario}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonout.Read(done.Document)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Report
}

const whitePaper = "../../foreign/imported/testdata/whitepaper.md"

// The white paper ranks its four systems in words below each kind of test. What the numbers support
// must agree with that; where they are not sufficient, the ranking must be unclear.
func TestWhitePaperRanking(t *testing.T) {
	k := imports(t, whitePaper).Ranking
	name := func(e model.RankEntry) string { return k.Systems[e.System].Name }
	for group, c := range map[string]struct {
		paper   []string
		verdict model.Change
		// certain are the places that the numbers support beyond doubt.
		certain map[string]int
	}{
		"FIO":              {[]string{"StorageOS", "Linstor", "Portworx", "Longhorn"}, model.Unclear, map[string]int{"Longhorn": 4}},
		"Kafka":            {[]string{"Longhorn", "StorageOS", "Portworx", "Linstor"}, model.Unclear, nil},
		"Postgres":         {[]string{"Linstor", "StorageOS", "Longhorn", "Portworx"}, model.Unclear, nil},
		"Elasticsearch":    {[]string{"Linstor", "StorageOS"}, model.Unclear, nil},
		"Failover planned": {[]string{"StorageOS", "Linstor"}, model.Unclear, nil},
		// "a clear consistent winner", and so it is.
		"Kafka Concurrent Tests": {[]string{"StorageOS", "Linstor"}, model.Better, map[string]int{"StorageOS": 1, "Linstor": 2}},
	} {
		i := slices.IndexFunc(k.Groups, func(g model.RankGroup) bool { return g.Name == group })
		if i < 0 {
			t.Errorf("no group %s", group)
			continue
		}
		g := k.Groups[i]
		if g.Verdict != c.verdict || g.Verdict == model.Unclear && g.Reason == "" {
			t.Errorf("%s: verdict %s (%s), want %s", group, g.Verdict, g.Reason, c.verdict)
		}
		for _, e := range g.Entries {
			place := 1 + slices.Index(c.paper, name(e))
			if place < e.First || place > e.Last {
				t.Errorf("%s: the paper's place %d of %s is not among %d–%d", group, place, name(e), e.First, e.Last)
			}
			if want := c.certain[name(e)]; want > 0 && (e.First != want || e.Last != want) || want == 0 && e.First == e.Last {
				t.Errorf("%s: %s has place %d–%d, want %d", group, name(e), e.First, e.Last, want)
			}
		}
	}
	overall := k.Groups[len(k.Groups)-1]
	if overall.Name != "" || overall.Verdict != model.Unclear {
		t.Errorf("over all: %q is %s, want unclear", overall.Name, overall.Verdict)
	}
}

// Single rows of the paper's tables, by hand.
func TestWhitePaperRows(t *testing.T) {
	k := imports(t, whitePaper).Ranking
	find := func(group, workload string, m model.Metric) model.RankRow {
		for _, r := range k.Rows {
			if r.Group == group && r.Workload == workload && r.Metric == m {
				return r
			}
		}
		t.Fatalf("no row %s %s %s", group, workload, m)
		return model.RankRow{}
	}
	for _, c := range []struct {
		group, workload string
		metric          model.Metric
		verdict         model.Change
		best            string
		last            int
	}{
		{"FIO", "read_iops", model.IOPS, model.Better, "StorageOS", 1},
		{"FIO", "write_seq", model.Bandwidth, model.Better, "Portworx", 1},
		// 397.01 µs against 403.94 µs is within the variation of their repeats.
		{"FIO", "write_latency", model.Latency, model.Unclear, "Portworx", 2},
		{"Kafka", "kafka-produce-2", model.Records, model.Unclear, "Longhorn", 1},
		// Ten transactions in 21 ms.
		{"Postgres", "pgbench-s400-c1", model.Transactions, model.Unclear, "Longhorn", 4},
		// No system ran all transactions.
		{"Postgres", "pgbench-s400-c100", model.Transactions, model.Unusable, "Linstor", 0},
	} {
		r := find(c.group, c.workload, c.metric)
		best := r.Entries[0]
		if r.Verdict != c.verdict || k.Systems[best.System].Name != c.best || best.Last != c.last {
			t.Errorf("%s %s: %s, first %s with places to %d; want %+v", c.group, c.workload, r.Verdict, k.Systems[best.System].Name, best.Last, c)
		}
	}
	// Linstor's geopoint took 1305 s and 1288 s, StorageOS's 1420 s and 1281 s.
	if k.Noise == nil || len(k.Noise.Repeats) != 4 || k.Noise.Largest < 0.108 || k.Noise.Largest > 0.109 {
		t.Errorf("noise %+v", k.Noise)
	}
}

// Two numbers without any repeats are never distinguished, however far apart they are.
func TestSingleRunsAreUnclear(t *testing.T) {
	k := imports(t, "../../foreign/imported/testdata/local-path_vs_longhorn.summary").Ranking
	if len(k.Rows) != 12 || k.Noise != nil {
		t.Fatalf("%d rows, noise %v", len(k.Rows), k.Noise)
	}
	for _, r := range k.Rows {
		if r.Verdict != model.Unclear || r.Reason == "" || r.Entries[0].First != 1 || r.Entries[0].Last != 2 {
			t.Errorf("%s: %s, places %d–%d", r.Workload, r.Verdict, r.Entries[0].First, r.Entries[0].Last)
		}
	}
}
