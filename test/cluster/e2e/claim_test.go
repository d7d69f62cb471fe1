package e2e

import (
	"strings"
	"testing"
)

// TestForeignClaim checks that nothing in an existing claim is changed, whether it is measured or the
// run is refused, and whatever drives the run.
func TestForeignClaim(t *testing.T) {
	t.Parallel()
	diskOf(t, "node2")
	ns := namespace(t, "foreign", "baseline")
	kubectlIn(t, strings.ReplaceAll(database, "NAMESPACE", ns), "apply", "-f", "-")
	kubectl(t, "wait", "-n", ns, "pod/db", "--for=condition=Ready", "--timeout=180s")
	before := fingerprint(t, ns)
	if !strings.Contains(before, "/data/pgdata 700 999:999") || !strings.Contains(before, "/data/pgdata/server.key 600 999:999") {
		t.Fatalf("the tree is not what this test thinks: %s", before)
	}
	measure := []string{"run", "pvc:" + ns + "/data", "--size", "32Mi", "--only", "rand-read-iops", "--max-time", "8s", "--format", "json"}
	same := func(what string) {
		t.Helper()
		if after := fingerprint(t, ns); after != before {
			t.Errorf("after %s the claim is\n%s, and was\n%s", what, after, before)
		}
		nothingLeft(t, ns)
	}

	// Its pod runs as root, which Loadline never does unasked.
	o := run(t, ns, measure...)
	if o.code != 2 {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	said(t, o, "permission denied (the worker is user 10001, group 10001; nothing of a claim that exists is changed for it)", "--run-as-user UID[:GID]", "--fs-group GID", "permanently")
	same("a refused run")

	for name, flags := range map[string][]string{"--run-as-user": {"--run-as-user", "999"}, "a Job": {"--run-as-user", "999:999", "--in-cluster"}} {
		r := measured(t, run(t, ns, append(measure, flags...)...))
		if c := r.Run.Environment.Cluster; c.Made || c.Claim != "data" || c.Root || len(r.Results) == 0 {
			t.Errorf("%s: %+v", name, r)
		}
		same(name)
	}

	// If a pod declares its user, the claim is used with that user.
	kubectl(t, "delete", "pod", "db", "-n", ns, "--wait")
	kubectlIn(t, strings.NewReplacer("NAMESPACE", ns, "runAsUser: 0", "runAsUser: 999").Replace(database), "apply", "-f", "-")
	kubectl(t, "wait", "-n", ns, "pod/db", "--for=condition=Ready", "--timeout=180s")
	o = run(t, ns, measure...)
	measured(t, o)
	said(t, o, "the worker runs as user 999, group 10001, like the pod db")
	same("a run as the pod's user")
}

// fingerprint returns name, mode, owner, size, time and inode of every file of the claim, and
// checksums of their content. The time of the top directory is that of our own file in it.
func fingerprint(t *testing.T, ns string) string {
	t.Helper()
	return kubectl(t, "exec", "-n", ns, "db", "--", "sh", "-c",
		"busybox find /data -exec busybox stat -c '%n %a %u:%g %h' {} + | busybox sort; busybox find /data -mindepth 1 -exec busybox stat -c '%n %s %Y %Z %i' {} + | busybox sort; "+
			"busybox find /data/pgdata -type f -exec busybox sha256sum {} + | busybox sort")
}

// database is a claim with a tree as PostgreSQL makes it, and a pod without fsGroup that
// uses it. The tree is made by the first pod only.
const database = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: NAMESPACE}
spec: {accessModes: [ReadWriteOnce], storageClassName: csi-sized, resources: {requests: {storage: 256Mi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: db, namespace: NAMESPACE}
spec:
  terminationGracePeriodSeconds: 1
  nodeSelector: {kubernetes.io/hostname: node2}
  containers:
  - name: c
    image: ` + image + `
    imagePullPolicy: IfNotPresent
    securityContext: {runAsUser: 0}
    command: [sh, -c, "test -e /data/pgdata || { umask 077; mkdir -p /data/pgdata/base && echo x > /data/pgdata/base/1 && echo key > /data/pgdata/server.key && ln -s base/1 /data/pgdata/link && busybox chown -R 999:999 /data && busybox chown -h 999:999 /data/pgdata/link && chmod 700 /data; }; touch /tmp/ready; exec sleep 100000"]
    readinessProbe: {exec: {command: [test, -e, /tmp/ready]}, periodSeconds: 1}
    volumeMounts: [{name: data, mountPath: /data}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
`

// TestRawClaimInUse checks that a raw device used by a pod is never overwritten, whatever flags permit it.
func TestRawClaimInUse(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "raw", "baseline")
	kubectlIn(t, strings.ReplaceAll(machine, "NAMESPACE", ns), "apply", "-f", "-")
	kubectl(t, "wait", "-n", ns, "pod/vm", "--for=condition=Ready", "--timeout=180s")
	sum := func() string {
		return kubectl(t, "exec", "-n", ns, "vm", "--", "sh", "-c", "busybox dd if=/dev/disk bs=1M count=16 2>/dev/null | busybox sha256sum")
	}
	before := sum()
	for _, verb := range []string{"plan", "run"} {
		o := run(t, ns, verb, "pvc:"+ns+"/disk", "--only", "rand-write-iops", "--destroy-data-on", "pvc:"+ns+"/disk")
		if o.code != 2 {
			t.Errorf("%s: exit code %d: %s", verb, o.code, o.stderr)
		}
		said(t, o, "is a raw device that the pod vm uses", "leave out --destroy-data-on")
	}
	if after := sum(); after != before {
		t.Errorf("%s is now %s", before, after)
	}
	nothingLeft(t, ns)
}

const machine = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk, namespace: NAMESPACE}
spec: {accessModes: [ReadWriteOnce], volumeMode: Block, storageClassName: csi, resources: {requests: {storage: 64Mi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: vm, namespace: NAMESPACE}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - name: c
    image: ` + image + `
    imagePullPolicy: IfNotPresent
    securityContext: {runAsUser: 0}
    command: [sleep, "100000"]
    volumeDevices: [{name: disk, devicePath: /dev/disk}]
  volumes: [{name: disk, persistentVolumeClaim: {claimName: disk}}]
`

// TestTwoRunsAtOnce checks that concurrent runs of one target have a claim and a pod each.
func TestTwoRunsAtOnce(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "twins", "restricted")
	results := t.TempDir()
	args := []string{"run", "sc:csi?size=64Mi", "--size", "16Mi", "--only", "rand-read-iops", "--max-time", "6s", "--node", "node1", "--format", "json", "--results", results}
	ends := make(chan outcome, 2)
	for range cap(ends) {
		go func() { ends <- run(t, ns, args...) }()
	}
	claims := map[string]bool{}
	for range cap(ends) {
		claims[measured(t, <-ends).Run.Environment.Cluster.Claim] = true
	}
	if len(claims) != 2 {
		t.Errorf("they shared %v", claims)
	}
	nothingLeft(t, ns)
}
