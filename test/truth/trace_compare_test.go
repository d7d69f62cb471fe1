package truth

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/test/lab"
)

// Of two traces, of a disk whose reads take 2 ms and of one whose reads take 6 ms, the second
// is found to be three times as slow; with larger reads no verdict is given. Of seconds in which the machine did
// something else the comparison says that it is unclear.
func TestTwoTracesOfDisksOfKnownSpeed(t *testing.T) {
	takeSlots(t, demand{class: waiting, seconds: 45})
	lab.UpToThree(t, func() []string { return twoTraces(t) })
}

// twoTraces compares traces of three disks, and returns what is not as it should be.
func twoTraces(t *testing.T) (wrong []string) {
	t.Helper()
	say := func(format string, a ...any) { wrong = append(wrong, fmt.Sprintf(format, a...)) }
	seen := func(delay time.Duration, block int64) iotrace.Report {
		dev := lab.Block(t, lab.Delayed(t, delay, delay))
		r := traceWhile(t, func() {
			lab.Fio(t, lab.At(dev, 64<<20), lab.Job{Pattern: "randread", BlockSize: block, Time: 14 * time.Second, Options: []string{"--ramp_time=0"}})
		}, "--device", filepath.Base(dev))
		return r
	}
	fast, slow, large := seen(2*time.Millisecond, 4<<10), seen(6*time.Millisecond, 4<<10), seen(6*time.Millisecond, 64<<10)
	compared := func(b iotrace.Report) map[model.Metric]iotrace.Compared {
		o := command(t.Context(), t, "compare", fast.Directory, b.Directory, "--fail-on", "none", "--format", "json")
		var c iotrace.Comparison
		if err := json.Unmarshal([]byte(o.stdout), &c); err != nil {
			t.Fatalf("exit code %d: %v, %s", o.code, err, o.stderr)
		}
		rows := map[model.Metric]iotrace.Compared{}
		for _, r := range c.Rows {
			if r.Operation == iotrace.Read && r.Command == "fio" {
				rows[r.Metric] = r
			}
		}
		return rows
	}
	rows := compared(slow)
	for m, r := range rows {
		t.Logf("%s: %.3g against %.3g, %.2f times (%.2f to %.2f): %s", m, r.A.Value, r.B.Value, r.Ratio.Value, r.Ratio.Low, r.Ratio.High, r.Verdict)
	}
	for _, m := range []model.Metric{model.Latency, model.P50} {
		if r := rows[m]; r.Verdict != iotrace.Slower || r.Ratio.Value < 2 || r.Ratio.Value > 3.5 {
			say("%s: %+v", m, r)
		}
	}
	if r := rows[model.IOPS]; r.Verdict != iotrace.Fewer {
		say("the rate: %+v", r)
	}
	for m, r := range compared(large) {
		if m != model.IOPS && r.Verdict != iotrace.NotComparable {
			say("of larger reads %s is %s", m, r.Verdict)
		}
	}
	return wrong
}
