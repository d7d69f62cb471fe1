package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/test/lab"
)

// tracers are the methods that see individual I/Os.
var tracers = []iotrace.Method{iotrace.ByBPF, iotrace.ByPerf}

// byEach runs a test with each of the tracers.
func byEach(t *testing.T, test func(t *testing.T, method iotrace.Method)) {
	for _, method := range tracers {
		t.Run(string(method), func(t *testing.T) { test(t, method) })
	}
}

// traceWhile traces by BPF, or as the arguments say, while work runs, and returns the report.
func traceWhile(t testing.TB, work func(), args ...string) iotrace.Report {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan outcome, 1)
	go func() {
		ended <- command(ctx, t, append([]string{"trace", "--time", "0", "--json", "--results", dir}, args...)...)
	}()
	for len(glob(filepath.Join(dir, "*", "trace.json"))) == 0 {
		select {
		case o := <-ended:
			if strings.Contains(o.stderr, "CAP_BPF") || strings.Contains(o.stderr, "type information") || strings.Contains(o.stderr, "CAP_PERFMON") {
				lab.Unavailable(t, "the kernel cannot be traced here: %s", o.stderr)
			}
			t.Fatalf("the trace did not begin: exit code %d: %s", o.code, o.stderr)
		case <-time.After(10 * time.Millisecond):
		}
	}
	work()
	cancel()
	o := <-ended
	if o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	var report iotrace.Report
	if err := json.Unmarshal([]byte(o.stdout), &report); err != nil {
		t.Fatalf("standard output is not a report of a trace: %v\n%.500s", err, o.stdout)
	}
	if report.Run.Method != iotrace.ByBPF && !slices.Contains(args, string(report.Run.Method)) {
		lab.Unavailable(t, "the kernel cannot be traced here: %s", strings.Join(report.Run.Limitations, "; "))
	}
	return report
}

func glob(pattern string) []string {
	names, _ := filepath.Glob(pattern)
	return names
}

// ios counts the I/Os of an operation on a device, over all rows that wanted selects.
func ios(r iotrace.Report, device string, op iotrace.Operation, wanted func(iotrace.Row) bool) (n uint64) {
	for _, row := range r.Rows {
		if row.Device == device && row.Operation == op && (wanted == nil || wanted(row)) {
			n += row.IOs
		}
	}
	return n
}

func byFio(r iotrace.Row) bool { return r.Command == "fio" }

// traced returns the only device of a trace.
func traced(t testing.TB, r iotrace.Report) iotrace.Device {
	t.Helper()
	if len(r.Run.Devices) != 1 {
		t.Fatalf("%d devices were traced, want one", len(r.Run.Devices))
	}
	return r.Run.Devices[0]
}

// On a device that is not otherwise used, the queued and dispatched I/Os are those of fio and of
// the device's counters, to the last I/O and byte. The kernel does not show BPF all
// completions if more threads than processors have some (a few of 100,000 are lost): the trace
// reports exactly those missing as unseen.
func TestTraceCountsAreFiosAndTheDevices(t *testing.T) { byEach(t, testTraceCounts) }

// On a machine that does something else, more threads than processors have completions, and the kernel hides more of them: that
// they are few is measured up to three times, and that they are counted exactly holds every time.
func testTraceCounts(t *testing.T, method iotrace.Method) {
	dev := lab.LoopOnMemory(t, 64<<20)
	lab.UpToThree(t, func() (wrong []string) {
		if share := traceCounts(t, method, dev); share > 0.005 {
			wrong = append(wrong, fmt.Sprintf("%.4f %% of the completions are missing", 100*share))
		}
		return wrong
	})
}

