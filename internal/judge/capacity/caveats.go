package capacity

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// alike is the factor by which the error of another law may be larger and still count as about the
// same.
const alike = 1.25

// caveats says in sentences which conclusions the chosen law of a scale does not allow.
func caveats(s *model.Scale) []string {
	law := s.Law()
	if law == nil {
		return []string{fmt.Sprintf("no law: fewer than %d numbers of volumes were measured without a rate limit on the same nodes", minPoints)}
	}
	points := observations(s)
	last := points[len(points)-1].n
	var list []string
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	say("nothing was measured beyond %s volumes: what the law says there is an extrapolation, and other limits may come first", number(last))
	switch {
	case law.Capacity == nil && law.Kind != model.SaturationLaw:
		say("these points set no capacity; it is at least %s", s.Metric.FormatTotal(largestTotal(s)))
	case law.Capacity == nil:
		say("no point is saturated: these points set no capacity; it is at least %s", s.Metric.FormatTotal(largestTotal(s)))
	case law.CapacityExtrapolated:
		say("the capacity of %s lies beyond the largest measured total, %s: it is extrapolated, not measured",
			s.Metric.FormatTotal(law.Capacity.Value), s.Metric.FormatTotal(largestTotal(s)))
	case law.Kind == model.SaturationLaw && law.Saturated == 1 && law.Capacity.Confidence == 0:
		say("one point is saturated, so the capacity has no interval: measure more volumes than %s", number(last))
	case law.Kind == model.SaturationLaw && law.Saturated == 1:
		say("one point is saturated, and the capacity's interval takes its spread from elsewhere: measure more volumes than %s", number(last))
	}
	if law.AllSaturated {
		say("every point is saturated: one volume alone reaches at least %s, and how much more is not known", s.Metric.FormatTotal(law.First.Value))
	} else if law.Kind == model.SaturationLaw && law.Capacity != nil && len(points)-law.Saturated-len(law.Bent) == 1 {
		say("one point stands before the knee: the interval of x₁ takes the spread of the saturated points for its own, and between %s and %s volumes the law is a guess",
			number(points[0].n), number(points[1].n))
	}
	for _, n := range law.Bent {
		say("at %d volumes the total lies below both branches: the knee is rounded there, and the point is not counted as saturated", n)
	}
	var rivals []string
	for _, l := range s.Laws {
		if !l.Chosen && l.Error <= law.Error*alike {
			rivals = append(rivals, fmt.Sprintf("%s (%.1f %%)", lawName(l.Kind), 100*l.Error))
		}
	}
	if len(rivals) > 0 {
		verb := "does"
		if len(rivals) > 1 {
			verb = "do"
		}
		say("the choice of the law is not shown: %s predicts left-out points to %.1f %%, and %s %s about as well",
			lawName(law.Kind), 100*law.Error, strings.Join(rivals, " and "), verb)
	}
	return list
}

// lawName is the name of a law in a sentence.
func lawName(k model.LawKind) string {
	switch k {
	case model.AmdahlLaw:
		return "Amdahl's law"
	case model.USLLaw:
		return "the universal scalability law"
	}
	return "min(n·x₁, C)"
}

func largestTotal(s *model.Scale) float64 {
	largest := 0.0
	for _, p := range s.Points {
		if total, _ := pointTotal(s, p); usable(p) && p.Nodes == mainNodes(s) {
			largest = max(largest, total)
		}
	}
	return largest
}
