package imported

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// system finds a part by what the source calls it.
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

// The white paper speaks of four systems, each under several headings.
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
		"pgbench-c1 mixed tps=476.7 latency=0.002422", "pgbench-c100 mixed tps=2518 latency=0.03971",
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

// A pgbench that lost its connections did not apply the load that was asked for.
func TestUnfinishedRunsAreErrors(t *testing.T) {
	for _, r := range system(t, parsed(t, "whitepaper.md"), "StorageOS").runs {
		if big := r.workload.Name == "pgbench-c100"; big != strings.Contains(r.step.Error, "500000 of 1000000") {
			t.Errorf("%s: error %q", r.workload.Name, r.step.Error)
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
