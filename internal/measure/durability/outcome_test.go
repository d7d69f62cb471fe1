package durability

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestStatements(t *testing.T) {
	power := model.Cut{Kind: model.CutCommand, Noticed: true, Acknowledged: 2000}
	with := func(c model.Cut, change func(*model.Cut)) []model.Cut {
		change(&c)
		return []model.Cut{c}
	}
	for name, c := range map[string]struct {
		sync   string
		memory bool
		cuts   []model.Cut
		result model.DurabilityResult
		words  string
		bound  float64
	}{
		"twelve clean cuts": {syncFlush, false, slices.Repeat([]model.Cut{power}, 12), model.DurabilityClean, "12 of 12 clean cuts: loss probability below 25 % (3/12) at 95 %", 0.25},
		"three clean cuts":  {syncFlush, false, slices.Repeat([]model.Cut{power}, 3), model.DurabilityClean, "3 of 3 clean cuts: loss probability below 100 % (3/3, at most 1) at 95 %, which is no bound yet", 1},
		"killed servers":    {syncFUA, false, slices.Repeat([]model.Cut{{Kind: model.CutProcess, Noticed: true}}, 6), model.DurabilityClean, "6 of 6 clean cuts: loss probability below 50 % (3/6) at 95 %", 0.5},
		"a killed server adds nothing to power cuts": {syncFUA, false, append(slices.Repeat([]model.Cut{power}, 4), model.Cut{Kind: model.CutProcess, Noticed: true}),
			model.DurabilityClean, "4 of 4 clean cuts: loss probability below 75 % (3/4) at 95 %", 0.75},
		"an unnoticed cut is not counted": {syncFUA, false, append(slices.Repeat([]model.Cut{power}, 4), model.Cut{Kind: model.CutCommand}),
			model.DurabilityClean, "4 of 4 clean cuts: loss probability below 75 % (3/4) at 95 %", 0.75},
		"lost writes":     {syncFlush, false, with(power, func(c *model.Cut) { c.Lost, c.LostBlocks = 2000, 100 }), model.DurabilityLostWrites, "LOST WRITES: 2000 flushed writes lost", 0},
		"a single lie":    {syncFlush, false, append(slices.Repeat([]model.Cut{power}, 99), with(power, func(c *model.Cut) { c.Lost = 1 })...), model.DurabilityLostWrites, "LOST WRITES: 1 flushed write lost", 0},
		"lost by a kill":  {syncFsync, false, []model.Cut{{Kind: model.CutWriter, Noticed: true, Lost: 3}}, model.DurabilityLostWrites, "LOST WRITES: 3 flushed writes lost", 0},
		"lost, unnoticed": {syncFsync, false, []model.Cut{{Kind: model.CutCommand, Lost: 3, Torn: 1}}, model.DurabilityLostWrites, "LOST WRITES: 3 flushed writes lost, and 1 torn block", 0},
		"corrupt": {syncFlush, false, with(power, func(c *model.Cut) { c.Torn, c.Foreign, c.Unstable, c.Unreadable = 1, 2, 3, 4 }), model.DurabilityCorrupt,
			"CORRUPT: 1 torn block, 2 foreign blocks, 3 blocks that read differently each time, 4 unreadable blocks", 0},
		"no promise":            {syncNone, false, with(power, func(c *model.Cut) { c.Lost, c.Torn = 1990, 3 }), model.DurabilityUnproven, "unproven: nothing was flushed, so nothing was promised; 1990 of 2000 unflushed writes lost", 0},
		"foreign sans promise":  {syncNone, false, with(power, func(c *model.Cut) { c.Foreign = 1 }), model.DurabilityCorrupt, "CORRUPT: 1 foreign block", 0},
		"kills of the writer":   {syncFsync, false, slices.Repeat([]model.Cut{{Kind: model.CutWriter, Noticed: true}}, 30), model.DurabilityUnproven, "unproven: nothing was lost in 30 kills of the writer, which says little about a loss of power", 0},
		"nobody noticed":        {syncFsync, false, []model.Cut{{Kind: model.CutCommand}}, model.DurabilityUnproven, "unproven: nothing was lost, but the writer noticed none of 1 cut: nothing shows that there was one", 0},
		"memory":                {syncFsync, true, slices.Repeat([]model.Cut{power}, 30), model.DurabilityUnproven, "unproven: this is memory, which a loss of power empties", 0},
		"nothing was cut":       {syncFsync, false, nil, model.DurabilityUnproven, "unproven: nothing was checked after a cut", 0},
		"the machine went down": {syncFsync, false, slices.Repeat([]model.Cut{{Kind: model.CutReboot, Noticed: true}}, 5), model.DurabilityClean, "5 of 5 clean cuts: loss probability below 60 % (3/5) at 95 %", 0.6},
	} {
		h := &header{Sync: c.sync, Environment: model.Environment{Storage: model.Storage{Memory: c.memory}}}
		d := model.Durability{Cuts: c.cuts}
		conclude(h, &d)
		if d.Result != c.result || d.Statement != c.words || d.Proves == "" {
			t.Errorf("%s: %s, %q, proves %q", name, d.Result, d.Statement, d.Proves)
		}
		if (d.Bound == nil) != (c.bound == 0) || d.Bound != nil && *d.Bound != c.bound {
			t.Errorf("%s: bound %v", name, d.Bound)
		}
		said := d.Statement + d.Proves
		for _, f := range findings(h, c.cuts) {
			said += f.Message + f.Next
			wrong := f.Severity == model.SeverityInvalid
			if wrong && c.result != model.DurabilityLostWrites && c.result != model.DurabilityCorrupt {
				t.Errorf("%s: finding %s is invalid", name, f.Rule)
			}
		}
		if strings.Contains(strings.ToLower(said), "safe.") || strings.Contains(strings.ToLower(said), " safe ") {
			t.Errorf("%s claims safety: %s", name, said)
		}
	}
}

