package profile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model/modeltest"
)

// describe writes a profile as one line per workload.
func describe(p Profile) []string {
	var lines []string
	for _, w := range p.Workloads {
		lines = append(lines, w.Name+" | "+w.Describe()+" | "+string(w.Metric))
	}
	return lines
}

// The figures are those of Kbench, dbench and Longhorn's performance page: they are spelled out here so
// that no refactoring can change a job unnoticed.
func TestBuiltinsAreWhatTheyAreNamedAfter(t *testing.T) {
	kbenchLines := []string{
		"rand-read-iops | rand read 4k qd64 | iops",
		"rand-write-iops | rand write 4k qd64 | iops",
		"seq-read-iops | seq read 4k qd64 | iops",
		"seq-write-iops | seq write 4k qd64 | iops",
		"rand-read-bw | rand read 128k qd64 | bandwidth",
		"rand-write-bw | rand write 128k qd64 | bandwidth",
		"seq-read-bw | seq read 128k qd64 | bandwidth",
		"seq-write-bw | seq write 128k qd64 | bandwidth",
		"rand-read-lat | rand read 4k qd1 | latency",
		"rand-write-lat | rand write 4k qd1 | latency",
		"seq-read-lat | seq read 4k qd1 | latency",
		"seq-write-lat | seq write 4k qd1 | latency",
	}
	want := map[string][]string{
		"kbench": kbenchLines,
		"standard": append(append([]string{}, kbenchLines...),
			"log-write-fdatasync | seq write 8k qd1 +fdatasync | iops",
			"rand-mix-iops | rand r/w 70/30 4k qd64 | iops"),
		"quick": {
			"rand-read-iops | rand read 4k qd64 | iops",
			"rand-write-iops | rand write 4k qd64 | iops",
			"seq-read-bw | seq read 128k qd64 | bandwidth",
			"seq-write-bw | seq write 128k qd64 | bandwidth",
			"rand-read-lat | rand read 4k qd1 | latency",
			"rand-write-lat | rand write 4k qd1 | latency",
		},
		"dbench": {
			"read_iops | rand read 4k qd64 | iops",
			"write_iops | rand write 4k qd64 | iops",
			"read_bw | rand read 128k qd64 | bandwidth",
			"write_bw | rand write 128k qd64 | bandwidth",
			"read_latency | rand read 4k qd4 | latency",
			"write_latency | rand write 4k qd4 | latency",
			"read_seq | seq read 1M qd16×4 | bandwidth",
			"write_seq | seq write 1M qd16×4 | bandwidth",
			"rw_mix | rand r/w 75/25 4k qd64 | iops",
		},
		"grid": {
			"randrw-4k | rand r/w 50/50 4k qd32×8 | iops",
			"randrw-8k | rand r/w 50/50 8k qd32×8 | iops",
			"randrw-64k | rand r/w 50/50 64k qd16×8 | bandwidth",
			"randrw-1024k | rand r/w 50/50 1M qd8×8 | bandwidth",
			"read-4k | seq read 4k qd32×8 | iops",
			"read-8k | seq read 8k qd32×8 | iops",
			"read-64k | seq read 64k qd16×8 | bandwidth",
			"read-1024k | seq read 1M qd8×8 | bandwidth",
			"write-4k | seq write 4k qd32×8 | iops",
			"write-8k | seq write 8k qd32×8 | iops",
			"write-64k | seq write 64k qd16×8 | bandwidth",
			"write-1024k | seq write 1M qd8×8 | bandwidth",
		},
		"etcd": {"wal-fdatasync | seq write 2300 qd1 +fdatasync appended | iops"},
		"postgres": {
			"wal-8k | seq write 8k qd1 +fdatasync | iops",
			"wal-16k | seq write 16k qd1 +fdatasync | iops",
			"wal-64k | seq write 64k qd1 +fdatasync | iops",
			"page-read | rand read 8k qd1 | latency",
			"page-read-16 | rand read 8k qd16 | iops",
		},
	}
	if diff := cmp.Diff([]string{"standard", "quick", "kbench", "dbench", "grid", "etcd", "postgres"}, Names()); diff != "" {
		t.Error(diff)
	}
	for name, lines := range want {
		p, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lines, describe(p)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if p.Name != name || p.Title == "" {
			t.Errorf("%s: name %q, title %q", name, p.Name, p.Title)
		}
		if err := Check(p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLookupNamesTheNearest(t *testing.T) {
	_, err := Lookup("kbnch")
	e := modeltest.Refused(t, err)
	if e.Message != `there is no profile "kbnch"; did you mean "kbench"?` {
		t.Error(e.Message)
	}
	if !strings.Contains(e.Hint, "standard, quick, kbench, dbench, grid, etcd, postgres") {
		t.Error(e.Hint)
	}
	_, err = Lookup("xyzzy")
	if e := modeltest.Refused(t, err); strings.Contains(e.Message, "did you mean") {
		t.Errorf("nothing is near, yet: %s", e.Message)
	}
}

func TestLookupHandsOutItsOwnCopy(t *testing.T) {
	first, _ := Lookup("kbench")
	first.Workloads[0].Depth = 7
	if again, _ := Lookup("kbench"); again.Workloads[0].Depth != 64 {
		t.Error("a caller changed the built-in profile")
	}
}

func TestChoose(t *testing.T) {
	p, _ := Lookup("kbench")
	for _, c := range []struct {
		name       string
		only, skip []string
		want       []string
	}{
		{"all", nil, nil, p.names()},
		{"one", []string{"seq-read-bw"}, nil, []string{"seq-read-bw"}},
		{"profile order", []string{"seq-read-bw", "rand-read-iops"}, nil, []string{"rand-read-iops", "seq-read-bw"}},
		{"glob", []string{"rand-*-lat"}, nil, []string{"rand-read-lat", "rand-write-lat"}},
		{"class", []string{"[r]and-read-lat"}, nil, []string{"rand-read-lat"}},
		{"overlapping", []string{"rand-read-*", "*-read-lat"}, nil, []string{"rand-read-iops", "rand-read-bw", "rand-read-lat", "seq-read-lat"}},
		{"skip", nil, []string{"seq-*", "*-iops", "*-bw"}, []string{"rand-read-lat", "rand-write-lat"}},
		{"both", []string{"*-lat"}, []string{"*write*"}, []string{"rand-read-lat", "seq-read-lat"}},
	} {
		got, err := Choose(p, c.only, c.skip)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got.names()); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
	if len(p.Workloads) != 12 {
		t.Error("choosing changed its input")
	}
}

func TestChooseRefuses(t *testing.T) {
	p, _ := Lookup("kbench")
	for _, c := range []struct {
		only, skip []string
		message    string
	}{
		{[]string{"rand-raed-iops"}, nil, `profile "kbench" has no workload "rand-raed-iops"; did you mean "rand-read-iops"?`},
		{nil, []string{"rand-reed-lat"}, `profile "kbench" has no workload "rand-reed-lat"; did you mean "rand-read-lat"?`},
		{[]string{"rand-read-iops", "zzz-*"}, nil, `profile "kbench" has no workload "zzz-*"`},
		{[]string{"[rand"}, nil, `--only "[rand" is not a pattern: a bracket is open or empty`},
		{[]string{"*-lat"}, []string{"*-lat"}, `no workload of profile "kbench" is left after --only and --skip`},
	} {
		_, err := Choose(p, c.only, c.skip)
		if e := modeltest.Refused(t, err); e.Message != c.message {
			t.Errorf("got  %s\nwant %s", e.Message, c.message)
		}
	}
}
