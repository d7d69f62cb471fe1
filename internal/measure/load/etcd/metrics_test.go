package etcd

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// page returns a part of etcd 3.6's metrics, with the given number of log flushes and of those within 2 ms.
func page(fsyncs, within2ms string) string {
	var b strings.Builder
	b.WriteString("# HELP etcd_disk_wal_fsync_duration_seconds The latency distributions of fsync called by WAL.\n# TYPE etcd_disk_wal_fsync_duration_seconds histogram\n")
	for _, le := range []string{"0.001", "0.002", "0.004", "0.008", "0.016", "0.032", "0.064", "0.128", "0.256", "0.512", "1.024", "2.048", "4.096", "8.192", "+Inf"} {
		n := fsyncs
		if le == "0.001" || le == "0.002" {
			n = within2ms
		}
		b.WriteString(`etcd_disk_wal_fsync_duration_seconds_bucket{le="` + le + `"} ` + n + "\n")
	}
	b.WriteString("etcd_disk_wal_fsync_duration_seconds_sum 0.5\netcd_disk_wal_fsync_duration_seconds_count " + fsyncs + "\netcd_disk_wal_write_bytes_total 1.2e+06\ngo_goroutines 12\n")
	return b.String()
}

func TestCountsAreReadAndSubtracted(t *testing.T) {
	before, err := readCounts(strings.NewReader(page("10", "4")))
	if err != nil {
		t.Fatal(err)
	}
	after, err := readCounts(strings.NewReader(page("1.01e+03", "904")))
	if err != nil {
		t.Fatal(err)
	}
	if _, known := after["go_goroutines"]; known || after[walBytes] != 1.2e6 {
		t.Errorf("%v", after)
	}
	var c model.AppCounts
	difference(&c, before, after)
	if c.Flushes == nil || *c.Flushes != 1000 || *c.FlushSeconds != 0 || *c.LogBytes != 0 || c.Commits != nil {
		t.Errorf("%+v", c)
	}
	if len(c.FlushTimes) != 14 || c.FlushTimes[1] != ([2]float64{.002, 900}) || c.FlushTimes[13] != ([2]float64{8.192, 1000}) {
		t.Errorf("%+v", c.FlushTimes)
	}
	// A version with different buckets.
	delete(after, `etcd_disk_wal_fsync_duration_seconds_bucket{le="0.016"}`)
	difference(&c, before, after)
	if c.FlushTimes != nil {
		t.Errorf("%+v", c.FlushTimes)
	}
}
