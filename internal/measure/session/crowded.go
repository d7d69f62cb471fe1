package session

import (
	"cmp"
	"fmt"
	"strings"
	"syscall"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/profile"
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
	on := map[string]*shared{}
	// names are those of the filesystems of this machine, by the number of their device.
	names := map[uint64]string{}
	add := func(t model.Target, space string, need, data, spare int64) {
		var st syscall.Stat_t
		if o.here(t) && t.Path != "" && syscall.Stat(t.Path, &st) == nil {
			number := uint64(st.Dev)
			if names[number] == "" {
				names[number] = cmp.Or(space, fmt.Sprintf("device %d", number))
			}
			space = names[number]
		}
		if space == "" {
			return
		}
		if on[space] == nil {
			on[space] = &shared{spare: spare}
		}
		s := on[space]
		s.places, s.need, s.data, s.spare = append(s.places, t.Name), s.need+need, s.data+data, min(s.spare, spare)
	}
	scale := 0
	for i, plan := range plans {
		ask := plan.Experiment.App
		if ask == nil || existing(targets[i]) {
			continue
		}
		v := plan.Volume
		// It makes files, as a measurement without an application does in a directory.
		found := probes[i]
		found.MakesFile = true
		// The size of a claim limits one side; what is below it is shared.
		add(targets[i], profile.SharedSpace(found), applicationRoom(ask, v), v.Size, cmp.Or(found.Room, found.Capacity))
		if v.Log != nil && found.Log != nil {
			add(v.Log.Target, "", v.Log.Size, 0, found.Log.Size)
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
