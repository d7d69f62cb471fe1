package model

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model/proof"
)

// counted is a worker's result on a device that is shared by n others.
func counted(step, worker int, device string, seconds float64, deviceRate, clientRate uint64) StepResult {
	w := &Window{Seconds: seconds, DeviceReads: uint64(seconds * float64(deviceRate)), DeviceRead: uint64(seconds*float64(deviceRate)) * 4096,
		ClientReads: uint64(seconds * float64(clientRate)), ClientRead: uint64(seconds*float64(clientRate)) * 4096}
	return StepResult{Step: Step{Number: step}, Worker: worker, Counters: &Counters{Device: device, Window: w}}
}

func TestADeviceThatSeveralUseCountsOnce(t *testing.T) {
	one := func(int) string { return "" }
	// Two volumes share vda, a third has vdb; the windows differ in length.
	steps := []StepResult{
		counted(1, 0, "vda", 2, 300, 100), counted(1, 1, "vda", 4, 300, 200), counted(1, 2, "vdb", 2, 50, 50),
		counted(2, 0, "vda", 2, 300, 100), counted(2, 1, "vda", 2, 300, 200), counted(2, 2, "vdb", 2, 50, 50),
	}
	win, ok := DeviceWindow(steps, one)
	if device, client := float64(win.DeviceReads)/win.Seconds, float64(win.ClientReads)/win.Seconds; !ok || math.Abs(device-350) > 1 || math.Abs(client-350) > 1 {
		t.Errorf("devices %g/s, clients %g/s, want 350 of both (%+v)", device, client, win)
	}
	if read, written, ok := DeviceRates(steps, one); !ok || math.Abs(read-350*4096) > 1 || written != 0 {
		t.Errorf("%g and %g bytes/s, want %d and 0", read, written, 350*4096)
	}
	// The same names on two machines are different devices.
	node := func(worker int) string { return []string{"a", "b", "b"}[worker] }
	if read, _, _ := DeviceRates(steps, node); math.Abs(read-650*4096) > 1 {
		t.Errorf("%g bytes/s, want %d", read, 650*4096)
	}
	// One worker's counters are enough for a device, but not for what the clients did.
	steps[1].Counters.Window = nil
	if read, _, ok := DeviceRates(steps[:3], one); !ok || math.Abs(read-350*4096) > 1 {
		t.Errorf("%g bytes/s, want %d", read, 350*4096)
	}
	if _, ok := DeviceWindow(steps[:3], one); ok {
		t.Error("a window without one of its clients")
	}
	steps[2].Counters.Window = nil
	if _, _, ok := DeviceRates(steps[:3], one); ok {
		t.Error("a rate without one of its devices")
	}
}

func TestWhatIsNotProvenOfOneIsNotProvenOfAll(t *testing.T) {
	p := Preparation{Written: 1, Seconds: 2, Proof: Proof{Method: proof.FIEMAP, Checked: 10}}
	p.Merge(Preparation{Written: 2, Seconds: 1, Proof: Proof{Method: proof.None, Detail: "no map"}}, "volume 2")
	want := Preparation{Written: 3, Seconds: 2, Proof: Proof{Method: proof.None, Checked: 10, Detail: "volume 2: no map"}}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVolumesShareWhatExists(t *testing.T) {
	claim := &ClusterVolume{Namespace: "db", Name: "data"}
	device := Target{Kind: BlockDevice, Path: "/dev/block"}
	inPod := func(c *ClusterVolume) Target { d := device; d.Cluster = c; return d }
	for name, c := range map[string]struct {
		a, b  Volume
		share bool
	}{
		"one device":              {Volume{Target: device}, Volume{Target: device}, true},
		"on two machines":         {Volume{Target: device, Node: "a"}, Volume{Target: device, Node: "b"}, false},
		"files of their own":      {Volume{Target: device, Owned: true}, Volume{Target: device, Owned: true}, false},
		"numbers":                 {Volume{Target: Target{Kind: Fake}}, Volume{Target: Target{Kind: Fake}}, false},
		"claims that were made":   {Volume{Target: inPod(&ClusterVolume{Class: "fast"}), Node: "a"}, Volume{Target: inPod(&ClusterVolume{Class: "fast"}), Node: "a"}, false},
		"one claim, two machines": {Volume{Target: inPod(claim), Node: "a"}, Volume{Target: inPod(claim), Node: "b"}, true},
	} {
		if got := c.a.SharedAs() != "" && c.a.SharedAs() == c.b.SharedAs(); got != c.share {
			t.Errorf("%s: shared is %t", name, got)
		}
	}
}
