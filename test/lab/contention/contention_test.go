package contention_test

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/loadline/loadline/test/lab"
	"github.com/loadline/loadline/test/lab/contention"
)

// Where processes of the highest priority take all processors, this one is woken late and the kernel counts no idle time.
// They do it for half a second, since other packages' tests wait for them too.
func TestContentionIsSeen(t *testing.T) {
	idle := func(work func()) (longest, idle int) {
		seen := contention.Watch()
		work()
		words := seen()
		t.Log(words)
		m := regexp.MustCompile(`was (\d+) ms.*processors (\d+) % idle`).FindStringSubmatch(words)
		if m == nil {
			t.Fatalf("%q", words)
		}
		longest, _ = strconv.Atoi(m[1])
		idle, _ = strconv.Atoi(m[2])
		return longest, idle
	}
	lab.UpToThree(t, func() []string {
		late, share := idle(func() {
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
		})
		// Only root may have more than the usual priority.
		if late < 10 && os.Geteuid() == 0 || share > 10 {
			return []string{"full processors were not seen"}
		}
		return nil
	})
}
