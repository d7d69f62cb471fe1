package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/test/cluster"
)

// TestShared measures volumes that several nodes use at once: directories of a GlusterFS
// whose only brick is on the disk of one node. The total read rate, from whatever
// nodes, is at most the thousand I/Os per second of that disk.
func TestShared(t *testing.T) {
	t.Parallel()
	if why := cluster.MissingShared(); why != "" {
		t.Skip("skipped: no volume can be shared here: " + why)
	}
	t.Run("a volume of its own", testSharedClass)
	t.Run("a claim from three nodes", testSharedClaim)
}

// sharedClass makes a class of such volumes on the disk of a node, for one test.
func sharedClass(t *testing.T, node int) string {
	t.Helper()
	diskOf(t, fmt.Sprintf("node%d", node))
	class, err := lab.StartShared(node)
	t.Cleanup(func() {
		if err := lab.EndShared(node); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return class
}

// testSharedClass reads a volume of the class at its disk's rate, from another node,
// and the report says what cannot be seen from there.
func testSharedClass(t *testing.T) {
	t.Parallel()
	class, ns := sharedClass(t, 1), namespace(t, "shared-class", "restricted")
	o := run(t, ns, "run", "sc:"+class, "--access-mode", "RWX", "--size", "88Mi", "--node", "node2", "--only", "rand-read-iops", "--max-time", "8s", "--quiet", "--format", "json")
	r := measured(t, o)
	for _, res := range r.Results {
		near(t, res.Workload, res.Estimate, 1000, res.Verdict)
	}
	e := r.Run.Environment
	if !slices.Equal(e.Cluster.Access, []string{"ReadWriteMany"}) || e.Cluster.Node != "node2" || e.Storage.Filesystem != "fuse.glusterfs" || e.Storage.Device != "" {
		t.Errorf("%+v", e)
	}
	for _, f := range r.Findings {
		if (f.Rule == "memory" || f.Rule == "bytes") && f.Severity != "not-checked" {
			t.Errorf("no node sees the server's disk, and %s is %s: %s", f.Rule, f.Severity, f.Message)
		}
	}
	nothingLeft(t, ns)
}

// testSharedClaim runs workers on several nodes, each with its own file in one volume:
// their total is that of a single one.
func testSharedClaim(t *testing.T) {
	t.Parallel()
	class, ns := sharedClass(t, 3), namespace(t, "shared-claim", "restricted")
	kubectlIn(t, strings.NewReplacer("NAMESPACE", ns, "CLASS", class).Replace(sharedClaim), "apply", "-f", "-")
	// The volume has never been used, so it may be given to a group.
	o := run(t, ns, "scale", "pvc:"+ns+"/data", "--fs-group", "10001", "--volumes", "3", "--size", "32Mi", "--max-time", "12s", "--format", "json")
	points := totals(t, o)
	p := points[3]
	if len(points) != 1 || p.Nodes != 3 {
		t.Errorf("%+v", points)
	}
	near(t, "three workers on one claim", p.Total.Estimate, 1000, p.Verdict)
	said(t, o, "3 files of 32 MiB each", "in one claim, used at once from node1, node2 and node3")
	nothingLeft(t, ns)
	if phase := kubectl(t, "get", "pvc", "data", "-n", ns, "-o", "jsonpath={.status.phase}"); phase != "Bound" {
		t.Errorf("the claim is %s", phase)
	}
	// The server must not end before the volume is gone.
	volume := kubectl(t, "get", "pvc", "data", "-n", ns, "-o", "jsonpath={.spec.volumeName}")
	kubectl(t, "delete", "pvc", "data", "-n", ns)
	kubectl(t, "wait", "pv/"+volume, "--for=delete", "--timeout=180s")
}

const sharedClaim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: NAMESPACE}
spec: {accessModes: [ReadWriteMany], storageClassName: CLASS, resources: {requests: {storage: 256Mi}}}
`
