package truth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// durable runs "loadline durability TARGET … --format json" and parses the document.
func durable(ctx context.Context, t testing.TB, target string, args ...string) (outcome, model.Durability) {
	t.Helper()
	args = append([]string{"durability", target, "--format", "json"}, args...)
	if !slices.Contains(args, "--resume") && !slices.Contains(args, "--results") && !slices.Contains(args, "--run") {
		args = append(args, "--results", t.TempDir())
	}
	o := command(ctx, t, args...)
	var d model.Durability
	if o.stdout != "" {
		if err := json.Unmarshal([]byte(o.stdout), &d); err != nil {
			t.Fatalf("standard output is not a report: %v\n%s", err, o.stdout)
		}
	}
	return o, d
}

// loses maps the twelve combinations of cache mode and sync method to whether every write is
// lost in the power loss.
var loses = map[lab.CacheMode]map[string]bool{
	lab.NoCache:      {"none": false, "flush": false, "fua": false},
	lab.WriteThrough: {"none": false, "flush": false, "fua": false},
	lab.WriteBack:    {"none": true, "flush": false, "fua": false},
	lab.Unsafe:       {"none": true, "flush": true, "fua": true},
}

// Each cache treats each way of writing as it is known to; only the one that
// ignores flushes is reported as lying.
func TestTwelveCells(t *testing.T) {
	defer scheduleSubtests(t)()
	for mode, cells := range loses {
		for sync, lost := range cells {
			t.Run(string(mode)+"/"+sync, func(t *testing.T) {
				takeSlots(t, demand{class: bestEffort, seconds: 2})
				device := lab.PowerLoss(t, mode)
				back := make(chan struct{})
				go func() {
					defer close(back)
					device.Back(t)
				}()
				o, d := durable(t.Context(), t, device.Target(), "--destroy-data-on", device.Target(), "--sync", sync, "--cut-pid", fmt.Sprint(device.PID))
				<-back
				if len(d.Cuts) != 1 {
					t.Fatalf("exit code %d, %d cuts: %s", o.code, len(d.Cuts), o.stderr)
				}
				c := d.Cuts[0]
				want, code, statement := model.DurabilityClean, 0, "1 of 1 clean cuts: "
				switch {
				case lost && sync != "none":
					want, code, statement = model.DurabilityLostWrites, 5, fmt.Sprintf("LOST WRITES: %d flushed writes lost", c.Acknowledged)
				case sync == "none":
					want, statement = model.DurabilityUnproven, "unproven: nothing was flushed, so nothing was promised; "
				}
				if o.code != code || d.Result != want || !strings.HasPrefix(d.Statement, statement) {
					t.Errorf("exit code %d, %s: %q; want %d, %s: %q", o.code, d.Result, d.Statement, code, want, statement)
				}
				if c.Acknowledged < 2000 || c.Kind != model.CutProcess || !c.Noticed {
					t.Errorf("the cut: %+v", c)
				}
				if gone := map[bool]int{true: c.Acknowledged}[lost]; c.Lost != gone || c.Damaged() != 0 {
					t.Errorf("%d of %d acknowledged writes are lost, want %d; %d damaged blocks", c.Lost, c.Acknowledged, gone, c.Damaged())
				}
			})
		}
	}
}

