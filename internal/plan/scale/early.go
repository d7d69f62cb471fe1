package scale

import (
	"sync"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Early decides which volumes are written before the plan of all is known, while places
// are still waited for: only those that Loadline has made for this run, so that nothing of
// anybody's is there before the plan is shown, and only if their size is given. It may be
// used by several goroutines.
type Early struct {
	Experiment model.Experiment
	Profile    profile.Profile
	// Volumes is how many there will be.
	Volumes int

	mu    sync.Mutex
	disks map[string]*spared
}

// spared is what a disk could spare when it was first looked at, and how much of it was
// given away since, in bytes.
type spared struct{ room, given int64 }

// Request is what place i, which was just looked at, may be asked to prepare at once; ok is
// false where it has to wait for the plan, which then also says what is wrong with it. What
// others were allowed to write meanwhile counts in the place as room that is there.
//
// Nobody knows yet how many volumes will be on the disk of this one. The first on it has
// what a plan of one volume had; all together get half of what the disk can spare.
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

// disk is that of a place, whose room becomes what it would be without what we gave away.
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
	// Of what was given away, more or less is written by now.
	*room = max(*room, min(d.room, *room+d.given))
	return d
}
