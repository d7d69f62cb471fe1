package pods

import (
	"strings"
	"testing"
)

func TestNamesFitTheCluster(t *testing.T) {
	for id, want := range map[string]string{
		"20261121-060134-sc-local-path":       "loadline-20261121-060134-sc-local-path",
		"20261121-060134-pvc_prod/X.y":        "loadline-20261121-060134-pvc-prod-x-y",
		strings.Repeat("a", 99):               "loadline-" + strings.Repeat("a", 41),
		"trailing-" + strings.Repeat("-", 60): "loadline-trailing",
	} {
		if got := label(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}
