package imported

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loadline/loadline/internal/model"
)

// system returns the part with the given name in the source.
func system(t *testing.T, parts []*Part, name string) *Part {
	t.Helper()
	for _, p := range parts {
		if p.Source.Own == name {
			return p
		}
	}
	t.Fatalf("no system %q", name)
	return nil
}

// The white paper covers four systems, each under several headings.
func TestDocumentOfSeveralSystems(t *testing.T) {
	parts := parsed(t, "whitepaper.md")
	var names []string
	for _, p := range parts {
		names = append(names, p.Source.Own)
	}
	if diff := cmp.Diff([]string{"Portworx", "Longhorn", "StorageOS", "Linstor"}, names); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff([]string{
		"read_iops read iops=2.19e+04", "write_iops write iops=3339", "read_bw read bandwidth=5.243e+08", "write_bw write bandwidth=2.38e+08",
		"read_latency read latency=0.0005257", "write_latency write latency=0.001218", "read_seq read bandwidth=7.56e+08", "write_seq write bandwidth=1.845e+08",
		"rw_mix read iops=5012", "rw_mix write iops=1671",
		"kafka-produce-2 write bandwidth=8.059e+07 records=8.06e+05 latency=0.05596",
		"kafka-consume-2 read bandwidth=9.967e+07 records=9.967e+05",
		"pgbench-s400-c1 mixed tps=476.7 latency=0.002422", "pgbench-s400-c100 mixed tps=2518 latency=0.03971",
	}, said(system(t, parts, "Longhorn"))); diff != "" {
		t.Error(diff)
	}
	// The same race under another heading is another test.
	groups := map[string]int{}
	for _, r := range system(t, parts, "Linstor").runs {
		groups[r.figures[0].Group+" "+r.workload.Name]++
	}
	for _, want := range []string{"Elasticsearch geopoint", "Elasticsearch nyc-taxis"} {
		if groups[want] != 2 {
			t.Errorf("%s: %d runs, want 2: %v", want, groups[want], groups)
		}
	}
	for _, want := range []string{"Failover planned failover-planned/nyc-taxis", "Failover unplanned failover-unplanned/nyc-taxis"} {
		if groups[want] != 1 {
			t.Errorf("%s: %d runs, want 1: %v", want, groups[want], groups)
		}
	}
}

// If pgbench lost connections, it did not apply the requested load.
func TestUnfinishedRunsAreErrors(t *testing.T) {
	unfinished := 0
	for _, r := range system(t, parsed(t, "whitepaper.md"), "StorageOS").runs {
		big := r.workload.Name == "pgbench-s400-c100"
		if big {
			unfinished++
		}
		if big != strings.Contains(r.step.Error, "500000 of 1000000") {
			t.Errorf("%s: error %q", r.workload.Name, r.step.Error)
		}
	}
	if unfinished != 1 {
		t.Errorf("%d runs of 100 clients, want 1", unfinished)
	}
}

