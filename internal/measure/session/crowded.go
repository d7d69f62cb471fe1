package session

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// shared is what two applications need on one filesystem.
type shared struct {
	places []string
	// need is in bytes, and so are data, the part of it that grows with the scale, and spare, the space
	// that the filesystem can provide.
	need, data, spare int64
}

// refuseCrowded refuses a comparison if each side has enough space, but not both together: an application's
// data and log stay until the end, and some of them may be on one filesystem.
func (o *Places) refuseCrowded(targets [2]model.Target, probes [2]model.ProbeResult, plans [2]model.Plan) error {
	on := map[uint64]*shared{}
	add := func(t model.Target, need, data, spare int64) {
		var st syscall.Stat_t
		if !o.here(t) || t.Path == "" || syscall.Stat(t.Path, &st) != nil {
			return
		}
		number := uint64(st.Dev)
		if on[number] == nil {
			on[number] = &shared{spare: spare}
		}
		s := on[number]
		s.places, s.need, s.data, s.spare = append(s.places, t.Name), s.need+need, s.data+data, min(s.spare, spare)
	}
	scale := 0
	for i, plan := range plans {
		ask := plan.Experiment.App
		if ask == nil || existing(targets[i]) {
			continue
		}
		v := plan.Volume
		add(targets[i], applicationRoom(ask, v), v.Size, probes[i].Capacity)
		if v.Log != nil && probes[i].Log != nil {
			add(v.Log.Target, v.Log.Size, 0, probes[i].Log.Size)
		}
		scale = max(scale, ask.Scale)
	}
	for _, s := range on {
		if s.need > s.spare && len(s.places) > 1 {
			return s.refuse(scale)
		}
	}
	return nil
}

// refuse returns the error, which says what to do instead; a scale of 0 means none.
func (s *shared) refuse(scale int) error {
	hint := "name a place on another filesystem for one of them: df -h"
	if scale > 0 && s.data > 0 {
		// What does not grow with the scale remains.
		if fits := int64(scale) * (s.spare - s.need + s.data) / s.data; fits >= 1 {
			hint = fmt.Sprintf("--scale %d or less, or %s", fits, hint)
		}
	}
	last := len(s.places) - 1
	return model.RefusedError(
		fmt.Sprintf("%s and %s are on one filesystem: what is to be there takes %s together, and it can spare %s (it is kept below 95 %%)",
			strings.Join(s.places[:last], ", "), s.places[last], units.FormatSize(s.need), units.FormatSize(s.spare)), hint)
}
