package truth

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/test/lab"
)

// replicatedDelay is the planted time of an I/O on each disk, in addition to the machine's own.
const replicatedDelay = 4 * time.Millisecond

// A database on one disk, and on a volume of three replicas on three such disks, with 1 and 10 clients as in a
// comparison by which Longhorn is often judged: the model's prediction from each storage's flush time is
// confirmed there, and the two differ because of flushes.
func TestDatabaseOnReplicas(t *testing.T) {
	if os.Getenv("LOADLINE_LONG") == "" {
		t.Skip("three minutes on a quiet machine, for a table of the manual: LOADLINE_LONG=1 runs it")
	}
	lab.Lock(t)
	profile := ownFile(t, "log.yaml", logProfile)
	like := reachable(t, lab.Filesystem(t, lab.LoopOnFile(t, heldOutSize), "ext4"))
	disk := func(t lab.T) lab.Device {
		return lab.Throttled(t, lab.Throttle{Delay: replicatedDelay, Size: heldOutSize, Unwritten: true})
	}
	local := onDevice(disk)(t)
	replicated := onDevice(func(t lab.T) lab.Device {
		var dirs []string
		for range 3 {
			dirs = append(dirs, lab.Filesystem(t, lab.Block(t, disk(t)), "ext4", "-O", "^has_journal"))
		}
		return lab.Longhorn(t, 3, replicatedSize, dirs...).Device
	})(t)
	var runs []string
	for _, where := range []string{local, replicated} {
		comparison, wrong := comparedWithPrediction(t, env.OS(), where, like, profile, 1, 10)
		if len(wrong) > 0 {
			t.Errorf("%s: %q", where, wrong)
		}
		runs = append(runs, filepath.Join(comparison, store.CandidateDir))
	}
	if o := command(t.Context(), t, "explain", runs[0], runs[1]); o.code != 0 {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	} else {
		t.Log(o.stdout)
	}
}
