package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/test/cluster"
)

// TestShared measures volumes that several nodes use at once: directories of a GlusterFS
// whose one brick is on the disk of node 3. Whatever is read of them, from whichever
// nodes, is at most the thousand I/Os per second of that disk.
func TestShared(t *testing.T) {
	if why := cluster.MissingShared(); why != "" {
		t.Skip("skipped: no volume can be shared here: " + why)
	}
	if err := lab.StartShared(3); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lab.EndShared(3); err != nil {
			t.Error(err)
		}
	})
	t.Run("a volume of its own", testSharedClass)
	t.Run("a claim from three nodes", testSharedClaim)
}

// testSharedClass: a volume of the class is read at its disk's rate, from another node,
// and the report says what stands between.
func testSharedClass(t *testing.T) {
	ns := namespace(t, "shared-class", "restricted")
	o := run(t, ns, "run", "sc:shared?size=192Mi", "--access-mode", "RWX", "--node", "node1", "--only", "rand-read-iops", "--max-time", "8s", "--quiet", "--output", "json")
	r := measured(t, o)
	r.carries(t, 1000)
	e := r.Run.Environment
	if !slices.Equal(e.Cluster.Access, []string{"ReadWriteMany"}) || e.Cluster.Node != "node1" || e.Storage.Filesystem != "fuse.glusterfs" || e.Storage.Device != "" {
		t.Errorf("%+v", e)
	}
	for _, f := range r.Findings {
		if (f.Rule == "memory" || f.Rule == "bytes") && f.Severity != "not-checked" {
			t.Errorf("no node sees the server's disk, and %s is %s: %s", f.Rule, f.Severity, f.Message)
		}
	}
	nothingLeft(t, ns)
}

// testSharedClaim: workers on several nodes, each with a file of its own in one volume,
// get together what one gets alone. One that is not loaded at once would show as more.
func testSharedClaim(t *testing.T) {
	ns := namespace(t, "shared-claim", "restricted")
	kubectlIn(t, strings.ReplaceAll(sharedClaim, "NAMESPACE", ns), "apply", "-f", "-")
	o := run(t, ns, "scale", "pvc:"+ns+"/data", "--volumes", "1,3", "--size", "48Mi", "--max-time", "26s", "--output", "json")
	points := totals(t, o)
	if len(points) != 2 || points[3].Nodes != 3 {
		t.Errorf("%+v", points)
	}
	for _, p := range points {
		p.is(t, 1000)
	}
	said(t, o, "3 files of 48 MiB each", "in one claim, used at once from node1, node2 and node3")
	nothingLeft(t, ns)
	if phase := kubectl(t, "get", "pvc", "data", "-n", ns, "-o", "jsonpath={.status.phase}"); phase != "Bound" {
		t.Errorf("the claim is %s", phase)
	}
	if files := kubectl(t, "get", "pvc", "-n", ns, "-o", "name"); strings.Count(files, "/") != 1 {
		t.Errorf("left: %s", files)
	}
}

const sharedClaim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: NAMESPACE}
spec: {accessModes: [ReadWriteMany], storageClassName: shared, resources: {requests: {storage: 256Mi}}}
`
