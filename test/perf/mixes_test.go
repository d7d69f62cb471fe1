package perf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/loadline/loadline/test/lab"
)

// heldOutCases is the number of devices that are drawn; the test in test/truth uses two.
const heldOutCases = 20

// BenchmarkHeldOutMixes predicts mixes from pure workloads on twenty drawn devices and prints every mix.
func BenchmarkHeldOutMixes(b *testing.B) {
	lab.Need(b, "fio")
	for range b.N {
		t := columns()
		fmt.Fprintf(t, "\ndevice\tworkload\tpredicted\tmeasured\toff by\tbinds\tright\t\n")
		var all MixJudgement
		cases, drawn := 0, 0
		var mu sync.Mutex
		tables := make([]strings.Builder, heldOutCases)
		seed := rand.Uint64()
		sideBySide(b, heldOutCases, func(i int, s *scope) {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			j := DrawMixDevice(r, i).Judge(s, r, &tables[i])
			mu.Lock()
			defer mu.Unlock()
			all.Worst = max(all.Worst, j.Worst)
			all.Mixes, all.WithinTen = all.Mixes+j.Mixes, all.WithinTen+j.WithinTen
			all.Asked, all.Right = all.Asked+j.Asked, all.Right+j.Right
			drawn++
			if j.Right == j.Asked {
				cases++
			}
		})
		for i := range tables {
			fmt.Fprint(t, tables[i].String())
		}
		t.Flush()
		fmt.Printf("%d of %d mixes are predicted within 10 %%, the worst is off by %.1f %%; %d of %d limits are named right, all of them in %d of %d cases\n\n",
			all.WithinTen, all.Mixes, 100*math.Expm1(all.Worst), all.Right, all.Asked, cases, drawn)
		b.ReportMetric(100*float64(all.WithinTen)/float64(all.Mixes), "%within10")
		b.ReportMetric(float64(cases), "cases-named")
	}
}
