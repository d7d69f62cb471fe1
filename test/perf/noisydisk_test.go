package perf

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
	"github.com/loadline/loadline/test/lab"
)

// BenchmarkNoisyDisk measures the disk of this machine's temporary directory,
// three repeats of each of the quick profile's workloads, and prints how wide the intervals of the
// rates are by Loadline, by Student's t and by Loadline's first rule, all
// from the same seconds.
func BenchmarkNoisyDisk(b *testing.B) {
	lab.Need(b, "fio")
	for range b.N {
		s := &scope{B: b}
		lab.Lock(s)
		runs := b.TempDir()
		r, err := report(b.Context(), runs, b.TempDir(), "--profile", "quick", "--repeat", "3", "--size", "2G", "--yes")
		if err != nil {
			b.Fatal(err)
		}
		s.end()
		entries, err := os.ReadDir(runs)
		if err != nil || len(entries) != 1 {
			b.Fatalf("%d run directories: %v", len(entries), err)
		}
		rec, err := store.Read(runs + "/" + entries[0].Name())
		if err != nil {
			b.Fatal(err)
		}
		good, looks := timeline.Good(rec, nil), timeline.Looks(rec)
		t := columns()
		fmt.Fprintf(t, "\nthis machine's disk, three repeats\trate\tours ± %%\tStudent's t ± %%\told rule ± %%\tours / old\t\n")
		var ours, theirs float64
		for _, result := range r.Results {
			e := result.Metrics[model.IOPS]
			var repeats []stay
			for _, v := range timeline.Of(timeline.Counted(good[result.Workload], looks, rec.Plan.Schedule, []*model.Sustained{result.Sustained}), result.Direction) {
				repeats = append(repeats, stayOf(v))
			}
			t95, _ := student(repeats, e.Value)
			old, _ := oldRule(repeats, e.Value)
			ratio := e.HalfWidth() / (old / e.Value)
			ours, theirs = ours+e.HalfWidth(), theirs+old/e.Value
			fmt.Fprintf(t, "%s\t%.0f\t%.1f\t%.1f\t%.1f\t%.2f\t\n", result.Workload, e.Value, 100*e.HalfWidth(), 100*t95/e.Value, 100*old/e.Value, ratio)
		}
		t.Flush()
		fmt.Printf("ours / old, mean widths: %.2f (goal ≤ 0.50)\n\n", ours/theirs)
		b.ReportMetric(ours/theirs, "width-ratio")
	}
}

// stayOf returns a repeat's rate and the rates of its seconds.
func stayOf(v timeline.Repeat) stay {
	s := stay{begin: math.Inf(1)}
	var ios, seconds float64
	for _, second := range v.Seconds {
		s.begin, s.end = math.Min(s.begin, second.Begin), math.Max(s.end, second.End)
		s.seconds = append(s.seconds, second.IOs/second.Seconds)
		ios, seconds = ios+second.IOs, seconds+second.Tally.Seconds
	}
	s.value = ios / seconds
	return s
}
