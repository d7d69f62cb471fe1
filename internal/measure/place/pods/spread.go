package pods

import (
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/measure/place"
)

// demand returns the constraint for the scheduler.
func demand(s place.Spread) kube.Spread {
	switch s {
	case place.Even, place.Strict:
		return kube.Hard
	case place.Loose:
		return kube.Soft
	}
	return ""
}
