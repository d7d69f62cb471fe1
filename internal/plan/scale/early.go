package scale

import (
	"sync"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Early decides which volumes are written before the whole plan is known, while other places are still
// being prepared: only those created by Loadline for this run, so that no existing data is touched
// before the plan is shown, and only if their size is given. It may be used by several goroutines.
type Early struct {
	Experiment model.Experiment
	Profile    profile.Profile
	// Volumes is the total number of volumes.
	Volumes int

	mu    sync.Mutex
	disks map[string]*spared
}

// spared is the space that a disk could spare when it was first probed, and how much of it was
// allocated since, in bytes.
type spared struct{ room, given int64 }

// Request returns what place i, which was just probed, may prepare immediately; ok is false if it must
// wait for the plan, which then also reports what is wrong with it. Space that others were allowed to
// write meanwhile is added back to the free space of the place.
//
// The number of volumes on the same disk is not known yet. The first gets the space it would have in a
// plan with one volume; all together get half of what the disk can spare.
func (e *Early) Request(i int, p *Place) (r model.PrepareRequest, ok bool) {
	if e.Experiment.Size == 0 || !p.Target.Cluster.Made() {
		return r, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var disk *spared
	if p.Found.MakesFile {
		disk = e.disk(i, p)
		if disk.given > 0 && disk.given+e.Experiment.Size > disk.room/2 {
			return r, false
		}
	}
	plan, err := Build(e.Experiment, e.Profile, []Place{*p})
	if err != nil || !plan.Volume.Prefill {
		return r, false
	}
	if disk != nil {
		disk.given += plan.Volume.Size
	}
	r = plan.PrepareRequest(0)
	r.MaxSeconds *= float64(e.Volumes)
	return r, true
}

// disk returns the disk of a place, and adds back to its free space what we allocated.
func (e *Early) disk(i int, p *Place) *spared {
	room := &p.Found.Room
	if *room == 0 {
		room = &p.Found.Capacity
	}
	name := p.shared(i)
	d := e.disks[name]
	if d == nil {
		if e.disks == nil {
			e.disks = map[string]*spared{}
		}
		d = &spared{room: *room}
		e.disks[name] = d
	}
	// An unknown part of what was allocated is written by now.
	*room = max(*room, min(d.room, *room+d.given))
	return d
}
