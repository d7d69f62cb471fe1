package observe

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// The window is the time between the first and the last mark; what the device did before and after is
// not counted.
func TestTheWindowIsBetweenTheMarks(t *testing.T) {
	now := files(machine(statBefore, "1 0 8 0 1 0 8 0 0 0 0\n", "", ""))
	c := begin(env.Clock{}, now, "vda")
	set := func(stat string) {
		for name, f := range files(map[string]string{"sys/class/block/vda/stat": stat}) {
			now[name] = f
		}
	}
	set(diskBefore)
	c.Mark()
	if w := c.End().Window; w != nil {
		t.Errorf("one mark makes a window: %+v", w)
	}
	time.Sleep(time.Millisecond)
	set(diskAfter)
	c.Mark()
	set("900000 0 99999999 0 900000 0 99999999 0 0 0 0\n")
	w := c.End().Window
	if w == nil || w.Seconds <= 0 {
		t.Fatalf("%+v", w)
	}
	want := model.Window{Seconds: w.Seconds, DeviceReads: 100, DeviceWrites: 50, DeviceRead: 8000 * 512, DeviceWritten: 800 * 512,
		ReadMerges: 10, WriteMerges: 1}
	if diff := cmp.Diff(want, *w); diff != "" {
		t.Error(diff)
	}
}

func TestNoDeviceNoWindow(t *testing.T) {
	for _, device := range []string{"", "nosuch"} {
		c := begin(env.Clock{}, files(nil), device)
		c.Mark()
		time.Sleep(time.Millisecond)
		c.Mark()
		if w := c.End().Window; w != nil {
			t.Errorf("%q: %+v", device, w)
		}
	}
}