// What the tool reports about its clients is kept for Little's law: the rate is the one that includes
// the time for connecting.
func TestClientsOfPgbench(t *testing.T) {
	big := system(t, parsed(t, "whitepaper.md"), "Longhorn").runs[12]
	reconnect := parsed(t, "pgbench-reconnect.txt")[0].runs[0]
	docker := parsed(t, "pgbench-docker.txt")[0].runs[0]
	timed, err := Parse("x", []byte("number of clients: 2\nnumber of transactions actually processed: 600\nlatency average = 10.1 ms\nlatency stddev = 3 ms\nrate limit schedule lag: avg 0.2 (max 3.1) ms\ntps = 100 (without initial connection time)\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		of   run
		want model.ClientFigure
	}{
		{big, model.ClientFigure{Clients: 100, Threads: 4, Done: 750000, Asked: 1000000, Rate: 2518.227768}},
		{reconnect, model.ClientFigure{Clients: 10, Done: 27313, Rate: 455.198254, Reconnect: true, Connect: 0.00218}},
		{docker, model.ClientFigure{Clients: 1, Threads: 1, Done: 76177, Rate: 76177 / (76177/1269.669697 + 0.002624)}},
		{timed[0].runs[0], model.ClientFigure{Clients: 2, Done: 600, Rate: 100, Timed: true, Offered: true}},
	} {
		if diff := cmp.Diff(&x.want, x.of.figures[0].Clients, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestComparisonOfTwoVolumes(t *testing.T) {
	parts := parsed(t, "local-path_vs_longhorn.summary")
	if len(parts) != 2 {
		t.Fatalf("%d systems, want 2", len(parts))
	}
	if diff := cmp.Diff(kbenchSaid, said(system(t, parts, "local-path"))); diff != "" {
		t.Error(diff)
	}
	longhorn := system(t, parts, "longhorn")
	if got := said(longhorn)[11]; got != "seq-write-lat write latency=0.000545" {
		t.Error(got)
	}
	if len(longhorn.remarks) != 1 || longhorn.remarks[0].Severity != model.SeverityWarning ||
		!strings.Contains(longhorn.remarks[0].Message, "line 18 prints a change of -91.74% for seq-write-lat, and the figures beside it make +1110.52% (the direction is reversed)") {
		t.Errorf("the summary's wrong arithmetic: %+v", longhorn.remarks)
	}
}

// A README compares two storage classes with histograms and pgbench: a label above a block ("Docker:",
// under the heading of another system) determines the system, and a test is named by its kind and
// parameters and not by the sentence before it.
func TestLabelsAndNames(t *testing.T) {
	parts := parsed(t, "labels.md")
	for name, want := range map[string][]string{
		"Longhorn": {
			"block-latency-c1 mixed latency=0.0007345 p50=0.001 p90=0.002828 p99=0.005657 p99.9=0.01131 p99.99=0.01131",
			"block-latency-c10 mixed latency=0.001677 p50=0.001 p90=0.002828 p99=0.005657 p99.9=0.04525 p99.99=0.181",
			"block-latency-process mixed latency=0.001307 p50=0.0007241 p90=0.001448 p99=0.005793 p99.9=0.01159 p99.99=0.04634",
		},
		"Local-Path": {
			"block-latency mixed latency=0.0005173 p50=0.000362 p90=0.0007241 p99=0.001448 p99.9=0.01159 p99.99=0.09268",
			"block-latency-process mixed latency=0.0004573 p50=0.000362 p90=0.0007241 p99=0.001448 p99.9=0.01159 p99.99=0.09268",
			// another disk
			"block-latency-sde mixed latency=0.002637 p50=0.002896 p90=0.002896 p99=0.01159 p99.9=0.01159 p99.99=0.01159",
		},
		"Docker":                           {"pgbench-s250-c1 mixed tps=1270 latency=0.000788", "pgbench-c10-connect mixed tps=455.2 latency=0.02197"},
		"Kubernetes - Local-Path provider": {"pgbench-s250-c1 mixed tps=906.2 latency=0.001103", "pgbench-c10-connect mixed tps=124.5 latency=0.08031"},
	} {
		if diff := cmp.Diff(want, said(system(t, parts, name))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if len(parts) != 4 {
		t.Errorf("%d systems, want 4", len(parts))
	}
}

// The label is used even if nothing else says that the system recurs, and another block below belongs
// to the heading again.
func TestLabelNamesAnotherHeading(t *testing.T) {
	block := func(tps string) string {
		return "```\npgbench (17.2)\nnumber of clients: 4\nlatency average = 2.000 ms\ntps = " + tps + " (without initial connection time)\n```\n"
	}
	text := "# Results\n## Docker\n" + block("1") + "## Kubernetes - local\nprose\n\nDocker:\n\n" + block("2") + "Kubernetes:\n" + block("3") + "With a pinned CPU:\n" + block("4")
	parts, err := Parse("x.md", []byte(text), "")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"Docker":             {"pgbench-c4 mixed tps=1 latency=0.002", "pgbench-c4 mixed tps=2 latency=0.002"},
		"Kubernetes - local": {"pgbench-c4 mixed tps=3 latency=0.002", "pgbench-c4-2 mixed tps=4 latency=0.002"},
	} {
		if diff := cmp.Diff(want, said(system(t, parts, name))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if words := system(t, parts, "Kubernetes - local").runs[1].workload.Words; !strings.Contains(words, "With a pinned CPU") {
		t.Errorf("the description %q does not say what the document says", words)
	}
}
