package observe

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

const netDev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 900 9 0 0 0 0 0 0 900 9 0 0 0 0 0 0
  eth0: 1000 10 0 0 0 0 0 0 500 5 0 0 0 0 0 0
  eth1:7000 70 0 0 0 0 0 0 100 1 0 0 0 0 0 0
 veth1: 5 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0
  eth2: 8 1 0 0 0 0 0 0 8 1 0 0 0 0 0 0
`

// Only interfaces with hardware and a speed count; the busiest of them is reported.
func TestTheFullestCardIsTold(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	files := fstest.MapFS{
		"proc/net/dev":                        file(netDev),
		"sys/class/net/eth0/speed":            file("1000\n"),
		"sys/class/net/eth0/device/vendor":    file("x"),
		"sys/class/net/eth1/speed":            file("10000\n"),
		"sys/class/net/eth1/device/vendor":    file("x"),
		"sys/class/net/veth1/speed":           file("10000\n"),
		"sys/class/net/eth2/speed":            file("-1\n"),
		"sys/class/net/eth2/device/something": file("x"),
	}
	now := links(files)
	want := map[string]model.Link{"eth0": {Name: "eth0", Received: 1000, Sent: 500, Speed: 125e6}, "eth1": {Name: "eth1", Received: 7000, Sent: 100, Speed: 1250e6}}
	if diff := cmp.Diff(want, now); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	before := map[string]model.Link{"eth0": {Name: "eth0"}, "eth1": {Name: "eth1", Received: 100}, "gone": {Name: "gone"}}
	if got := busiest(before, now); got == nil || *got != (model.Link{Name: "eth0", Received: 1000, Sent: 500, Speed: 125e6}) {
		t.Errorf("%+v", got)
	}
	if busiest(nil, now) != nil || links(fstest.MapFS{})["eth0"].Name != "" {
		t.Error("a card out of nothing")
	}
}
