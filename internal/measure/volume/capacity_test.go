//go:build linux

package volume

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
	"github.com/loadline/loadline/test/lab"
)

func TestCapacityNeverFillsAFilesystem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := model.Storage{Total: rapid.Int64Range(0, 1<<50).Draw(t, "total")}
		s.Used = rapid.Int64Range(0, s.Total).Draw(t, "used")
		s.Free = rapid.Int64Range(0, s.Total-s.Used).Draw(t, "free") // the rest is reserved
		c := Capacity(s, model.Target{Kind: model.Directory, Path: "/"}, true)
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
		read bool
		want int64
	}{
		{model.File, full, ample, false, 1 << 20},
		{model.File, full, tight, false, 1 << 20},
		{model.File, sparse, ample, false, spare},
		{model.File, sparse, tight, false, 0},
		{model.File, sparse, tight, true, 1 << 40},
		{model.File, sparse, model.Storage{}, false, 1 << 40},
		{model.File, sparse, model.Storage{}, true, 1 << 40},
		{model.File, filepath.Join(dir, "new"), ample, false, spare},
		{model.Directory, dir, ample, false, spare},
		{model.Directory, dir, tight, false, 0},
		{model.BlockDevice, "/dev/x", tight, false, 7},
		{model.NBD, "", tight, false, 7},
	} {
		if got := Capacity(c.s, model.Target{Kind: c.kind, Path: c.path}, !c.read); got != c.want {
			t.Errorf("%s %s: %d, want %d", c.kind, c.path, got, c.want)
		}
	}
}

// What others have written since the probe counts.
func TestSpaceThatIsGone(t *testing.T) {
	dir := lab.Tmpfs(t, 64<<20)
	in := model.Target{Name: dir, Kind: model.Directory, Path: dir}
	if err := CheckSpace(in, 60<<20); err != nil {
		t.Errorf("an empty filesystem: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other"), make([]byte, 32<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	modeltest.Refused(t, CheckSpace(in, 60<<20), "no longer fits into "+dir, "others have written there in the meantime", "measure again")
	if err := CheckSpace(in, 28<<20); err != nil {
		t.Errorf("what still fits: %v", err)
	}
	if err := CheckSpace(model.Target{Kind: model.File, Path: filepath.Join(dir, "f")}, 1<<30); err != nil {
		t.Errorf("a file that the user names: %v", err)
	}
}
