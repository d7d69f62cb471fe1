package explain

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// TestAClientElsewhereHasProcessorsOfItsOwn checks that the CPU time of a remote client does not count
// on the server's machine.
func TestAClientElsewhereHasProcessorsOfItsOwn(t *testing.T) {
	idle := 0.02
	// Of two processors the server's share is 1.2, and the client's 0.8.
	beside := transaction{clients: 4, rate: 1000, idle: &idle, processors: 2, processor: &model.AppProcessor{ServerCPU: 1.2e-3, ClientCPU: 0.8e-3}}
	far := beside
	far.far = true
	if !beside.saturates() || far.saturates() {
		t.Errorf("beside: %v, elsewhere: %v", beside.saturates(), far.saturates())
	}
	far.processor = &model.AppProcessor{ServerCPU: 2e-3, ClientCPU: 0.8e-3}
	if !far.saturates() {
		t.Error("a server that fills its processors by itself")
	}
}
