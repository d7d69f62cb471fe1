package e2e

import (
	"sync"
	"testing"
)

// disks are locked by the tests that measure on them.
var disks = map[string]*sync.Mutex{"node1": {}, "node2": {}, "node3": {}}

// diskOf gives a parallel test exclusive use of a node's disk until it ends. A test
// that measures and is not parallel does not need it: no other test runs then.
func diskOf(t *testing.T, node string) {
	t.Helper()
	disks[node].Lock()
	t.Cleanup(disks[node].Unlock)
}
