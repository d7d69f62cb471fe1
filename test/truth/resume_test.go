package truth

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/durability"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// unending starts a durability test in a separate process that never reaches its cut, and
// returns when it has acknowledged some writes. kill ends it with SIGKILL.
func unending(t *testing.T, target, results string, args ...string) (dir string, kill func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"durability", target, "--results", results, "--writes", "100000000", "--quiet"}, args...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	kill = func() {
		_ = cmd.Process.Kill()
		<-ended
	}
	t.Cleanup(kill)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		select {
		case <-ended:
			t.Fatalf("it ended: %s", stderr.String())
		default:
		}
		if acknowledged(results, 201) {
			return filepath.Dir(glob(filepath.Join(results, "*", "ledger.jsonl"))[0]), kill
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing was written in a minute")
		}
	}
}

// acknowledged reports whether the ledger of the only durability test in results has as many acknowledged writes.
func acknowledged(results string, writes int) bool {
	ledgers := glob(filepath.Join(results, "*", "ledger.jsonl"))
	if len(ledgers) != 1 {
		return false
	}
	text, _ := os.ReadFile(ledgers[0])
	return strings.Count(string(text), `{"ack":`) >= writes
}

// resumable waits until the killed test's writer has ended too.
func resumable(t *testing.T, dir string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); durability.Running(dir); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the writer outlives its parent")
		}
	}
}

// After kill -9 of loadline the directory can be read, the check can be made, and
// nothing is left behind.
func TestResumeAfterKill(t *testing.T) {
	lab.Lock(t)
	dir := t.TempDir()
	saved, kill := unending(t, dir, t.TempDir())
	if o := command(t.Context(), t, "durability", dir, "--resume", saved); o.code != 2 || !strings.Contains(o.stderr, "still in progress") {
		t.Errorf("a living test was resumed: exit code %d, %s", o.code, o.stderr)
	}
	if o := command(t.Context(), t, "analyze", saved); o.code != 2 || !strings.Contains(o.stderr, "still in progress") {
		t.Errorf("a living test was analyzed: exit code %d, %s", o.code, o.stderr)
	}
	kill()
	resumable(t, saved)
	if o := command(t.Context(), t, "analyze", saved); o.code != 0 || !strings.Contains(o.stdout, "nothing was checked after a cut") {
		t.Errorf("analyze: exit code %d, %s", o.code, o.stdout)
	}
	o, d := durable(t.Context(), t, dir, "--resume", saved)
	if o.code != 0 || d.Result != model.DurabilityUnproven || len(d.Cuts) != 1 || d.Cuts[0].Kind != model.CutWriter || d.Cuts[0].Acknowledged < 200 {
		t.Errorf("exit code %d, %s, %+v", o.code, d.Statement, d.Cuts)
	}
	empty(t, dir)
}

// Loadline and a device that ignores flushes go down together, as if both were on one machine.
func TestResumeFindsLostWrites(t *testing.T) {
	device := lab.PowerLoss(t, lab.Unsafe)
	saved, kill := unending(t, device.Target(), t.TempDir(), "--destroy-data-on", device.Target())
	device.Kill()
	kill()
	device.Back(t)
	resumable(t, saved)
	o, d := durable(t.Context(), t, device.Target(), "--resume", saved)
	if o.code != 5 || d.Result != model.DurabilityLostWrites || d.Cuts[0].Lost != d.Cuts[0].Acknowledged {
		t.Errorf("exit code %d, %s, %+v", o.code, d.Statement, d.Cuts)
	}
	// A result that has been found stays.
	if o := command(t.Context(), t, "analyze", saved); o.code != 5 || !strings.Contains(o.stdout, "LOST WRITES: ") {
		t.Errorf("analyze: exit code %d, %s", o.code, o.stdout)
	}
}

// A resumed test may continue with further cuts in the same ledger.
func TestResumeGoesOn(t *testing.T) {
	device := lab.PowerLoss(t, lab.WriteBack)
	saved, kill := unending(t, device.Target(), t.TempDir(), "--destroy-data-on", device.Target(), "--sync", "fua")
	kill()
	go device.Back(t)
	resumable(t, saved)
	o, d := durable(t.Context(), t, device.Target(), "--resume", saved, "--cut-pid", fmt.Sprint(device.PID), "--writes", "300", "--destroy-data-on", device.Target())
	if o.code != 0 || d.Result != model.DurabilityClean || len(d.Cuts) != 2 || d.Cuts[0].Kind != model.CutWriter || d.Cuts[1].Kind != model.CutProcess {
		t.Errorf("exit code %d, %s, %+v", o.code, d.Statement, d.Cuts)
	}
}

// If the file itself is lost, so is everything that was acknowledged.
func TestALostFileIsALie(t *testing.T) {
	lab.Lock(t)
	dir := t.TempDir()
	saved, kill := unending(t, dir, t.TempDir())
	kill()
	files, _ := filepath.Glob(filepath.Join(dir, volume.Prefix+"*.data"))
	if len(files) != 1 {
		t.Fatalf("files: %v", files)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	resumable(t, saved)
	o, d := durable(t.Context(), t, dir, "--resume", saved)
	if o.code != 5 || d.Result != model.DurabilityLostWrites || d.Cuts[0].Lost != d.Cuts[0].Acknowledged {
		t.Errorf("exit code %d, %s, %+v", o.code, d.Statement, d.Cuts)
	}
}