// traceCounts holds what a trace counts against fio and the device, and returns the share of completions that the kernel hid.
func traceCounts(t *testing.T, method iotrace.Method, dev string) (missed float64) {
	t.Helper()
	name := filepath.Base(dev)
	const mixedIOs, syncs = 30000, 300
	var mixed lab.Measured
	r := traceWhile(t, func() {
		mixed = lab.Fio(t, lab.At(dev, 64<<20), lab.Job{Pattern: "randrw",
			Options: []string{"--ramp_time=0", "--time_based=0", "--runtime=0", "--io_size=1G", fmt.Sprintf("--number_ios=%d", mixedIOs)}})
		lab.Fio(t, lab.At(dev, 64<<20), lab.Job{Pattern: "write", BlockSize: 16384,
			Options: []string{"--ramp_time=0", "--time_based=0", "--runtime=0", fmt.Sprintf("--number_ios=%d", syncs), "--fdatasync=1"}})
	}, "--device", dev, "--method", string(method))
	if mixed.Total != mixedIOs {
		t.Fatalf("fio did %d I/Os, %d were asked for", mixed.Total, mixedIOs)
	}
	d := traced(t, r)
	if d.Unseen == nil || d.Counters == nil {
		t.Fatalf("nothing was held against the device: %+v", d)
	}
	if d.Unmatched+d.Overflowed+d.Dropped != 0 {
		t.Errorf("unmatched %d, overflowed %d, dropped %d", d.Unmatched, d.Overflowed, d.Dropped)
	}
	read, write, flush, wait := d.Operations[iotrace.Read], d.Operations[iotrace.Write], d.Operations[iotrace.Flush], d.Operations[iotrace.FlushWait]
	reads, writes := uint64(mixed.Reads), uint64(mixed.Total-mixed.Reads)
	for what, c := range map[string][2]uint64{
		"reads queued": {read.Queued, reads}, "reads dispatched": {read.Issued - read.Requeued, reads}, "bytes of reads": {read.IssuedBytes, reads * 4096},
		"writes queued": {write.Queued, writes + syncs}, "writes dispatched": {write.Issued - write.Requeued, writes + syncs}, "bytes of writes": {write.IssuedBytes, writes*4096 + syncs*16384},
		"reads that the device counted": {d.Counters.Reads, reads}, "its writes, with those that only wait for a flush": {d.Counters.Writes, write.Queued + wait.Queued},
		"flushes dispatched": {flush.Issued, d.Counters.Flushes}, "bytes that it read": {d.Counters.ReadBytes, reads * 4096},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %d, want %d", what, c[0], c[1])
		}
	}
	if wait.Queued < syncs-1 || wait.Queued > syncs+2 {
		t.Errorf("%d waits for a flush, fio did %d", wait.Queued, syncs)
	}
	missing := d.Counters.Total() - read.Done - write.Done - flush.Done - wait.Done
	missed = float64(missing) / float64(d.Counters.Total())
	if missed != *d.Unseen || missed < 0 {
		t.Errorf("%d completions are missing, and %.4f %% are said to be unseen", missing, 100**d.Unseen)
	}
	t.Logf("%d of %d completions are missing", missing, d.Counters.Total())
	// The rows contain everything that was counted, and all of it is fio's, including the flushes.
	for op, c := range d.Operations {
		if all, own := ios(r, name, op, nil), ios(r, name, op, byFio); all != c.Done || own != all {
			t.Errorf("%d of op %s completed, %d are in rows, %d in fio's", c.Done, op, all, own)
		}
	}
	for _, k := range r.Kinds {
		// The kernel's buckets are the same as everywhere else: the sum and the largest, which are
		// exact, agree with them.
		if got, want := k.Histogram.Mean(), k.Mean; math.Abs(got-want) > want/64 {
			t.Errorf("%s: the mean of the buckets is %v, and the mean %v", k.Operation, got, want)
		}
		if got, want := k.Histogram.Max(), k.Max; math.Abs(got-want) > want/64 {
			t.Errorf("%s: the last bucket is at %v, and the largest %v", k.Operation, got, want)
		}
		if k.Operation == iotrace.Read && (len(k.Sizes) != 1 || k.Sizes[0].Size != 4096 || k.Bytes != 4096*k.IOs || k.Histogram.Count() != k.IOs) {
			t.Errorf("reads: %+v", k)
		}
	}
	return missed
}

