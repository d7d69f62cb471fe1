package truth

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/loadline/loadline/test/lab"
	"github.com/loadline/loadline/test/perf"
)

// mixShort is the share up to which a device may fall short of its settings: what is slower is held up by this machine.
const mixShort = 0.05

// Mixes of reads and writes are predicted from pure workloads alone, on devices with
// a cap on I/Os, on bandwidth, and on both, below one to three mirrors: within 10 % of
// what is then measured, and every limit is named correctly.
func TestHeldOutMixes(t *testing.T) {
	lab.Need(t, "fio")
	defer scheduleSubtests(t)()
	// A cap on bandwidth below two mirrors, and both caps below three.
	for _, i := range []int{4, 8} {
		drawn := func() (*rand.Rand, perf.MixDevice) {
			r := rand.New(rand.NewPCG(6, uint64(i)))
			return r, perf.DrawMixDevice(r, i)
		}
		_, c := drawn()
		t.Run(c.Name(), func(t *testing.T) {
			runWithRetry(t, demand{seconds: 45, slots: 2}, func(t testing.TB) {
				r, c := drawn()
				var said strings.Builder
				j := c.Judge(t, r, &said)
				t.Log("\n" + said.String())
				switch {
				case j.Good():
				case j.Short < mixShort:
					t.Errorf("%d of %d mixes are predicted within 10 %% (the worst is off by %.1f %%), %d of %d limits named right",
						j.WithinTen, j.Mixes, 100*math.Expm1(j.Worst), j.Right, j.Asked)
				default:
					busy(t, "the device fell short of its settings by %.0f %%: this machine is too busy to say anything", 100*j.Short)
				}
			})
		})
	}
}
