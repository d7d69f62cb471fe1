package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSpread checks that claims bound to one node cannot be spread. That is reported before
// measuring and in the report; if the spread is required nevertheless, the error says what to do.
func TestSpread(t *testing.T) {
	t.Parallel()
	diskOf(t, "node1")
	ns := namespace(t, "spread", "restricted")
	var targets []string
	for _, name := range []string{"a", "b"} {
		kubectlIn(t, strings.NewReplacer("NAMESPACE", ns, "NAME", name).Replace(boundClaim), "apply", "-f", "-")
		kubectl(t, "wait", "-n", ns, "pod/"+name, "--for=jsonpath={.status.phase}=Succeeded", "--timeout=180s")
		targets = append(targets, fmt.Sprintf("pvc:%s/%s", ns, name))
	}
	args := append([]string{"scale"}, targets...)
	args = append(args, "--fs-group", "10001", "--volumes", "2", "--size", "16Mi", "--max-time", "8s", "--format", "json")

	o := run(t, ns, append(args, "--spread", "hard", "--ready-within", "30s")...)
	if o.code != 1 {
		t.Errorf("exit code %d", o.code)
	}
	said(t, o, "was not running after 30s: the pods of a run are spread evenly over the nodes (--spread hard), and no node that may have this one can take it: ", "--spread soft")
	waitNothingLeft(t, ns)

	for why, flags := range map[string][]string{"volumes were bound to nodes before their pods were placed": nil, "--spread soft lets them share nodes": {"--spread", "soft"}} {
		o = run(t, ns, append(slices.Clone(args), flags...)...)
		if p := totals(t, o)[2]; p.Nodes != 1 {
			t.Errorf("two claims of node1 on %d nodes", p.Nodes)
		}
		if plan := strings.Join(strings.Fields(o.stderr), " "); !strings.Contains(plan, "spread 2 volumes on 1 node of 3 that may run them: "+why) {
			t.Errorf("%q is not in: %s", why, plan)
		}
		var r report
		decode(t, o, &r)
		if s := r.Run.Environment.Cluster.Spread; s.Volumes != 2 || s.Nodes != 1 || s.Eligible != 3 || s.Why != why {
			t.Errorf("%+v", s)
		}
		nothingLeft(t, ns)
	}
}

// boundClaim is a claim and a pod that binds it to node1 and ends.
const boundClaim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: NAME, namespace: NAMESPACE}
spec: {accessModes: [ReadWriteOnce], storageClassName: csi-sized, resources: {requests: {storage: 64Mi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: NAMESPACE}
spec:
  restartPolicy: Never
  nodeSelector: {kubernetes.io/hostname: node1}
  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: c
    image: ` + image + `
    imagePullPolicy: IfNotPresent
    command: ["true"]
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
    volumeMounts: [{name: data, mountPath: /data}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: NAME}}]
`
