package perf

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// comparedHere runs "loadline compare A B …" inside this process.
func comparedHere(b *testing.B, first, second string, args ...string) model.Comparison {
	b.Helper()
	text := printed(b, env.OS(), append([]string{"compare", first, second, "--fail-on", "none"}, args...)...)
	var c model.Comparison
	if err := json.Unmarshal(text, &c); err != nil {
		b.Fatalf("standard output is no comparison: %v\n%s", err, text)
	}
	return c
}

// equalRuns is the number of real comparisons of equal sides, half on two devices
// with the same throttle and half on two directories of this machine's own disk.
const equalRuns = 20

// BenchmarkEqualSidesReal compares equal sides on real storage and prints every row.
// Every better or worse is a false alarm. The disk's own noise is
// in the intervals; Kbench, which has none, printed changes of −56 % to +166 % on
// such a disk.
func BenchmarkEqualSidesReal(b *testing.B) {
	lab.Need(b, "fio")
	for range b.N {
		t := columns()
		fmt.Fprintf(t, "\nequal sides\trow\tchange\t95 %% interval\tblocks\tadjusted p\tverdict\t\n")
		var n equalRows
		var mu sync.Mutex
		compared := func(name, first, second string) {
			c := comparedHere(b, first, second, "--profile", "kbench", "--only", "rand-read-iops", "--size", "32M", "--max-time", "24s")
			mu.Lock()
			defer mu.Unlock()
			n.add(c)
			for _, r := range c.Rows {
				fmt.Fprintf(t, "%s\t%s\t%+.1f %%\t%+.1f to %+.1f %%\t%d\t%.2f\t%s\t\n", name, r.Metric, 100*(r.Ratio.Value-1),
					100*(r.Ratio.Low-1), 100*(r.Ratio.High-1), r.Blocks, r.Adjusted, r.Verdict)
			}
		}
		sideBySide(b, equalRuns/2, func(i int, s *scope) {
			rate := int64(1000 + 300*i)
			x, y := lab.Throttled(s, lab.Throttle{IOPS: rate, Size: 32 << 20}), lab.Throttled(s, lab.Throttle{IOPS: rate, Size: 32 << 20})
			compared(fmt.Sprintf("%d IOPS", rate), x.Target(), y.Target())
		})
		for range equalRuns / 2 {
			s := &scope{B: b}
			lab.Lock(s)
			base := b.TempDir()
			first, second := filepath.Join(base, "a"), filepath.Join(base, "b")
			for _, dir := range []string{first, second} {
				if err := os.Mkdir(dir, 0o755); err != nil {
					b.Fatal(err)
				}
			}
			compared("two directories of one disk", first, second)
			s.end()
		}
		t.Flush()
		fmt.Printf("of %d rows of equal sides %d have an adjusted p below 5 %%, %d are called better or worse; %d intervals hold the truth\n", n.all, n.different, n.wrong, n.covered)
		b.ReportMetric(float64(n.wrong)/float64(n.all), "false/row")
	}
}
