package imported

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// parsed parses a file from testdata.
func parsed(t *testing.T, name string) []*Part {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	parts, err := Parse(name, data, "")
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

// said formats the contents of a part, one line for each figure: workload, direction, and each metric
// with its value in base units.
func said(p *Part) []string {
	var list []string
	for _, r := range p.runs {
		for _, f := range r.figures {
			line := fmt.Sprintf("%s %s", f.Workload, f.Direction)
			for _, m := range []model.Metric{model.IOPS, model.Bandwidth, model.Transactions, model.Records, model.Elapsed,
				model.Latency, model.P50, model.P90, model.P99, model.P999, model.P9999} {
				if v, ok := f.Values[m]; ok {
					line += fmt.Sprintf(" %s=%.4g", m, v)
				}
			}
			list = append(list, line)
		}
	}
	return list
}

// The figures in the testdata files, and nothing else.
func TestFormats(t *testing.T) {
	const (
		reconnect = "pgbench-c10-connect mixed tps=455.2 latency=0.02197"
		docker    = "pgbench-s250-c1 mixed tps=1270 latency=0.000788"
	)
	for _, c := range []struct {
		file, system, formats string
		want                  []string
	}{
		{"fio-3.7-transcript.txt", "", "fio-text", []string{
			"fiotest read iops=246 bandwidth=2.579e+08 latency=0.09585 p50=0.091 p90=0.138 p99=0.201 p99.9=0.284 p99.99=0.326",
			"fiotest write iops=252 bandwidth=2.642e+08 latency=0.1601 p50=0.136 p90=0.22 p99=0.305 p99.9=0.372 p99.99=0.414"}},
		{"raw-block-iops.json", "", "fio-json", []string{
			"rand-read-iops read iops=8.978e+04 bandwidth=3.677e+08 latency=0.0007129 p50=0.0006701 p90=0.0008555 p99=0.001212 p99.9=0.001782 p99.99=0.003564",
			"rand-write-iops write iops=8.387e+04 bandwidth=3.435e+08 latency=0.0007631 p50=0.0007173 p90=0.0009157 p99=0.001297 p99.9=0.001908 p99.99=0.003816",
			"seq-read-iops read iops=1.052e+05 bandwidth=4.307e+08 latency=0.0006086 p50=0.0005721 p90=0.0007304 p99=0.001035 p99.9=0.001522 p99.99=0.003043",
			"seq-write-iops write iops=1.073e+05 bandwidth=4.393e+08 latency=0.0005967 p50=0.0005609 p90=0.000716 p99=0.001014 p99.9=0.001492 p99.99=0.002984"}},
		{"kbench.summary", "", "kbench", kbenchSaid},
		{"kbench-old.summary", "", "kbench", kbenchSaid},
		{"pgbench-docker.txt", "", "pgbench", []string{docker}},
		{"pgbench-local-path.txt", "", "pgbench", []string{"pgbench-s250-c1 mixed tps=906.2 latency=0.001103"}},
		{"pgbench-reconnect.txt", "", "pgbench", []string{reconnect}},
		{"pgbench-excerpt.txt", "", "pgbench", []string{"pgbench mixed tps=348.1 latency=0.002873"}},
		{"biolatency-fio.txt", "", "block-latency", []string{
			"block-latency mixed latency=0.001893 p50=0.001448 p90=0.002896 p99=0.005793 p99.9=0.01159 p99.99=0.01159"}},
		{"biolatency-msecs.txt", "", "block-latency", []string{
			// The tool's own sum: 15563 ms for 21189 I/Os.
			"block-latency mixed latency=0.0007345 p50=0.001 p90=0.002828 p99=0.005657 p99.9=0.01131 p99.99=0.01131"}},
		{"bpftrace-fio.txt", "", "block-latency", []string{
			"block-latency-process mixed latency=0.0008138 p50=0.0007241 p90=0.0007241 p99=0.002896 p99.9=0.005793 p99.99=0.01159"}},
		{"bpftrace-pgbench.txt", "", "block-latency", []string{
			"block-latency-process mixed latency=0.001307 p50=0.0007241 p90=0.001448 p99=0.005793 p99.9=0.01159 p99.99=0.04634"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			parts := parsed(t, c.file)
			if len(parts) != 1 {
				t.Fatalf("%d systems, want 1", len(parts))
			}
			if diff := cmp.Diff(c.want, said(parts[0])); diff != "" {
				t.Error(diff)
			}
			if f := strings.Join(parts[0].Source.Formats, " "); f != c.formats {
				t.Errorf("formats %q, want %q", f, c.formats)
			}
		})
	}
}

// kbenchSaid are the figures of a real Kbench run, the same in both versions of its summary.
var kbenchSaid = []string{
	"rand-read-iops read iops=8.978e+04", "rand-write-iops write iops=8.387e+04",
	"seq-read-iops read iops=1.052e+05", "seq-write-iops write iops=1.073e+05",
	"rand-read-bw read bandwidth=5.245e+08", "rand-write-bw write bandwidth=4.904e+08",
	"seq-read-bw read bandwidth=5.318e+08", "seq-write-bw write bandwidth=5.351e+08",
	"rand-read-lat read latency=0.0001141", "rand-write-lat write latency=4.452e-05",
	"seq-read-lat read latency=4.063e-05", "seq-write-lat write latency=4.502e-05",
}

// The producer prints a line every five seconds, and a total at its end; a truncated log has no total,
// and its windows are not runs.
func TestKafkaWindows(t *testing.T) {
	const (
		first  = "550000 records sent, 110000.0 records/sec (10.49 MB/sec), 40.1 ms avg latency, 300.0 ms max latency.\n"
		second = "600000 records sent, 120000.0 records/sec (11.44 MB/sec), 44.0 ms avg latency, 320.0 ms max latency.\n"
		sum    = "1150000 records sent, 115000.000000 records/sec (10.97 MB/sec), 42.13 ms avg latency, 320.00 ms max latency, 41 ms 50th, 80 ms 95th, 120 ms 99th, 310 ms 99.9th.\n"
	)
	for name, c := range map[string]struct {
		log, want, remark string
	}{
		"whole":    {first + second + sum, "kafka-produce write bandwidth=1.15e+07 records=1.15e+05 latency=0.04213 p50=0.041 p99=0.12 p99.9=0.31", ""},
		"cut off":  {sum + first + second, "kafka-produce write bandwidth=1.15e+07 records=1.15e+05 latency=0.04213 p50=0.041 p99=0.12 p99.9=0.31", "cut off: 2 windows"},
		"a window": {first, "kafka-produce write bandwidth=1.1e+07 records=1.1e+05 latency=0.0401", ""},
	} {
		parts, err := Parse("producer.log", []byte(c.log), "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff([]string{c.want}, said(parts[0])); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := parts[0].remarks; (len(got) > 0) != (c.remark != "") || len(got) > 0 && !strings.Contains(got[0].Message, c.remark) {
			t.Errorf("%s: remarks %+v, want %q", name, got, c.remark)
		}
	}
}

// Options with several values are for reads, writes and trims.
func TestOptionsForEachDirection(t *testing.T) {
	for _, c := range []struct {
		rw, bs, rate string
		block        int64
		iops         float64
	}{
		{"randwrite", "4k,64k", ",500", 64 << 10, 500}, {"randread", "4k,64k", "100,500", 4 << 10, 100}, {"randwrite", "8k", "20", 8 << 10, 20},
		{"randrw", "4k,64k", "100,50", 4 << 10, 100}, {"randrw", "4k", "100", 4 << 10, 100},
	} {
		w := fioOptions{"rw": c.rw, "bs": c.bs, "rate_iops": c.rate}.workload("w", nil)
		if w.BlockSize != c.block || w.RateIOPS != c.iops {
			t.Errorf("%+v: %d bytes, %v/s", c, w.BlockSize, w.RateIOPS)
		}
	}
}
