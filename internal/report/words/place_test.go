package words

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestBackingTellsWhatIsKnownAndWhatIsNot(t *testing.T) {
	for want, b := range map[string]model.Backing{
		"Longhorn v1.8.0 · 3 replicas on node1, node2, node3 · data locality disabled": {System: "Longhorn", Version: "v1.8.0", Engine: "v1.8.0", Replicas: 3, Healthy: 3,
			Nodes: []string{"node1", "node2", "node3"}, Locality: "disabled"},
		"Longhorn v1.8.0 · engine v1.7.2 · 3 replicas on node1, node3 (2 healthy)": {System: "Longhorn", Version: "v1.8.0", Engine: "v1.7.2", Replicas: 3, Healthy: 2, Nodes: []string{"node1", "node3"}},
		"rancher.io/local-path · 1 replica on node2 · version not known (it tells none)": {System: "rancher.io/local-path", Replicas: 1, Healthy: 1, Nodes: []string{"node2"}, Locality: "node",
			Unknown: []string{"version: it tells none"}},
	} {
		if got := strings.Join(Backing(&b), " · "); got != want {
			t.Errorf("%s\nnot %s", got, want)
		}
	}
}
