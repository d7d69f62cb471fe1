//go:build linux

package volume

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
)

func TestCapacityNeverFillsAFilesystem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := model.Storage{Total: rapid.Int64Range(0, 1<<50).Draw(t, "total")}
		s.Used = rapid.Int64Range(0, s.Total).Draw(t, "used")
		s.Free = rapid.Int64Range(0, s.Total-s.Used).Draw(t, "free") // the rest is reserved
		c := Capacity(s, model.Target{Kind: model.Directory, Path: "/"})
		if c < 0 || c > s.Free {
			t.Fatalf("capacity %d of %d free", c, s.Free)
		}
		if c > 0 && float64(s.Used+c) > 0.95*float64(s.Total)+1 {
			t.Fatalf("%d more make it %.2f %% full", c, 100*float64(s.Used+c)/float64(s.Total))
		}
		// The rule is used to the full: one byte more would break it.
		if reach := float64(s.Used + s.Free); c > 0 && math.Abs(float64(s.Used+c)-0.95*reach) > 1+reach*1e-12 {
			t.Fatalf("capacity %d leaves room: used %d, free %d", c, s.Used, s.Free)
		}
	})
}

func TestCapacityOfFilesAndDevices(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	if err := os.WriteFile(full, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	sparse := image(t, dir, 1<<40)
	tight := model.Storage{Total: 1 << 30, Used: 1 << 30, DeviceSize: 7}
	ample := model.Storage{Total: 1 << 30, Free: 1 << 30}
	spare := int64(1020054732) // 95 % of 1 GiB
	for _, c := range []struct {
		kind model.TargetKind
		path string
		s    model.Storage
		want int64
	}{
		{model.File, full, ample, 1 << 20},
		{model.File, full, tight, 1 << 20},
		{model.File, sparse, ample, spare},
		{model.File, sparse, tight, 0},
		{model.File, filepath.Join(dir, "new"), ample, spare},
		{model.Directory, dir, ample, spare},
		{model.Directory, dir, tight, 0},
		{model.BlockDevice, "/dev/x", tight, 7},
		{model.NBD, "", tight, 7},
	} {
		if got := Capacity(c.s, model.Target{Kind: c.kind, Path: c.path}); got != c.want {
			t.Errorf("%s %s: %d, want %d", c.kind, c.path, got, c.want)
		}
	}
}