// A file on a device with a volatile cache: each way of syncing the file reaches the
// device, and only a sync keeps what was written.
func TestSyncsOfAFile(t *testing.T) {
	defer scheduleSubtests(t)()
	for _, c := range []struct {
		mode   lab.CacheMode
		sync   string
		result model.DurabilityResult
	}{
		{lab.WriteBack, "fsync", model.DurabilityClean},
		{lab.WriteBack, "fdatasync", model.DurabilityClean},
		{lab.WriteBack, "dsync", model.DurabilityClean},
		{lab.WriteBack, "none", model.DurabilityUnproven},
		{lab.Unsafe, "fsync", model.DurabilityLostWrites},
		{lab.Unsafe, "fdatasync", model.DurabilityLostWrites},
		{lab.Unsafe, "dsync", model.DurabilityLostWrites},
	} {
		t.Run(string(c.mode)+"/"+c.sync, func(t *testing.T) {
			takeSlots(t, demand{class: bestEffort, seconds: 1})
			device := lab.PowerLoss(t, c.mode)
			file := lab.File(t, device.Device)
			// After the power loss, a copy of what survived takes the file's place.
			restart := fmt.Sprintf("umount %s && cp %s %s", filepath.Dir(file), device.Image, file)
			o, d := durable(t.Context(), t, file, "--destroy-data-on", file, "--sync", c.sync, "--writes", "200",
				"--cut", fmt.Sprintf("kill -9 %d", device.PID), "--restart", restart)
			if len(d.Cuts) != 1 || d.Result != c.result {
				t.Fatalf("exit code %d, %s, want %s: %s", o.code, d.Statement, c.result, o.stderr)
			}
			lost := d.Cuts[0].Acknowledged
			if c.result == model.DurabilityClean {
				lost = 0
			}
			if d.Cuts[0].Lost != lost || lost > 0 && lost < 200 {
				t.Errorf("%d lost, want %d", d.Cuts[0].Lost, lost)
			}
		})
	}
}

// A server that is killed and comes back several times: the clean cuts add up, but
// they are not a loss of power.
func TestSeveralCuts(t *testing.T) {
	device := lab.PowerLoss(t, lab.WriteBack)
	pid := filepath.Join(t.TempDir(), "pid")
	write := func() {
		// The file is replaced atomically, as a reader may look at any time.
		if err := os.WriteFile(pid+".new", []byte(fmt.Sprintln(device.PID)), 0o600); err != nil {
			t.Error(err)
		}
		if err := os.Rename(pid+".new", pid); err != nil {
			t.Error(err)
		}
	}
	write()
	const cuts = 4
	back := make(chan struct{})
	go func() {
		defer close(back)
		for range cuts {
			device = device.Back(t)
			write()
		}
	}()
	// The PID of the old server must not be taken for the new one's.
	restart := fmt.Sprintf("until kill -0 $(cat %s) 2>/dev/null; do sleep 0.02; done", pid)
	o, d := durable(t.Context(), t, device.Target(), "--destroy-data-on", device.Target(), "--sync", "fua", "--cuts", fmt.Sprint(cuts),
		"--cut-pid", pid, "--restart", restart, "--writes", "300")
	if o.code != 0 || d.Result != model.DurabilityClean || d.Clean != cuts || d.Bound == nil || *d.Bound != 0.75 {
		t.Fatalf("exit code %d, %s", o.code, d.Statement)
	}
	<-back
	if ok, why := model.DurabilityProven([]model.Durability{d}, d.Target); ok || !strings.Contains(why, "no loss of power") {
		t.Errorf("proven: %v, %s", ok, why)
	}
	if d.Statement != "4 of 4 clean cuts: loss probability below 75 % (3/4) at 95 %" {
		t.Errorf("statement: %s", d.Statement)
	}
}

// A cut that the user makes counts as what the user says it is, and becomes part of a run.
func TestOwnCutProvesTheRun(t *testing.T) {
	lab.Need(t, "fio")
	takeSlots(t, demand{class: bestEffort, seconds: 11})
	device := lab.PowerLoss(t, lab.WriteBack)
	results := t.TempDir()
	command(t.Context(), t, "run", device.Target(), "--profile", "kbench", "--only", "rand-read-iops", "--size", "16M", "--max-time", "8s",
		"--destroy-data-on", device.Target(), "--results", results, "--quiet")
	saved, _ := filepath.Glob(filepath.Join(results, "*"))
	if len(saved) != 1 {
		t.Fatal("there is no run")
	}
	target, err := store.Read(saved[0])
	if err != nil {
		t.Fatal(err)
	}
	if ok, _ := model.DurabilityProven(target.Durability, target.Plan.Volume.Target); ok {
		t.Error("proven before any test")
	}
	go device.Back(t)
	o, d := durable(t.Context(), t, device.Target(), "--destroy-data-on", device.Target(), "--cut", fmt.Sprintf("kill -9 %d", device.PID), "--run", saved[0])
	if o.code != 0 || d.Result != model.DurabilityClean || d.Cuts[0].Kind != model.CutCommand {
		t.Fatalf("exit code %d, %s", o.code, d.Statement)
	}
	rec, err := store.Read(saved[0])
	if err != nil || len(rec.Durability) != 1 {
		t.Fatalf("%v, %d tests in the run", err, len(rec.Durability))
	}
	if ok, why := model.DurabilityProven(rec.Durability, rec.Plan.Volume.Target); !ok {
		t.Errorf("not proven: %s", why)
	}
}

