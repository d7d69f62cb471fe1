package trust

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestABurstThatIsSoonAvailableAgainHasNoRefillOfZero(t *testing.T) {
	for refill, says := range map[float64]string{0: "", 0.3: "", 0.6: "takes 1 s or more to be available again", 10: "takes 10 s or more to be available again"} {
		m := Evidence{}.fell(model.Result{Workload: "w"}, &model.Sustained{State: model.Fell, Rate: 2000, Bandwidth: 2000 * 4096,
			Burst: &model.Burst{Rate: 6000, Bandwidth: 6000 * 4096, Seconds: 5, IOs: 2000 * refill, Refill: refill}}).Message
		if !strings.Contains(m, "which is the result") || !strings.Contains(m, says) || strings.Contains(m, "available again") != (says != "") {
			t.Errorf("%v s: %s", refill, m)
		}
	}
}