// Cuts that take the power from this machine's disks, and leave its memory, prove nothing of a mirror with a part in memory.
func TestAPartInMemoryIsUnproven(t *testing.T) {
	h := &header{Sync: syncFlush, Environment: model.Environment{Storage: model.Storage{MemoryPart: "ram0"}}}
	cuts := slices.Repeat([]model.Cut{{Kind: model.CutCommand, Noticed: true}}, 12)
	d := model.Durability{Cuts: cuts}
	conclude(h, &d)
	if d.Result != model.DurabilityUnproven || !strings.Contains(d.Statement, "ram0, part of the target, is memory") {
		t.Errorf("%s, %q", d.Result, d.Statement)
	}
	if !slices.ContainsFunc(findings(h, cuts), func(f model.Finding) bool { return f.Rule == "memory" && f.Severity == model.SeverityWarning }) {
		t.Error("no finding says so")
	}
}

// How the end of a phase is classified decides what it proves.
func TestCutHead(t *testing.T) {
	at := func(boot string) *state {
		return &state{phases: []phase{{write: writeEntry{Cut: 1, Boot: boot}}}}
	}
	ordered := at("a")
	ordered.phases[0].cutting = &cuttingEntry{Kind: model.CutCommand, What: "reset"}
	felt := at("a")
	felt.phases[0].cutting, felt.phases[0].cut = ordered.phases[0].cutting, &cutEntry{Noticed: true, Words: "EIO"}
	told := at("a")
	told.end = &endEntry{Status: model.Interrupted}
	toldAndOrdered := at("a")
	toldAndOrdered.phases[0].cutting, toldAndOrdered.end = ordered.phases[0].cutting, told.end
	on := func(t model.Target, filesystem string) *state {
		s := at("a")
		s.header.Target, s.header.Environment.Storage.Filesystem = t, filesystem
		return s
	}
	for name, c := range map[string]struct {
		s       *state
		boot    string
		kind    model.CutKind
		noticed bool
	}{
		"killed":                             {at("a"), "a", model.CutWriter, true},
		"gone down":                          {at("a"), "b", model.CutReboot, true},
		"a server elsewhere":                 {on(model.Target{Kind: model.NBD, URI: "nbd://10.0.0.7/vol"}, ""), "b", model.CutWriter, true},
		"a server in this machine":           {on(model.Target{Kind: model.NBD, URI: "nbd://localhost/vol"}, ""), "b", model.CutReboot, true},
		"a socket in this machine":           {on(model.Target{Kind: model.NBD, URI: "nbd+unix:///vol?socket=/s"}, ""), "b", model.CutReboot, true},
		"a filesystem elsewhere":             {on(model.Target{Kind: model.Directory}, "nfs4"), "b", model.CutWriter, true},
		"a filesystem here":                  {on(model.Target{Kind: model.Directory}, "ext4"), "b", model.CutReboot, true},
		"boots unknown":                      {at(""), "b", model.CutWriter, true},
		"an orderly shutdown":                {told, "b", model.CutReboot, false},
		"the command took the machine":       {ordered, "b", model.CutCommand, true},
		"killed after the command had begun": {ordered, "a", model.CutCommand, false},
		"felt before the end":                {felt, "a", model.CutCommand, true},
		"the command shut down in order":     {toldAndOrdered, "b", model.CutCommand, false},
	} {
		if cut := c.s.cutHead(c.boot); cut.Kind != c.kind || cut.Noticed != c.noticed || cut.What == "" {
			t.Errorf("%s: %+v", name, cut)
		}
	}
}
