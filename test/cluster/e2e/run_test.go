package e2e

import (
	"os"
	"strings"
	"testing"
)

// The node disks do 1,000 I/Os per second each.

// short makes a run of one workload of about twelve seconds.
var short = []string{"--max-time", "12s", "--quiet", "--format", "json"}

func TestRun(t *testing.T) {
	t.Parallel()
	t.Run("block device of the CSI class", func(t *testing.T) {
		t.Parallel()
		diskOf(t, "node1")
		ns := namespace(t, "block", "baseline")
		o := run(t, ns, append([]string{"run", "sc:csi?size=128Mi&mode=Block", "--node", "node1", "--only", "rand-write-iops"}, short...)...)
		r := measured(t, o)
		r.carries(t, 1000)
		c := r.Run.Environment.Cluster
		if c.Node != "node1" || r.Run.Environment.Hostname != "node1" || c.Class != "csi" || c.Provisioner != "csi.loadline.test" ||
			c.Driver != "csi.loadline.test" || c.Mode != "Block" || !c.Made || !c.Root {
			t.Errorf("%+v", r.Run.Environment)
		}
		nothingLeft(t, ns)
		if volumes := kubectl(t, "get", "pv", "-o", "name"); strings.Contains(volumes, c.Volume) {
			t.Errorf("the volume %s is still there", c.Volume)
		}
	})
	// The rights in deploy/role.yaml are enough, and the pod passes "restricted".
	t.Run("directory of local-path with the least rights", func(t *testing.T) {
		t.Parallel()
		diskOf(t, "node2")
		ns := namespace(t, "least", "restricted")
		role, err := os.ReadFile("../../../deploy/role.yaml")
		if err != nil {
			t.Fatal(err)
		}
		kubectlIn(t, string(role), "apply", "-n", ns, "-f", "-")
		kubectl(t, "create", "serviceaccount", "dev", "-n", ns)
		kubectl(t, "create", "rolebinding", "dev", "-n", ns, "--role", "loadline", "--serviceaccount", ns+":dev")
		o := runAs(t, "system:serviceaccount:"+ns+":dev", ns, append([]string{"run", "sc:local-path?size=192Mi", "--node", "node2", "--only", "rand-read-iops"}, short...)...)
		r := measured(t, o)
		r.carries(t, 1000)
		// Without the cluster-wide rights the record contains less, but nothing wrong.
		if c := r.Run.Environment.Cluster; c.Node != "node2" || c.Mode != "Filesystem" || c.Root || c.Provisioner != "" {
			t.Errorf("%+v", c)
		}
		nothingLeft(t, ns)
	})
	t.Run("claim that is in use", func(t *testing.T) {
		t.Parallel()
		diskOf(t, "node3")
		ns := namespace(t, "claims", "restricted")
		kubectlIn(t, strings.ReplaceAll(user, "NAMESPACE", ns), "apply", "-f", "-")
		kubectl(t, "wait", "-n", ns, "pod/user", "--for=condition=Ready", "--timeout=180s")
		plan := run(t, ns, "plan", "pvc:"+ns+"/data")
		o := run(t, ns, "run", "pvc:"+ns+"/data", "--only", "rand-read-iops", "--max-time", "12s", "--format", "json")
		r := measured(t, o)
		r.carries(t, 1000)
		if c := r.Run.Environment.Cluster; c.Node != "node3" || c.Made || c.Claim != "data" || c.Class != "csi-sized" {
			t.Errorf("%+v", c)
		}
		// The plan describes the storage as the run does.
		for _, line := range []string{"cluster ", "storage "} {
			if said := line + lineOf(plan.stdout, line); !strings.Contains(o.stderr, said) || said == line {
				t.Errorf("%q is in the plan, and not in: %s", said, o.stderr)
			}
		}
		if !strings.Contains(o.stderr, "in use by the pod user") {
			t.Errorf("not a word about the other pod: %s", o.stderr)
		}
		nothingLeft(t, ns)
		if phase := kubectl(t, "get", "pvc", "data", "-n", ns, "-o", "jsonpath={.status.phase}"); phase != "Bound" {
			t.Errorf("the claim is %s", phase)
		}
	})
}

// lineOf returns the rest of the first line with a beginning.
func lineOf(text, beginning string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, beginning); ok {
			return rest
		}
	}
	return ""
}

// user is a pod that uses a claim, on node3.
const user = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: NAMESPACE}
spec: {accessModes: [ReadWriteOnce], storageClassName: csi-sized, resources: {requests: {storage: 256Mi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: user, namespace: NAMESPACE}
spec:
  terminationGracePeriodSeconds: 1
  nodeSelector: {kubernetes.io/hostname: node3}
  securityContext: {runAsNonRoot: true, fsGroup: 10001, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: c
    image: ` + image + `
    imagePullPolicy: IfNotPresent
    command: [sleep, "1000"]
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
    volumeMounts: [{name: data, mountPath: /data}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
`

// Both sides are measured on one node, in turn, so each has the whole disk during
// its turn. (That they go to one node by default is tested with Longhorn.)
func testBaseline(t *testing.T) {
	ns := namespace(t, "baseline", "restricted")
	o := run(t, ns, "run", "sc:csi?size=128Mi", "--baseline", "sc:local-path", "--node", "node1", "--size", "96Mi", "--only", "rand-read-iops", "--max-time", "16s",
		"--fail-on", "none", "--quiet", "--format", "json")
	var r struct{ Comparison comparison }
	decode(t, o, &r)
	c := r.Comparison
	if o.code != 0 || len(c.Rows) == 0 || c.A.Environment.Cluster.Class != "local-path" || c.B.Environment.Cluster.Class != "csi" {
		t.Fatalf("exit code %d, %+v: %s", o.code, c, o.stderr)
	}
	// Both classes have the disk's rate. The p99 may differ: the volume of one is a loop device on that disk.
	for _, row := range c.Rows {
		if row.Metric == "iops" && row.Trust == "valid" && (row.A.Estimate < 900 || row.A.Estimate > 1100 || row.B.Estimate < 900 || row.B.Estimate > 1100 ||
			row.Verdict == "better" || row.Verdict == "worse") {
			t.Errorf("%.0f against %.0f on a disk of 1,000: %s", row.A.Estimate, row.B.Estimate, row.Verdict)
		}
	}
	nothingLeft(t, ns)
}

// comparison is what the tests read of a comparison.
type comparison struct {
	A, B struct{ Environment environment }
	Rows []struct {
		Workload, Metric, Trust, Verdict string
		A, B                             struct{ Estimate float64 }
	}
}