// The latencies of the trace on a slow device are the device's setting, and fio's minus fio's own
// time: a histogram bucket is 1/64 wide.
func TestTraceLatenciesAreThoseOfTheDevice(t *testing.T) {
	defer scheduleSubtests(t)()
	for name, c := range map[string]struct {
		device  func(t testing.TB) lab.Device
		pattern string
		depth   int
		least   time.Duration
	}{
		"delayed reads":  {func(t testing.TB) lab.Device { return lab.Delayed(t, 3*time.Millisecond, 8*time.Millisecond) }, "randread", 1, 3 * time.Millisecond},
		"delayed writes": {func(t testing.TB) lab.Device { return lab.Delayed(t, 3*time.Millisecond, 8*time.Millisecond) }, "randwrite", 1, 8 * time.Millisecond},
		// By Little's law, 8 in flight at 400 a second take 20 ms each.
		"throttled": {func(t testing.TB) lab.Device { return lab.Throttled(t, lab.Throttle{IOPS: 400}) }, "randread", 8, 19 * time.Millisecond},
	} {
		for _, method := range tracers {
			t.Run(string(method)+"/"+name, func(t *testing.T) {
				takeSlots(t, demand{class: waiting, seconds: 6})
				d := c.device(t)
				dev := lab.Block(t, d)
				lab.UpToThree(t, func() []string {
					var fio lab.Measured
					r := traceWhile(t, func() {
						fio = lab.Fio(t, lab.At(dev, d.Size), lab.Job{Pattern: c.pattern, Depth: c.depth, Time: 4 * time.Second, Options: []string{"--ramp_time=0"}})
					}, "--device", dev, "--method", string(method))
					return latenciesApart(t, r, fio, iotrace.Operation(strings.TrimPrefix(c.pattern, "rand")), c.depth, c.least)
				})
			})
		}
	}
}

// latenciesApart says what of a trace is not what fio saw of the same I/Os of a device that takes at least so long for each.
func latenciesApart(t *testing.T, r iotrace.Report, fio lab.Measured, op iotrace.Operation, depth int, least time.Duration) (wrong []string) {
	t.Helper()
	if fio.ExitCode != 0 || fio.Errors > 0 {
		t.Fatalf("fio: exit code %d, %d errors: %s", fio.ExitCode, fio.Errors, fio.Messages)
	}
	i := slices.IndexFunc(r.Kinds, func(k iotrace.Kind) bool { return k.Operation == op })
	if i < 0 || r.Kinds[i].P50 == nil {
		t.Fatalf("no %s was seen: %+v", op, r.Kinds)
	}
	got := *r.Kinds[i].P50
	// fio's own part of a latency is some 10 µs, and more on a busy machine.
	const own = 150e-6
	if most := fio.P50.Seconds() * (1 + 1.0/64); got > most || got < fio.P50.Seconds()*(1-1.0/64)-own || got < least.Seconds() {
		wrong = append(wrong, fmt.Sprintf("p50 %v, fio says %v, and the device takes at least %v", time.Duration(got*1e9), fio.P50, least))
	}
	// Completions that the kernel hides are missing here too, and the trace says how many.
	n, done, unseen := float64(r.Kinds[i].IOs), float64(fio.Total), 0.0
	if d := traced(t, r); d.Unseen != nil && *d.Unseen > 0 {
		unseen = math.Ceil(*d.Unseen * float64(d.Counters.Total()))
	}
	if n > done+float64(depth) || n < done-float64(depth)-unseen {
		wrong = append(wrong, fmt.Sprintf("%.0f were traced and %.0f unseen, fio did %.0f", n, unseen, done))
	}
	return wrong
}

// The I/O of one cgroup is separated from that of a noisy neighbour on the same device.
func TestTraceKeepsANoisyNeighbourApart(t *testing.T) { byEach(t, testNoisyNeighbour) }

