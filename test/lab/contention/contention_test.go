package contention_test

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/loadline/loadline/test/lab"
	"github.com/loadline/loadline/test/lab/contention"
)

// Where processes of the highest priority take all processors, this one is woken late and the kernel counts no idle time.
// They do it for half a second, since other packages' tests wait for them too.
func TestContentionIsSeen(t *testing.T) {
	lab.UpToThree(t, func() []string {
		end := contention.Watch()
		func() {
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			var running []*exec.Cmd
			for range 2 * runtime.NumCPU() {
				cmd := exec.CommandContext(ctx, "nice", "-n", "-20", "sh", "-c", "while :; do :; done")
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				running = append(running, cmd)
			}
			for _, cmd := range running {
				_ = cmd.Wait() // it is killed when its time has passed
			}
		}()
		seen := end()
		t.Log(seen)
		// Only root may have more than the usual priority.
		if seen.Longest < 10*time.Millisecond && os.Geteuid() == 0 || seen.Idle > 0.1 || !seen.Contended() {
			return []string{"full processors were not seen: " + seen.String()}
		}
		return nil
	})
}

// A machine is contended only if something waits for a processor.
func TestAQuietMachineIsNotContended(t *testing.T) {
	share := func(v float64) *float64 { return &v }
	for name, c := range map[string]struct {
		seen contention.Seen
		want bool
	}{
		"quiet":                  {contention.Seen{Longest: time.Millisecond, Waited: share(0.02), Idle: 0.9}, false},
		"busy, nothing waits":    {contention.Seen{Longest: time.Millisecond, Waited: share(0.02), Idle: 0.4}, false},
		"processes wait":         {contention.Seen{Longest: time.Millisecond, Waited: share(0.3), Idle: 0.5}, true},
		"woken late":             {contention.Seen{Longest: 20 * time.Millisecond, Waited: share(0.02), Idle: 0.9}, true},
		"stolen":                 {contention.Seen{Longest: time.Millisecond, Waited: share(0.02), Idle: 0.9, Stolen: 0.05}, true},
		"nothing known of waits": {contention.Seen{Longest: time.Millisecond, Idle: 0.5}, true},
		"the same, all idle":     {contention.Seen{Longest: time.Millisecond, Idle: 0.97}, false},
	} {
		if c.seen.Contended() != c.want {
			t.Errorf("%s (%s): contended %v", name, c.seen, !c.want)
		}
	}
}
