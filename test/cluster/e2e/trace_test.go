package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loadline/loadline/test/cluster"
)

// traced is what the tests read of a trace.
type traced struct {
	Run struct {
		Status, Reason, Method string
		Limitations            []string `json:"limitations"`
		Devices                []struct {
			Name     string
			Counters *struct{ Reads, Writes uint64 }
			Unseen   *float64
		}
	}
	Rows     []row
	Findings []struct{ Rule, Severity, Message string }
}

type row struct {
	Device, Operation, Command, Cgroup string
	IOs                                uint64
}

// ios counts the I/Os of an operation by a cgroup and a command.
func (r traced) ios(operation, cgroup, command string) (n uint64) {
	for _, row := range r.Rows {
		if row.Operation == operation && strings.Contains(row.Cgroup, cgroup) && strings.HasPrefix(row.Command, command) {
			n += row.IOs
		}
	}
	return n
}

// traceIn reads the trace that was saved below a folder.
func traceIn(t *testing.T, pattern string) (r traced) {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		t.Fatalf("%v: %q are %q", err, pattern, found)
	}
	out, err := exec.Command(loadline, "report", found[0], "--format", "json").Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		t.Logf("%s %s: %s", f.Severity, f.Rule, f.Message)
	}
	return r
}

// rights returns the capabilities and the user of the pods of a run, by pod name.
func rights(t *testing.T, ns string) map[string]string {
	t.Helper()
	out := kubectl(t, "get", "pods", "-n", ns, "-l", "loadline/run", "-o",
		`jsonpath={range .items[*]}{.metadata.name} {.spec.containers[0].securityContext.capabilities} {.spec.containers[0].securityContext.privileged}{.spec.hostPID}{.spec.hostNetwork}{.spec.hostIPC}{.spec.volumes[*].hostPath}{"\n"}{end}`)
	list := map[string]string{}
	for line := range strings.Lines(out) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		list[name] = strings.TrimSpace(rest)
	}
	return list
}

// testTrace traces while pods measure: the only tracer has two capabilities, the measuring
// pods none, and its counts are those of the device and of fio.
func testTrace(t *testing.T) {
	ns, results := namespace(t, "trace", "privileged"), t.TempDir()
	cmd, progress := begun(t, ns, "repeat 1 ", "run", "sc:csi?size=128Mi&mode=Block", "--node", "node1", "--only", "rand-read-iops", "--max-time", "20s", "--trace", "--results", results, "--format", "json")
	has := rights(t, ns)
	var document bytes.Buffer
	if code := ended(t, cmd); code != 0 && code != 5 {
		t.Fatalf("exit code %d: %s", code, progress)
	}
	nothingLeft(t, ns)
	tracers := 0
	for name, rights := range has {
		switch {
		case strings.HasSuffix(name, "-t1"):
			tracers++
			if rights != `{"add":["BPF","PERFMON"],"drop":["ALL"]}` {
				t.Errorf("the tracer %s has %s", name, rights)
			}
		case rights != `{"drop":["ALL"]}`:
			t.Errorf("%s, which measures, has %s", name, rights)
		}
	}
	if tracers != 1 || len(has) != 2 {
		t.Errorf("there are %v", has)
	}
	if !strings.Contains(progress.String(), "the capabilities BPF and PERFMON") {
		t.Errorf("not a word about them: %s", progress)
	}
	runs, err := filepath.Glob(filepath.Join(results, "*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v: %q", err, runs)
	}
	show := exec.Command(loadline, "report", runs[0], "--format", "json")
	show.Stdout = &document
	if err := show.Run(); err != nil {
		t.Fatal(err)
	}
	var r report
	decode(t, outcome{stdout: document.String()}, &r)
	seen := traceIn(t, filepath.Join(results, "*", "trace"))
	if seen.Run.Status != "complete" || seen.Run.Method != "bpf" || len(seen.Run.Devices) != 1 || seen.Run.Devices[0].Unseen == nil || seen.Run.Devices[0].Name != r.Run.Environment.Storage.Device {
		t.Fatalf("%+v", seen.Run)
	}
	// The repeats of fio are most of what the device did, and everything measured is seen.
	did := 0.0
	for _, res := range r.Results {
		if res.Metric == "iops" {
			did += res.Estimate * res.Seconds
		}
	}
	fio, device := seen.ios("read", "pod "+ns+"/", "fio"), seen.Run.Devices[0].Counters.Reads
	t.Logf("fio measured %.0f reads, and the trace saw %d of fio; the device counted %d reads, and %.3g %% of all its I/Os were not seen", did, fio, device, 100**seen.Run.Devices[0].Unseen)
	// Linux hides some completions from tracing programs if processors are busy (docs/trace.md); at 1 % the trace warns of it,
	// and from 5 % on it is invalid.
	u := *seen.Run.Devices[0].Unseen
	if hidden := max(0, u) * float64(device); did < 1000 || float64(fio) < 0.99*did-hidden || fio > device+device/100 {
		t.Errorf("fio measured %.0f reads, the trace saw %d and the device %d", did, fio, device)
	}
	if u > 0.05 || u < -0.01 {
		t.Errorf("%.2f %% were not seen", 100*u)
	}
	if !slices.ContainsFunc(seen.Findings, func(f struct{ Rule, Severity, Message string }) bool {
		return f.Rule == "unseen" && (f.Severity == "passed" || f.Severity == "warning" && u > 0.01)
	}) {
		t.Errorf("the trace is not held against the device: %+v", seen.Findings)
	}
}