// Blocks are torn or misplaced while the power is off.
func TestDamageIsFound(t *testing.T) {
	device := lab.PowerLoss(t, lab.NoCache)
	const block, spacing = 4096, 64 << 20 / 100 / 4096 * 4096 // as the ledger spreads 100 blocks
	go func() {
		device.Off()
		image, err := os.OpenFile(device.Image, os.O_RDWR, 0)
		if err != nil {
			t.Error(err)
			return
		}
		p := make([]byte, block)
		_, readErr := image.ReadAt(p, 5*spacing)
		_, foreignErr := image.WriteAt(p, 6*spacing)
		_, tornErr := image.WriteAt(make([]byte, block/2), 3*spacing+block/2)
		if err := errors.Join(readErr, foreignErr, tornErr, image.Close()); err != nil {
			t.Error(err)
		}
		device.Back(t)
	}()
	o, d := durable(t.Context(), t, device.Target(), "--destroy-data-on", device.Target(), "--cut-pid", fmt.Sprint(device.PID))
	if o.code != 5 || d.Result != model.DurabilityCorrupt || d.Statement != "CORRUPT: 1 torn block, 1 foreign block" {
		t.Fatalf("exit code %d, %s", o.code, d.Statement)
	}
	examples := strings.Join(d.Cuts[0].Examples, "\n")
	for _, words := range []string{
		fmt.Sprintf("torn: block at %d: sectors 0–3 of write ", 3*spacing), ", sectors 4–7 zero",
		fmt.Sprintf("foreign: block at %d: it belongs to %d", 6*spacing, 5*spacing),
	} {
		if !strings.Contains(examples, words) {
			t.Errorf("%q lacks %q", examples, words)
		}
	}
}

// A file on this machine's filesystem survives the death of its writer, with every
// way of syncing, and the report does not claim that this proves much.
func TestAFileSurvivesItsWriter(t *testing.T) {
	lab.Lock(t)
	for _, sync := range []string{"fsync", "fdatasync", "dsync"} {
		dir := t.TempDir()
		o, d := durable(t.Context(), t, dir, "--sync", sync, "--cuts", "3", "--writes", "200")
		if d.Environment.Storage.Memory {
			t.Skip("the temporary directory is in memory: set TMPDIR to one on a disk")
		}
		if o.code != 0 || d.Result != model.DurabilityUnproven || len(d.Cuts) != 3 || !strings.Contains(d.Statement, "says little about a loss of power") {
			t.Errorf("%s: exit code %d, %d cuts, %s", sync, o.code, len(d.Cuts), d.Statement)
		}
		for _, c := range d.Cuts {
			if c.Acknowledged < 200 || c.Lost != 0 || c.Damaged() != 0 || c.Kind != model.CutWriter {
				t.Errorf("%s: %+v", sync, c)
			}
		}
		empty(t, dir)
	}
}

// A block device is tested only if it is named, and bypassing the page cache.
func TestABlockDevice(t *testing.T) {
	device := lab.LoopOnMemory(t, 64<<20)
	if o, _ := durable(t.Context(), t, device); o.code != 2 || !strings.Contains(o.stderr, "--destroy-data-on") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	o, d := durable(t.Context(), t, device, "--destroy-data-on", device, "--cuts", "2", "--writes", "200", "--sync", "dsync")
	if o.code != 0 || d.Result != model.DurabilityUnproven || len(d.Cuts) != 2 || d.Cuts[0].Buffered {
		t.Errorf("exit code %d, %s, %+v", o.code, d.Statement, d.Cuts)
	}
}

