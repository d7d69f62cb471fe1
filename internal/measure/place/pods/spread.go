package pods

import "github.com/loadline/loadline/internal/cluster/kube"

// Spread is what is asked of the pods of one run.
type Spread string

// The spreads: none, for one pod or for pods that have to be together; Even, which is hard
// but for a volume that was bound to nodes before its pod; Strict, which is hard whatever
// the volume; and Loose, which is only preferred.
const (
	Even   Spread = "even"
	Strict Spread = "hard"
	Loose  Spread = "soft"
)

// demand is what the scheduler is told.
func (s Spread) demand() kube.Spread {
	switch s {
	case Even, Strict:
		return kube.Hard
	case Loose:
		return kube.Soft
	}
	return ""
}