// testTraceOfSeveralNodes checks that all nodes share one record, in which each pod has its own I/O.
func testTraceOfSeveralNodes(t *testing.T) {
	ns, results := namespace(t, "trace-nodes", "privileged"), t.TempDir()
	o := run(t, ns, "scale", "sc:csi?size=64Mi", "--volumes", "6", "--max-time", "20s", "--trace", "--results", results, "--quiet", "--format", "json")
	var r struct {
		Scales []struct {
			Points []struct {
				Volumes int
				Total   struct{ Estimate float64 }
			}
		}
	}
	decode(t, o, &r)
	if o.code != 0 && o.code != 5 || len(r.Scales) != 1 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	nothingLeft(t, ns)
	seen := traceIn(t, filepath.Join(results, "*", "trace"))
	if len(seen.Run.Devices) != 3 || seen.Run.Status != "complete" || seen.Run.Method != "bpf" {
		t.Fatalf("%+v", seen.Run)
	}
	// All nodes of the lab run on one kernel: each traces its own disk, and no other.
	by := map[string]uint64{}
	for _, row := range seen.Rows {
		if row.Operation == "read" && strings.HasPrefix(row.Command, "fio") {
			by[row.Device+" "+row.Cgroup] += row.IOs
		}
	}
	t.Logf("%v", by)
	if len(by) != 6 {
		t.Errorf("six pods on a device each are %d: %v", len(by), by)
	}
	for who, n := range by {
		if device, pod, _ := strings.Cut(who, " pod "+ns+"/"); !strings.HasPrefix(device, "node") || pod == "" || n < 2000 {
			t.Errorf("%s did %d", who, n)
		}
	}
}

// pods is how many do I/O concurrently in the next test.
const pods = 6

