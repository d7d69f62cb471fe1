package lab

import (
	"context"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// Where processes of the highest priority take all processors, this one is woken late and the kernel counts no idle time.
func TestACrowdedMachineIsSeen(t *testing.T) {
	idle := func(work func()) (longest, idle int) {
		crowded := Crowded()
		work()
		words := crowded()
		t.Log(words)
		m := regexp.MustCompile(`was (\d+) ms.*processors (\d+) % idle`).FindStringSubmatch(words)
		if m == nil {
			t.Fatalf("%q", words)
		}
		longest, _ = strconv.Atoi(m[1])
		idle, _ = strconv.Atoi(m[2])
		return longest, idle
	}
	UpToThree(t, func() []string {
		late, share := idle(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			var running []*exec.Cmd
			for range 4 * runtime.NumCPU() {
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
		if late < 10 || share > 10 {
			return []string{"full processors were not seen"}
		}
		return nil
	})
}
