package asked

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
	"github.com/loadline/loadline/internal/plan/profile"
)

// A larger limit of the log takes more space, with the data and on a volume of its own.
func TestTheLogTakesWhatItsLimitAllows(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want int64
	}{
		{nil, 3 << 29}, {[]string{"max_wal_size=16GB"}, 24 << 30}, {[]string{"max_wal_size = '2048'", "shared_buffers=1GB"}, 3 << 30}, {[]string{"MAX_WAL_SIZE=64MB"}, 3 << 29},
		{[]string{"wal_keep_size=512"}, 2 << 30}, {[]string{"max_wal_size=4GB", "max_wal_size=2GB"}, 3 << 30}, {[]string{"max_wal_size=much"}, 3 << 29},
	} {
		ask := model.AppRequest{Name: "postgres", Scale: 20, Set: c.set}
		if got := logRoom(ask); got != c.want {
			t.Errorf("%q: %d bytes, not %d", c.set, got, c.want)
		}
		found := model.ProbeResult{Capacity: 300<<20 + c.want - 1, App: &model.AppState{Name: "postgres", Version: "17.1"}}
		if _, err := chooseData(&ask, nil, model.Target{Name: "/x"}, found); err == nil {
			t.Errorf("%q fit into %d bytes", c.set, found.Capacity)
		}
		found.Capacity++
		if _, err := chooseData(&ask, nil, model.Target{Name: "/x"}, found); err != nil {
			t.Errorf("%q: %v", c.set, err)
		}
		apart := model.ProbeResult{Capacity: 1 << 30, App: found.App, Log: &model.Volume{Target: model.Target{Name: "/log"}, Size: c.want - 1}}
		if _, err := chooseData(&ask, nil, model.Target{Name: "/x"}, apart); err == nil {
			t.Errorf("%q: the log fits into %d bytes", c.set, apart.Log.Size)
		}
	}
}

// Data and log must each fit on their own volume.
func TestALogOfItsOwnHasRoomOfItsOwn(t *testing.T) {
	plan := func(data, log int64) (model.Plan, error) {
		p := profile.Profile{Name: "own", Data: &Application.Data, Repeat: 10, Ramp: 2, Workloads: []model.Workload{{Name: "tpcb-c1", Access: model.Random, Direction: model.Write, BlockSize: 8192, Depth: 1,
			Metric: model.Transactions, App: model.AppLoad{Tool: "pgbench", Threads: 1}}}}
		found := model.ProbeResult{Capacity: data, Log: &model.Volume{Target: model.Target{Name: "/log", Kind: model.Directory, Path: "/log"}, Size: log},
			App: &model.AppState{Name: "postgres", Version: "17.1"}}
		return profile.Build(model.Experiment{Seed: 1, App: &model.AppRequest{Name: "postgres", Scale: 20, Clients: 1, Log: "/log"}}, p,
			model.Target{Name: "/x", Kind: model.Postgres, Path: "/x"}, found)
	}
	// Together with its log the data would need 1.8 GiB.
	made, err := plan(500<<20, 1600<<20)
	if err != nil {
		t.Fatal(err)
	}
	if log := made.Volume.Log; log == nil || log.Target.Name != "/log" || log.Size != 3<<29 || made.Volume.Size != 300<<20 {
		t.Errorf("%+v", made.Volume)
	}
	_, err = plan(500<<20, 1500<<20)
	modeltest.Refused(t, err, "the log takes up to 1.5 GiB, and /log can spare 1.46 GiB")
	_, err = plan(400<<20, 1600<<20)
	if e := modeltest.Refused(t, err, "scale 20 needs 428 MiB without its log, and /x can spare 400 MiB"); e != nil && e.Hint != "--scale 18 or less, or a directory with more space: df -h" {
		t.Errorf("%q", e.Hint)
	}
}
