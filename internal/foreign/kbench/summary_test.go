package kbench

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outputsOf returns the three files of a run, given its numbers in Kbench's order (random read, random
// write, sequential read, sequential write).
func outputsOf(t *testing.T, iops, bandwidth, latency [4]float64, idle map[Aspect]float64) Values {
	t.Helper()
	var v Values
	for _, a := range aspects {
		numbers := map[Aspect][4]float64{IOPS: iops, Bandwidth: bandwidth, Latency: latency}[a.name]
		var d document
		for i, name := range []string{"rand-read-", "rand-write-", "seq-read-", "seq-write-"} {
			if numbers[i] == 0 {
				continue
			}
			f := flow{IOs: 1000}
			switch a.name {
			case IOPS:
				f.IOPSMean = numbers[i]
			case Bandwidth:
				f.BandwidthMean = numbers[i]
			default:
				f.Latency.Mean = numbers[i]
			}
			j := job{Name: name + a.suffix, Read: f}
			if strings.Contains(name, "write") {
				j.Read, j.Write = flow{}, f
			}
			d.Jobs = append(d.Jobs, j)
		}
		if n, ok := idle[a.name]; ok {
			d.Idle = &idleness{System: n}
		}
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Read(data); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// The figures of Kbench's own README; decimals are truncated, not rounded. The bytes are those of
// Kbench's scripts for the same numbers, except for the bugs listed in docs/kbench.md.
func TestSummaryOfKbenchsReadme(t *testing.T) {
	v := outputsOf(t, [4]float64{89777.654321, 83867.9, 105151.2, 107256}, [4]float64{512205.5, 478912.01, 519303.99, 522566.5},
		[4]float64{114095.777, 44515.2, 40634.9, 45024.1}, map[Aspect]float64{IOPS: 68.9, Bandwidth: 98.2, Latency: 74.7})
	want := `
=========================
FIO Benchmark Summary
For: ./fio-results/Samsung_850_PRO_512GB/raw-block
CPU Idleness Profiling: enabled
Size: 10g
Mode: full
=========================
IOPS (Read/Write)
        Random:          89,777 / 83,867
    Sequential:        105,151 / 107,256
  CPU Idleness:                      68%

Bandwidth in KiB/sec (Read/Write)
        Random:        512,205 / 478,912
    Sequential:        519,303 / 522,566
  CPU Idleness:                      98%

Latency in ns (Read/Write)
        Random:         114,095 / 44,515
    Sequential:          40,634 / 45,024
  CPU Idleness:                      74%


`
	r := Request{Prefix: "./fio-results/Samsung_850_PRO_512GB/raw-block", SizeText: "10g", Mode: "full", IdleProfile: true}
	if diff := cmp.Diff(want, Summary(r, v)); diff != "" {
		t.Error(diff)
	}
	// Without profiling the output is the same without the lines about the CPU.
	var kept []string
	for line := range strings.Lines(want) {
		if !strings.HasPrefix(line, "  CPU Idleness:") {
			kept = append(kept, strings.Replace(line, ": enabled", ": disabled", 1))
		}
	}
	r.IdleProfile = false
	if diff := cmp.Diff(strings.Join(kept, ""), Summary(r, v)); diff != "" {
		t.Error(diff)
	}
}

// The largest numbers for a single Longhorn volume in Longhorn's reference report.
func TestSummaryOfTheReferenceReport(t *testing.T) {
	v := outputsOf(t, [4]float64{22180, 1150, 39772, 2340}, [4]float64{874 * 1024, 159 * 1024, 669 * 1024, 291 * 1024},
		[4]float64{750e3, 2040e3, 740e3, 2028e3}, nil)
	want := `
=========================
FIO Benchmark Summary
For: /test-result/device
CPU Idleness Profiling: disabled
Size: 15G
Mode: full
=========================
IOPS (Read/Write)
        Random:           22,180 / 1,150
    Sequential:           39,772 / 2,340

Bandwidth in KiB/sec (Read/Write)
        Random:        894,976 / 162,816
    Sequential:        685,056 / 297,984

Latency in ns (Read/Write)
        Random:      750,000 / 2,040,000
    Sequential:      740,000 / 2,028,000


`
	if diff := cmp.Diff(want, Summary(Request{Prefix: "/test-result/device", SizeText: "15G", Mode: "full"}, v)); diff != "" {
		t.Error(diff)
	}
}

// A mode of one job: Kbench looks for it in the wrong place and prints "0 / null".
func TestOneJobIsFoundByItsName(t *testing.T) {
	for mode, want := range map[string]string{
		"random-read-iops":           "        Random:               22,180 / -\n",
		"random-write-iops":          "        Random:               - / 22,180\n",
		"sequential-read-bandwidth":  "    Sequential:               22,180 / -\n",
		"sequential-write-bandwidth": "    Sequential:               - / 22,180\n",
		"random-write-latency":       "        Random:               - / 22,180\n",
	} {
		jobs := jobsOf(mode)
		v := Values{Jobs: map[string]float64{jobs[0]: 22180.9}}
		got := Summary(Request{Mode: mode}, v)
		if len(jobs) != 1 || strings.Count(got, want) != 1 || strings.Count(got, "22,180") != 1 {
			t.Errorf("%s (%v): no single line %q in %s", mode, jobs, want, got)
		}
	}
}

// testdata/comparison.golden is the output of Kbench's own script for these numbers.
func TestComparisonIsKbenchs(t *testing.T) {
	a := outputsOf(t, [4]float64{96735.1, 89565.2, 107729.3, 107352.4}, [4]float64{549521.9, 519141.8, 551825.7, 522936.6},
		[4]float64{82899.5, 44437.4, 40335.3, 44767.2}, map[Aspect]float64{IOPS: 68.9, Bandwidth: 98.2, Latency: 72.7})
	b := outputsOf(t, [4]float64{98135.1, 88990.2, 110843.3, 107805.4}, [4]float64{549610.9, 511755.8, 552337.7, 520364.6},
		[4]float64{114331.5, 45104.4, 41741.3, 45271.2}, map[Aspect]float64{IOPS: 66.9, Bandwidth: 98.9, Latency: 73.7})
	pair := [2]Request{{Prefix: "850-pro-raw", SizeText: "50G", Mode: "full", IdleProfile: true}, {Prefix: "850-pro-ext4"}}
	want, err := os.ReadFile("testdata/comparison.golden")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), comparison(pair, a, b)); diff != "" {
		t.Error(diff)
	}
	if PairFile(pair) != "850-pro-raw_vs_850-pro-ext4.summary" {
		t.Error(PairFile(pair))
	}
	pair[0].Mode = "quick"
	if got := comparison(pair, a, b); !strings.Contains(got, "\nQuick Mode: enabled\n") {
		t.Errorf("a quick comparison does not say so: %s", got)
	}
	// If a number is missing on one side, there is no change; division by zero gives none either.
	b.Jobs["rand-write-iops"] = 22000
	delete(b.Jobs, "rand-read-iops")
	a.Jobs["rand-write-iops"] = 0.4
	if got := comparison(pair, a, b); !strings.Contains(got, "         96,735 / 0   vs               - / 22,000    :               - / -\n") {
		t.Errorf("a missing number is not shown as one: %s", got)
	}
}