// testTraceOfOnePod checks that, of six pods that do I/O on one disk, a trace of one pod counts only its I/O.
func testTraceOfOnePod(t *testing.T) {
	ns := namespace(t, "trace-pod", "privileged")
	var all strings.Builder
	for i := range pods {
		all.WriteString(strings.NewReplacer("NAMESPACE", ns, "NUMBER", fmt.Sprint(i)).Replace(reader))
	}
	kubectlIn(t, all.String(), "apply", "-f", "-")
	kubectl(t, "wait", "-n", ns, "pods", "--all", "--for=condition=Ready", "--timeout=180s")
	fio := func(pod int, args ...string) (string, error) {
		cmd := exec.Command(lab.Program("kubectl"), append([]string{"--kubeconfig", lab.Kubeconfig(), "exec", "-n", ns, fmt.Sprintf("reader%d", pod), "--", "fio",
			"--name=x", "--filename=/data/x", "--size=16M", "--ioengine=psync", "--direct=1", "--output-format=json"}, args...)...)
		out, err := cmd.Output()
		return string(out), err
	}
	each := func(do func(pod int)) {
		var busy sync.WaitGroup
		for i := range pods {
			busy.Add(1)
			go func() {
				defer busy.Done()
				do(i)
			}()
		}
		busy.Wait()
	}
	each(func(pod int) {
		if out, err := fio(pod, "--rw=write", "--bs=1M", "--end_fsync=1"); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	const chosen = 2
	uid := kubectl(t, "get", "pod", "-n", ns, fmt.Sprintf("reader%d", chosen), "-o", "jsonpath={.metadata.uid}")
	results := t.TempDir()
	trace := exec.Command(loadline, "trace", "--pod", uid, "--time", "0", "--results", results, "--quiet")
	said := &logged{}
	trace.Stdout, trace.Stderr = said, said
	if err := trace.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = trace.Process.Kill() })
	for deadline := time.Now().Add(commandTimeout); ; time.Sleep(50 * time.Millisecond) {
		if found, _ := filepath.Glob(filepath.Join(results, "*", "trace.json")); len(found) == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the trace has not begun: %s", said)
		}
	}
	// Each does a different number of reads, 1,050 to 1,550.
	did := make([]uint64, pods)
	each(func(pod int) {
		out, err := fio(pod, "--rw=randread", "--bs=4k", "--norandommap", fmt.Sprintf("--io_size=%dk", 4*(1050+100*pod)))
		var doc struct {
			Jobs []struct {
				Read struct {
					Total uint64 `json:"total_ios"`
				}
			}
		}
		if err != nil || json.Unmarshal([]byte(out), &doc) != nil || len(doc.Jobs) != 1 {
			t.Errorf("%v: %s", err, out)
			return
		}
		did[pod] = doc.Jobs[0].Read.Total
	})
	if err := trace.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := ended(t, trace); code != 0 && code != 5 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	seen := traceIn(t, filepath.Join(results, "*"))
	// What Linux hides from tracing programs if processors are busy (docs/trace.md) is missing here too; the trace says
	// what share of the device's I/Os that is.
	hidden := 0.0
	for _, d := range seen.Run.Devices {
		if d.Unseen != nil && slices.ContainsFunc(seen.Rows, func(r row) bool { return r.Device == d.Name }) {
			hidden = max(hidden, *d.Unseen)
		}
	}
	var others uint64
	of := map[string]uint64{}
	for _, row := range seen.Rows {
		switch {
		case row.Operation != "read" || !strings.HasPrefix(row.Command, "fio"):
		case strings.Contains(row.Cgroup, uid) || strings.Contains(row.Cgroup, strings.ReplaceAll(uid, "-", "_")):
			of[row.Device] += row.IOs
		default:
			others += row.IOs
		}
	}
	// The volume is where fio reads most. Its program is on this machine's disk, from which it is read again if memory was short.
	mine := uint64(0)
	for _, n := range of {
		mine = max(mine, n)
	}
	t.Logf("fio did %v reads in the six pods; the trace of pod %d saw %d, and %d of others; %.2f %% are hidden; all: %+v", did, chosen, mine, others, 100*hidden, seen.Rows)
	// What fio reads in addition on the volume's disk, of the filesystem's metadata, is its pod's, too.
	const extra = 4
	if mine > did[chosen]+extra || float64(mine) < (0.99-1.5*hidden)*float64(did[chosen]) || others != 0 || did[chosen] != 1050+100*chosen {
		t.Errorf("fio did %d reads in pod %d, and the trace of it saw %d, and %d of others", did[chosen], chosen, mine, others)
	}
}

