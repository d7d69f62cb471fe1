package model_test

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestRandomMapIsBounded(t *testing.T) {
	const tib = int64(1) << 40
	random := model.Workload{Access: model.Random, BlockSize: 4096}
	eight, open, own, sequential := random, random, random, random
	eight.Jobs, open.OpenLoop, own.Job, sequential.Access = 8, true, "rw=randread", model.Sequential
	for _, c := range []struct {
		name string
		w    model.Workload
		size int64
		anew bool
	}{
		{"a small volume", random, 1 << 30, false},
		{"a map below the bound", random, tib, false},
		{"4 TiB", random, 4 * tib, true},
		{"eight jobs have eight maps", eight, tib, true},
		{"eight jobs on little", eight, tib / 8, false},
		{"large blocks", model.Workload{Access: model.Random, BlockSize: 1 << 20}, 100 * tib, false},
		{"an open loop has no map", open, 100 * tib, false},
		{"the user's own job is theirs", own, 100 * tib, false},
		{"a sequential one has none", sequential, 100 * tib, false},
		{"an unknown pattern", model.Workload{}, tib, false},
	} {
		if got := c.w.DrawsAnew(c.size); got != c.anew {
			t.Errorf("%s: drawn anew %v, want %v (a map of %d bytes)", c.name, got, c.anew, c.w.RandomMap(c.size))
		}
	}
}
