package truth

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// The log is on a volume of its own: its flushes are counted on its device, and waits are for that
// device alone. One device takes 3 ms for each write, the other next to nothing.
func TestALogOfItsOwn(t *testing.T) {
	takeSlots(t, demand{class: waiting, seconds: 30, slots: 2})
	lab.Lock(t)
	const delay, size = 3 * time.Millisecond, 2 << 30
	mounted := func(c lab.Throttle) string {
		c.Size, c.Unwritten = size, true
		dir := lab.Filesystem(t, lab.Block(t, lab.Throttled(t, c)), "ext4")
		if err := os.Chmod(dir, 0o711); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	slow, fast := mounted(lab.Throttle{Delay: delay}), mounted(lab.Throttle{IOPS: 20000})
	measured := func(flags ...string) (*model.Report, *model.AppResult) {
		t.Helper()
		_, o := saved(t, env.OS(), append([]string{"app", "postgres", "--time", "5s", "--ramp-time", "1s", "--scale", "1", "--load", "simple", "--clients", "1"}, flags...)...)
		r := &o.report
		if len(r.Results) != 1 || r.Results[0].App == nil || r.Results[0].App.LogDeviceFlushes == nil || r.Results[0].App.DeviceFlushes == nil || r.Results[0].App.FlushTime == nil {
			t.Fatalf("%+v: %+v", r.Results, r.Findings)
		}
		return r, r.Results[0].App
	}
	// A flush of the server is counted about once on the log's device, and not on the other.
	apart := func(a *model.AppResult) {
		t.Helper()
		t.Logf("%.3f flushes of %.2f ms: %.3f of the log's device, %.3f of the data's; %.2f and %.2f writes",
			*a.Flushes, *a.FlushTime*1e3, *a.LogDeviceFlushes, *a.DeviceFlushes, *a.LogDeviceWrites, *a.DeviceWrites)
		if *a.LogDeviceFlushes < 0.9 || *a.LogDeviceFlushes > 1.5 || *a.DeviceFlushes > 0.2 || *a.LogDeviceWrites < 0.9 || *a.LogDeviceWritten < 4096 {
			t.Errorf("%+v", a)
		}
	}
	r, a := measured(fast, "--wal", slow)
	apart(a)
	if *a.FlushTime < delay.Seconds() {
		t.Errorf("a flush takes %v s on a device that takes 3 ms for a write", *a.FlushTime)
	}
	if log := r.Run.Volume.Log; log == nil || log.Target.Path != slow || r.Run.Environment.LogStorage == nil || r.Run.Environment.LogStorage.Device == r.Run.Environment.Storage.Device {
		t.Errorf("%+v, %+v", log, r.Run.Environment)
	}
	slowly := *a.FlushTime
	_, a = measured(slow, "--wal", fast)
	apart(a)
	if *a.FlushTime > slowly/2 {
		t.Errorf("a flush takes %v s, and %v s where the log was on the other device", *a.FlushTime, slowly)
	}
	for _, dir := range []string{slow, fast} {
		if left, err := filepath.Glob(filepath.Join(dir, ".loadline*")); err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
}
