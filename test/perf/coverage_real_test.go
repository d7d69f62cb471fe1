package perf

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loadline/loadline/test/lab"
)

// realRuns is the number of devices; each is measured with two workloads.
const realRuns = 10

// BenchmarkCoverageReal measures throttled devices whose rate is drawn at random
// and prints how often the interval contains the rate that was set. A real device's
// actual rate is slightly off too; plain fio over several seconds shows
// by how much. The narrowest interval that is ever published is ± 0.25 %, and a
// throttled device is steadier than that: a share of 100 % is expected here.
func BenchmarkCoverageReal(b *testing.B) {
	workloads := []string{"rand-read-iops", "rand-write-iops"}
	for range b.N {
		t := columns()
		fmt.Fprintf(t, "\nset rate\tbare fio, 5 s\tits error\trand-read-iops\t± 95 %%\tcovers\trand-write-iops\t± 95 %%\tcovers\tseconds\t\n")
		var all, ofDevice covered
		began := time.Now()
		lines := make([]string, realRuns)
		var mu sync.Mutex
		sideBySide(b, realRuns, func(i int, s *scope) {
			rate := 500 + rand.Int64N(4501)
			d := lab.Throttled(s, lab.Throttle{IOPS: rate, Size: 32 << 20})
			bare := lab.Fio(s, d, lab.Job{Depth: 64, Ramp: time.Second, Time: 5 * time.Second}).IOPS
			r := measured(b, d.Target(), "--profile", "kbench", "--only", workloads[0]+","+workloads[1],
				"--size", fmt.Sprint(d.Size), "--destroy-data-on", d.Target())
			mu.Lock()
			defer mu.Unlock()
			line := fmt.Sprintf("%d\t%.1f\t%+.2f %%\t", rate, bare, 100*(bare/float64(rate)-1))
			for _, result := range r.Results {
				before := all.hits
				all.count(result.Estimate, float64(rate))
				ofDevice.count(result.Estimate, bare)
				line += fmt.Sprintf("%.1f\t%.2f %%\t%s\t", result.Value, 100*result.HalfWidth(), map[bool]string{true: "yes", false: "NO"}[all.hits > before])
			}
			lines[i] = fmt.Sprintf("%s%.0f\t\n", line, r.Run.MeasuredSeconds)
		})
		fmt.Fprint(t, strings.Join(lines, ""))
		t.Flush()
		fmt.Printf("%d of %d intervals contain the set rate (%.1f %%), %d what bare fio found; %s\n\n",
			all.hits, all.intervals, all.share(), ofDevice.hits, time.Since(began).Round(time.Second))
		b.ReportMetric(all.share(), "%covered")
	}
}
