package pods

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cluster/kube"
)

func TestNamesFitTheCluster(t *testing.T) {
	for id, want := range map[string]string{
		"20261121-060134-sc-local-path":       "loadline-20261121-060134-sc-local-path",
		"20261121-060134-pvc_prod/X.y":        "loadline-20261121-060134-pvc-prod-x-y",
		strings.Repeat("a", 99):               "loadline-" + strings.Repeat("a", 31),
		"trailing-" + strings.Repeat("-", 60): "loadline-trailing",
	} {
		if got := label(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	if name := Mark(strings.Repeat("a", 99), "").Run + "-v999"; len(name) > kube.LongestSet {
		t.Errorf("%s has %d characters", name, len(name))
	}
}