// Errors in a test's setup are reported before anything is written, or without losing the test.
func TestDurabilityRefusals(t *testing.T) {
	lab.Lock(t)
	dir, other := t.TempDir(), t.TempDir()
	_, made := durable(t.Context(), t, dir, "--writes", "20")
	bystander := exec.Command("sleep", "60")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = bystander.Process.Kill()
		_ = bystander.Wait()
	}()
	for name, c := range map[string]struct {
		code  int
		words string
		args  []string
	}{
		"a ledger of another target":   {2, "the ledger is of another target: of " + dir, []string{other, "--resume", made.Directory}},
		"a test that is over":          {2, "has checked all its cuts already", []string{dir, "--resume", made.Directory}},
		"no ledger":                    {2, "there is no ledger", []string{dir, "--resume", other}},
		"a flag of the ledger's":       {2, "--sync cannot be used with --resume", []string{dir, "--resume", made.Directory, "--sync", "dsync"}},
		"a ledger on the target":       {2, "the ledger would be in", []string{dir, "--cut", "true", "--results", other}},
		"NBD's flush on a file":        {2, "--sync flush does not apply to", []string{dir, "--sync", "flush"}},
		"a typo":                       {2, "--sync fdatasync", []string{dir, "--sync", "fdatsync"}},
		"a process that is not there":  {2, "there is no process", []string{dir, "--cut-pid", "4194300"}},
		"the first process":            {2, "is not a process to kill", []string{dir, "--cut-pid", "1"}},
		"a process that dies twice":    {2, "can be killed once", []string{dir, "--cut-pid", fmt.Sprint(bystander.Process.Pid), "--cuts", "2"}},
		"two cuts":                     {2, "two different cuts", []string{dir, "--cut-pid", "77", "--cut", "true"}},
		"an odd block":                 {2, "not a power of two", []string{dir, "--block-size", "5000"}},
		"more jobs than blocks":        {2, "each job has blocks of its own", []string{dir, "--blocks", "2"}},
		"numbers":                      {2, "nothing to lose", []string{"fake:?iops=9"}},
		"a range without room":         {2, "do not fit", []string{dir, "--size", "4k"}},
		"a run that is none":           {2, "is not a run directory", []string{dir, "--run", other}},
		"a span of time that is none":  {2, "is not a duration", []string{dir, "--wait", "soon"}},
		"an output that nobody speaks": {2, "format", []string{dir, "--format", "xml"}},
	} {
		args := append([]string{"durability"}, c.args...)
		if !strings.Contains(strings.Join(args, " "), "--results") && !slices.Contains(args, "--resume") && !slices.Contains(args, "--run") {
			args = append(args, "--results", t.TempDir())
		}
		if o := command(t.Context(), t, args...); o.code != c.code || !strings.Contains(o.stderr, c.words) {
			t.Errorf("%s: exit code %d, %q; want %d, %q", name, o.code, o.stderr, c.code, c.words)
		}
		empty(t, dir)
	}
	empty(t, other)
}

// A cut command that fails changes nothing: the ledger is kept, the created file is removed, and
// the command's output is shown.
func TestACutThatFails(t *testing.T) {
	lab.Lock(t)
	dir, elsewhere := t.TempDir(), lab.Tmpfs(t, 64<<20)
	o, d := durable(t.Context(), t, dir, "--writes", "20", "--cut", "echo no such outlet >&2; exit 3", "--results", elsewhere)
	if o.code != 1 || !strings.Contains(o.stderr, "exit status 3: no such outlet") || !strings.Contains(o.stderr, "nothing is lost") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	if d.Status != model.Failed || d.Result != model.DurabilityUnproven {
		t.Errorf("%s, %s", d.Status, d.Result)
	}
	if _, err := os.Stat(filepath.Join(d.Directory, "ledger.jsonl")); err != nil {
		t.Error(err)
	}
	empty(t, dir)
	if o := command(t.Context(), t, "durability", dir, "--resume", d.Directory); o.code != 2 || !strings.Contains(o.stderr, "there is nothing to check") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
}

