package model_test

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestDurabilityProven(t *testing.T) {
	disk := model.Target{Name: "/dev/sdX", Kind: model.BlockDevice, Path: "/dev/sdX"}
	test := func(result model.DurabilityResult, kind model.CutKind, noticed bool) model.Durability {
		return model.Durability{Target: disk, Result: result, Statement: string(result), Cuts: []model.Cut{{Kind: kind, Noticed: noticed}}}
	}
	other := test(model.DurabilityClean, model.CutCommand, true)
	other.Target.Path = "/dev/sdY"
	clean := test(model.DurabilityClean, model.CutCommand, true)
	for name, c := range map[string]struct {
		tests []model.Durability
		want  bool
		why   string
	}{
		"no test":                           {nil, false, "no durability test of /dev/sdX is part of this run"},
		"another target":                    {[]model.Durability{other}, false, "no durability test of /dev/sdX is part of this run"},
		"the user's cut":                    {[]model.Durability{clean}, true, "clean"},
		"the machine went down":             {[]model.Durability{test(model.DurabilityClean, model.CutReboot, true)}, true, "clean"},
		"a killed server":                   {[]model.Durability{test(model.DurabilityClean, model.CutProcess, true)}, false, "clean, but only a process was killed: that is no loss of power"},
		"a killed writer":                   {[]model.Durability{test(model.DurabilityUnproven, model.CutWriter, true)}, false, "unproven"},
		"a cut that nobody noticed":         {[]model.Durability{test(model.DurabilityClean, model.CutCommand, false)}, false, "clean, but only a process was killed: that is no loss of power"},
		"lost writes outweigh a clean test": {[]model.Durability{test(model.DurabilityLostWrites, model.CutCommand, true), clean}, false, "lost-writes"},
		"lost writes after a clean test":    {[]model.Durability{clean, test(model.DurabilityCorrupt, model.CutProcess, true)}, false, "corrupt"},
		"unproven after clean":              {[]model.Durability{clean, test(model.DurabilityUnproven, model.CutWriter, true)}, true, "clean"},
	} {
		if ok, why := model.DurabilityProven(c.tests, disk); ok != c.want || why != c.why {
			t.Errorf("%s: %v, %q; want %v, %q", name, ok, why, c.want, c.why)
		}
	}
}