func testNoisyNeighbour(t *testing.T, method iotrace.Method) {
	lab.Need(t, "fio")
	dev := lab.LoopOnMemory(t, 128<<20)
	quiet, path := lab.Cgroup(t, "quiet")
	noisy, other := lab.Cgroup(t, "noisy")
	const wanted = 5000
	start := func(group string, args ...string) *exec.Cmd {
		all := append([]string{"-c", `echo $$ > "$0/cgroup.procs" && exec fio "$@"`, group, "--name=x", "--thread=1", "--filename=" + dev, "--direct=1", "--ioengine=libaio",
			"--bs=4096", "--size=128M", "--allow_file_create=0", "--output-format=json"}, args...)
		cmd := exec.Command("sh", all...)
		cmd.Stderr = os.Stderr
		return cmd
	}
	var neighbours int64
	r := traceWhile(t, func() {
		neighbour := start(noisy, "--rw=randrw", "--iodepth=8", "--time_based=1", "--runtime=60")
		out, err := os.Create(filepath.Join(t.TempDir(), "noisy"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		neighbour.Stdout = out
		if err := neighbour.Start(); err != nil {
			t.Fatal(err)
		}
		cmd := start(quiet, "--rw=randread", "--iodepth=1", fmt.Sprintf("--number_ios=%d", wanted), "--fdatasync=0")
		if text, err := cmd.Output(); err != nil {
			t.Errorf("fio: %v %s", err, text)
		}
		_ = neighbour.Process.Signal(os.Interrupt)
		_ = neighbour.Wait()
		var doc struct {
			Jobs []struct {
				Read, Write struct {
					Total int64 `json:"total_ios"`
				}
			}
		}
		text, _ := os.ReadFile(out.Name())
		if err := json.Unmarshal(text[max(0, strings.Index(string(text), "{")):], &doc); err != nil || len(doc.Jobs) == 0 {
			t.Fatalf("the neighbour printed no result: %v", err)
		}
		neighbours = doc.Jobs[0].Read.Total + doc.Jobs[0].Write.Total
	}, "--device", dev, "--method", string(method))
	name := filepath.Base(dev)
	in := func(path string) func(iotrace.Row) bool {
		return func(r iotrace.Row) bool { return r.Cgroup == path && r.Command == "fio" }
	}
	got, missing := ios(r, name, iotrace.Read, in(path)), float64(0)
	if d := traced(t, r); d.Unseen != nil {
		missing = math.Abs(*d.Unseen)
	}
	// With more threads than processors, completions may be missed, and the trace says how many.
	if float64(got) > wanted || float64(got) < wanted*(1-missing)-100 {
		t.Errorf("%d reads are of %s, want %d (%.3f %% of all were not seen)", got, path, wanted, 100*missing)
	}
	both := ios(r, name, iotrace.Read, in(other)) + ios(r, name, iotrace.Write, in(other))
	if float64(both) > float64(neighbours)+8 || float64(both) < float64(neighbours)*(1-0.03)-8 {
		t.Errorf("%d are of the neighbour in %s, and fio did %d", both, other, neighbours)
	}
	t.Logf("%d of %d, neighbour %d of %d, unseen %.4f %%, unmatched %d", got, wanted, both, neighbours, 100*missing, traced(t, r).Unmatched)
}

// ourselves returns the command of a process of this program, as the user
// nobody with only those capabilities.
func ourselves(t testing.TB, capabilities string, args ...string) *exec.Cmd {
	t.Helper()
	lab.Need(t, "setpriv")
	if os.Geteuid() != 0 {
		lab.Unavailable(t, "taking away rights needs root")
	}
	dir, err := os.MkdirTemp("", "loadline-trace")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "loadline"), program, 0o755)
	}
	results := filepath.Join(dir, "results")
	if err == nil {
		err = os.Mkdir(results, 0o755)
	}
	for _, name := range []string{dir, filepath.Join(dir, "loadline"), results} {
		if err == nil {
			err = os.Chmod(name, 0o777)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	set := []string{"--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps", "-all" + capabilities, "--ambient-caps", "-all" + capabilities,
		"--bounding-set", "-all" + capabilities, "--no-new-privs", filepath.Join(dir, "loadline")}
	return exec.Command("setpriv", append(append(set, args...), "--results", results)...)
}

// Two capabilities are enough, and without them the fallback says what it cannot see.
func TestTraceNeedsTwoCapabilities(t *testing.T) {
	for capabilities, want := range map[string]iotrace.Method{",+bpf,+perfmon": iotrace.ByBPF, "": iotrace.ByCounters, ",+bpf": iotrace.ByCounters} {
		t.Run("caps"+capabilities, func(t *testing.T) {
			cmd := ourselves(t, capabilities, "trace", "--time", "1s", "--json")
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			var r iotrace.Report
			// Code 5: the kernel hid more than a few completions of the machine's own disks.
			if err != nil && cmd.ProcessState.ExitCode() != 5 || json.Unmarshal(out, &r) != nil {
				t.Fatalf("%v: %s", err, stderr.String())
			}
			if r.Run.Method != want {
				t.Errorf("traced by %s, want %s: %s", r.Run.Method, want, stderr.String())
			}
			if said := strings.Contains(stderr.String(), "CAP_PERFMON"); said != (want == iotrace.ByCounters) {
				t.Errorf("it says %q", stderr.String())
			}
		})
	}
	cmd := ourselves(t, "", "trace", "--time", "1s", "--pid", "1")
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "CAP_BPF") {
		t.Errorf("a process cannot be told from others without BPF: exit code %d, %s", cmd.ProcessState.ExitCode(), out)
	}
}
