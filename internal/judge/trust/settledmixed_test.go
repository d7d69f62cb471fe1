package trust

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// Reads at their full rate after a wait, and at half of it after writes, were faster: their number mixes both.
func TestReadsOfWhichSomeWereFastAreMixed(t *testing.T) {
	ev := sound()
	rising(&ev, lat.Name)
	slow, n := map[int]bool{}, 0
	eachStep(&ev, iops.Name, func(s *model.StepResult) {
		s.Settling = &model.Settling{Writes: 3000}
		if n == 0 {
			s.Settling = &model.Settling{Writes: 18000, Waited: 25, Slow: 995, Rate: 997, Settled: true}
		}
		slow[s.Step.Number] = n > 0
		n++
	})
	for i := range ev.Recorded.Samples {
		if s := &ev.Recorded.Samples[i]; slow[s.Step] && s.Read != nil {
			half := *s.Read
			half.IOs /= 2
			s.Read = &half
		}
	}
	f := settledFinding(t, ev, iops.Name)
	if f.Severity != model.SeverityWarning || strings.Contains(f.Message, "never faster") || !strings.Contains(f.Message, "the number mixes both") {
		t.Errorf("%+v", f)
	}
}