// A test that ends before its cut removes its file, which a resume must not take for lost writes.
func TestATestThatEndsBeforeItsCut(t *testing.T) {
	lab.Lock(t)
	dir, elsewhere := t.TempDir(), lab.Tmpfs(t, 64<<20)
	server := exec.Command("sleep", "600")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = server.Process.Kill(), server.Wait() }()
	pid := filepath.Join(t.TempDir(), "pid")
	if err := os.WriteFile(pid, fmt.Appendln(nil, server.Process.Pid), 0o600); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error)
	go func() {
		for len(glob(filepath.Join(elsewhere, "*", "ledger.jsonl"))) == 0 && t.Context().Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		gone <- os.Remove(pid)
	}()
	o, d := durable(t.Context(), t, dir, "--writes", "2000", "--cut-pid", pid, "--results", elsewhere)
	if err := <-gone; err != nil {
		t.Fatal(err)
	}
	if o.code != 1 || !strings.Contains(o.stderr, "cut 1 could not be made") || strings.Contains(o.stderr+o.stdout, "--resume DIR") {
		t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
	empty(t, dir)
	if o := command(t.Context(), t, "durability", dir, "--resume", d.Directory); o.code != 2 || !strings.Contains(o.stderr, "ended before a cut, and its file") {
		t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
}

// A command that cuts nothing does not count as a clean cut.
func TestACutThatNobodyNotices(t *testing.T) {
	takeSlots(t, demand{class: bestEffort, seconds: 8})
	lab.Lock(t)
	dir, elsewhere := t.TempDir(), lab.Tmpfs(t, 64<<20)
	o, d := durable(t.Context(), t, dir, "--writes", "20", "--cut", "true", "--results", elsewhere)
	if o.code != 0 || d.Result != model.DurabilityUnproven || d.Counted != 0 || !strings.Contains(d.Statement, "nothing shows that there was one") {
		t.Errorf("exit code %d, %s", o.code, d.Statement)
	}
	empty(t, dir)
}

// If the target does not come back in time, nothing is lost, and the check can be made
// later. An interrupt in the middle leaves no file.
func TestTheTargetStaysAway(t *testing.T) {
	device := lab.PowerLoss(t, lab.Unsafe)
	o, d := durable(t.Context(), t, device.Target(), "--destroy-data-on", device.Target(), "--cut-pid", fmt.Sprint(device.PID), "--wait", "1s", "--writes", "100")
	if o.code != 1 || !strings.Contains(o.stderr, "has not come back in 1s") || !strings.Contains(o.stderr, "--resume") {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	device.Back(t)
	o, d = durable(t.Context(), t, device.Target(), "--resume", d.Directory)
	if o.code != 5 || d.Result != model.DurabilityLostWrites || d.Cuts[0].Lost != d.Cuts[0].Acknowledged || d.Cuts[0].Lost < 100 {
		t.Errorf("exit code %d, %s", o.code, d.Statement)
	}
}

// An interrupt while writes are acknowledged ends the test, and leaves no file.
func TestInterruptedDurability(t *testing.T) {
	lab.Lock(t)
	dir, results := t.TempDir(), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer cancel()
		for deadline := time.Now().Add(time.Minute); !acknowledged(results, 1); {
			select {
			case <-ctx.Done():
				return
			case <-time.After(5 * time.Millisecond):
			}
			if time.Now().After(deadline) {
				t.Error("nothing was written in a minute")
				return
			}
		}
	}()
	o, d := durable(ctx, t, dir, "--writes", "10000000", "--results", results)
	if o.code != 130 || d.Status != model.Interrupted {
		t.Errorf("exit code %d, %s", o.code, d.Status)
	}
	empty(t, dir)
}
