package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSad checks that a failure in a cluster ends the command within its limit, with a message that
// gives the reason in the cluster's words, and leaves nothing. Nothing is measured here.
func TestSad(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		setup func(t *testing.T, ns string)
		code  int
		// ready is the limit for the pod: short if only this limit ends the waiting, and still long enough for a busy
		// cluster to say why.
		ready string
		words []string
	}{
		"wrong class": {args: []string{"sc:cis"}, code: 2, ready: "2m", words: []string{"has no StorageClass cis", "loadline run sc:csi "}},
		"no provisioner": {args: []string{"sc:nobody"}, code: 1, ready: "30s",
			words: []string{"was not running after 30s", "nobody.loadline.test"}},
		// No file on the node's disk can be that large.
		"a driver that fails": {args: []string{"sc:csi-sized?size=17Ti"}, code: 1, ready: "30s",
			words: []string{"is not bound (ProvisioningFailed: ", "rpc error: code = Internal desc = file too large"}},
		"never bound": {args: []string{"sc:by-hand"}, code: 1, ready: "30s",
			words: []string{"is not bound", "didn't find available persistent volumes to bind"}},
		"no shared volumes in local-path": {args: []string{"sc:local-path?size=64Mi", "--access-mode", "RWX"}, code: 1, ready: "2m",
			words: []string{"only supports ReadWriteOnce", "--access-mode RWO"}},
		"no shared volumes in csi": {args: []string{"sc:csi?size=64Mi&access=RWX"}, code: 1, ready: "2m",
			words: []string{"the access mode MULTI_NODE_MULTI_WRITER is not to be had", "--access-mode RWO"}},
		"no such node": {args: []string{"sc:csi?size=64Mi", "--node", "node9"}, code: 1, ready: "30s", words: []string{"the scheduler says", "NodeAffinity"}},
		"no image": {args: []string{"sc:csi?size=64Mi", "--image", "localhost:1/no/such:1"}, code: 1, ready: "2m",
			words: []string{"localhost:1/no/such:1", "check --image"}},
		// The node has this image, which does not contain our programs.
		"no program": {args: []string{"sc:csi?size=64Mi", "--image", "loadline.test/pause:1"}, code: 1, ready: "2m",
			words: []string{"could not start its program", `"loadline-agent"`, "check --image: it must hold loadline, loadline-agent and fio"}},
		"storage quota": {args: []string{"sc:csi"}, code: 2, ready: "2m", setup: quota("requests.storage=1Gi"),
			words: []string{"the quota of the namespace", "requests.storage=20Gi", "?size="}},
		"pod quota":     {args: []string{"sc:csi?size=64Mi"}, code: 2, ready: "2m", setup: quota("pods=0"), words: []string{"the quota of the namespace", "pods=1"}},
		"too small":     {args: []string{"sc:csi-sized?size=16Mi"}, code: 2, ready: "2m", words: []string{"the smallest sensible size"}},
		"no free space": {args: []string{"sc:csi-sized?size=64Mi", "--size", "60Mi"}, code: 2, ready: "2m", words: []string{"does not fit", "can spare"}},
		"read-only":     {args: []string{"pvc:readonly"}, code: 2, ready: "2m", setup: readOnly, words: []string{"mounted read-only"}},
		"no such claim": {args: []string{"pvc:nothing"}, code: 2, ready: "2m", words: []string{"there is no claim nothing in the namespace"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := namespace(t, "sad-"+strings.ReplaceAll(name, " ", "-"), "restricted")
			if c.setup != nil {
				c.setup(t, ns)
			}
			o := run(t, ns, append([]string{"run", "--ready-within", c.ready}, c.args...)...)
			if o.code != c.code {
				t.Errorf("exit code %d, want %d", o.code, c.code)
			}
			said(t, o, c.words...)
			nothingLeft(t, ns)
		})
	}
}

func said(t *testing.T, o outcome, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(o.stderr, w) {
			t.Errorf("%q is not in: %s", w, o.stderr)
		}
	}
}

// quota limits a namespace. The API server enforces no limit that the controller has not yet copied to the quota's status.
func quota(hard string) func(*testing.T, string) {
	return func(t *testing.T, ns string) {
		kubectl(t, "create", "quota", "small", "-n", ns, "--hard="+hard)
		kubectl(t, "wait", "-n", ns, "quota/small", "--for=jsonpath={.status.hard}", "--timeout=180s")
	}
}

// readOnly makes a claim whose volume is mounted read-only.
func readOnly(t *testing.T, ns string) {
	dir := filepath.Join(lab.Data(3), "csi", "readonly")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	// Kubelet gives the pod's group what it does not own yet, which would fail here.
	if err := os.Chown(dir, 0, 10001); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, os.ModeSetgid|0o775); err != nil {
		t.Fatal(err)
	}
	kubectlIn(t, strings.ReplaceAll(readOnlyClaim, "NAMESPACE", ns), "apply", "-f", "-")
	kubectl(t, "wait", "-n", ns, "pvc/readonly", "--for=jsonpath={.status.phase}=Bound", "--timeout=180s")
	t.Cleanup(func() { kubectl(t, "delete", "pv", "readonly", "--wait=false") })
}

const readOnlyClaim = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: readonly}
spec:
  capacity: {storage: 256Mi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: by-hand
  mountOptions: [ro]
  claimRef: {namespace: NAMESPACE, name: readonly}
  csi: {driver: csi.loadline.test, volumeHandle: readonly}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: topology.csi.loadline.test/node, operator: In, values: [node3]}]}]}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: readonly, namespace: NAMESPACE}
spec: {accessModes: [ReadWriteOnce], storageClassName: by-hand, volumeName: readonly, resources: {requests: {storage: 256Mi}}}
`

// TestMissingRights checks that the error names the verb and the resource, whichever is missing.
func TestMissingRights(t *testing.T) {
	role, err := os.ReadFile("../../../deploy/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const all = "[get, list, create, delete]"
	for name, c := range map[string]struct{ from, to, want string }{
		"none":   {"kind: Role\nmetadata:\n  name: loadline", "kind: Role\nmetadata:\n  name: other", "the right to create persistentvolumeclaims in the namespace"},
		"create": {all, "[get, list, delete]", "the right to create persistentvolumeclaims in the namespace"},
		"get":    {all, "[list, create, delete]", "the right to get pods in the namespace"},
		"exec":   {"resources: [pods/exec]", "resources: [pods/log]", "the right to create pods/exec in the namespace"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := namespace(t, "rights-"+name, "restricted")
			changed := strings.Replace(string(role), c.from, c.to, 1)
			if changed == string(role) {
				t.Fatal("the role is not what this test thinks")
			}
			// Only the role: the other half of the file is for all namespaces.
			changed, _, _ = strings.Cut(changed, "\n---\n")
			kubectlIn(t, changed, "apply", "-n", ns, "-f", "-")
			kubectl(t, "create", "serviceaccount", "dev", "-n", ns)
			kubectl(t, "create", "rolebinding", "dev", "-n", ns, "--role", "loadline", "--serviceaccount", ns+":dev")
			o := runAs(t, "system:serviceaccount:"+ns+":dev", ns, "run", "sc:csi?size=64Mi")
			if o.code != 2 {
				t.Errorf("exit code %d", o.code)
			}
			said(t, o, c.want+" "+ns, "deploy/role.yaml")
			waitNothingLeft(t, ns)
		})
	}
}