// reader is a pod with a volume on the disk of node2.
const reader = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: dataNUMBER, namespace: NAMESPACE}
spec: {accessModes: [ReadWriteOnce], storageClassName: csi, resources: {requests: {storage: 64Mi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: readerNUMBER, namespace: NAMESPACE}
spec:
  terminationGracePeriodSeconds: 1
  nodeSelector: {kubernetes.io/hostname: node2}
  securityContext: {runAsNonRoot: true, fsGroup: 10001, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: c
    image: ` + image + `
    imagePullPolicy: IfNotPresent
    command: [sleep, "1000"]
    workingDir: /data
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
    volumeMounts: [{name: data, mountPath: /data}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: dataNUMBER}}]
---
`

// TestTraceRefused checks that, if Pod Security does not allow the tracer, that is reported before anything
// is created.
func TestTraceRefused(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "trace-refused", "baseline")
	for _, verb := range []string{"run", "plan"} {
		o := run(t, ns, verb, "sc:csi?size=64Mi", "--trace", "--only", "rand-read-iops")
		if o.code != 2 {
			t.Errorf("%s: exit code %d", verb, o.code)
		}
		said(t, o, "--trace needs a pod with the capabilities BPF and PERFMON", "Pod Security", "leave --trace out")
		nothingLeft(t, ns)
	}
	o := run(t, ns, "plan", "sc:csi?size=64Mi", "--amplification", "--only", "rand-read-iops")
	if o.code != 2 {
		t.Errorf("exit code %d", o.code)
	}
	said(t, o, "--amplification needs a pod with a directory of the node mounted read-only (hostPath)", "Pod Security", "leave --amplification out")
	if made := kubectl(t, "get", "events", "-n", ns, "-o", "name"); made != "" {
		t.Errorf("something was made: %s", made)
	}
	kubectl(t, "label", "--overwrite", "namespace", ns, "pod-security.kubernetes.io/enforce=privileged")
	o = run(t, ns, "plan", "sc:csi?size=64Mi", "--trace", "--only", "rand-read-iops")
	if o.code != 0 || !strings.Contains(o.stdout, "- PERFMON") || !strings.Contains(o.stdout, "- BPF") || strings.Contains(o.stdout, "hostPath") {
		t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
	nothingLeft(t, ns)
}

// TestTraceLost checks that a lost tracer ends the trace but not the run, that a killed driver
// leaves its tracer to cleanup, and that an interrupted one leaves nothing.
func TestTraceLost(t *testing.T) {
	t.Parallel()
	diskOf(t, "node2")
	ns := namespace(t, "trace-lost", "privileged")
	args := func(results string) []string {
		return append(slices.Clone(longRun), "--trace", "--results", results)
	}
	tracer := func() string {
		t.Helper()
		for name := range rights(t, ns) {
			if strings.HasSuffix(name, "-t1") {
				return name
			}
		}
		t.Fatal("there is no tracer")
		return ""
	}
	lost := t.TempDir()
	cmd, progress := begun(t, ns, "repeat 1 ", args(lost)...)
	kubectl(t, "delete", "pod", "-n", ns, tracer(), "--force", "--grace-period=0")
	if code := ended(t, cmd); code != 0 && code != 5 {
		t.Errorf("exit code %d: %s", code, progress)
	}
	said(t, outcome{stderr: progress.String()}, "the trace of node2 ends here")
	if seen := traceIn(t, filepath.Join(lost, "*", "trace")); seen.Run.Status != "interrupted" || !strings.Contains(seen.Run.Reason, "the tracer on node2 was lost after") || seen.ios("read", ns, "fio") == 0 {
		t.Errorf("%+v, %d rows", seen.Run, len(seen.Rows))
	}
	nothingLeft(t, ns)

	cmd, _ = begun(t, ns, "repeat 1 ", args(t.TempDir())...)
	name := tracer()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if o := run(t, ns, "cleanup"); o.code != 0 || !strings.Contains(o.stdout, "removed pod "+ns+"/"+name) {
		t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
	nothingLeft(t, ns)

	interrupted := t.TempDir()
	cmd, progress = begun(t, ns, "repeat 1 ", args(interrupted)...)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := ended(t, cmd); code != 130 {
		t.Errorf("exit code %d: %s", code, progress)
	}
	nothingLeft(t, ns)
	if seen := traceIn(t, filepath.Join(interrupted, "*", "trace")); seen.ios("read", ns, "fio") == 0 || seen.Run.Devices[0].Unseen == nil {
		t.Errorf("%+v, %d rows", seen.Run, len(seen.Rows))
	}
}

// testTraceOfAnApplication traces a PostgreSQL in a pod process by process, with the flushes
// that it waits for.
func testTraceOfAnApplication(t *testing.T) {
	if why := cluster.MissingPostgres(); why != "" {
		t.Skip("skipped:", why)
	}
	ns, results := namespace(t, "trace-app", "privileged"), t.TempDir()
	o := run(t, ns, append(slices.Clone(pgbench), "sc:csi-sized?size=2Gi", "--load", "simple", "--clients", "1", "--time", "8s", "--trace", "--results", results, "--quiet", "--format", "json")...)
	var r appReport
	decode(t, o, &r)
	if o.code != 0 && o.code != 5 || len(r.Results) == 0 || r.Results[0].App.Flushes == nil {
		t.Fatalf("exit code %d, %+v: %s", o.code, r.Results, o.stderr)
	}
	nothingLeft(t, ns)
	seen := traceIn(t, filepath.Join(results, "*", "trace"))
	counted := *r.Results[0].App.Flushes * float64(r.Results[0].App.Transactions)
	waited := seen.ios("flush-wait", "pod "+ns+"/", "postgres")
	t.Logf("the server counted %.0f flushes, and its processes waited for %d in the trace, with what came before the measuring", counted, waited)
	if counted < 50 || float64(waited) < 0.95*counted {
		t.Errorf("the server counted %.0f flushes, and its processes waited for %d", counted, waited)
	}
}

// TestTraceOfNoDevice checks that a volume of a network filesystem is refused before it is measured, and
// nothing is left.
func TestTraceOfNoDevice(t *testing.T) {
	if why := cluster.MissingShared(); why != "" {
		t.Skip("skipped: no volume can be shared here: " + why)
	}
	t.Parallel()
	class, ns, results := sharedClass(t, 1), namespace(t, "trace-shared", "privileged"), t.TempDir()
	o := run(t, ns, "run", "sc:"+class, "--access-mode", "RWX", "--size", "64Mi", "--node", "node2", "--only", "rand-read-iops", "--trace", "--results", results)
	if o.code != 2 {
		t.Errorf("exit code %d", o.code)
	}
	said(t, o, "stands on none of them (a network filesystem, or memory)", "leave --trace out")
	nothingLeft(t, ns)
	if saved, err := os.ReadDir(results); err != nil || len(saved) > 0 {
		t.Errorf("%v: saved %v", err, saved)
	}
}
