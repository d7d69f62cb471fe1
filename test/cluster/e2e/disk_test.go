package e2e

import (
	"sync"
	"testing"
)

// disks are held by the tests that measure on them.
var disks = map[string]*sync.Mutex{"node1": {}, "node2": {}, "node3": {}}

// diskOf lets a parallel test have the disk of a node for itself until it ends. A test
// that measures and is not parallel needs none: nobody else is there.
func diskOf(t *testing.T, node string) {
	t.Helper()
	disks[node].Lock()
	t.Cleanup(disks[node].Unlock)
}
