package store

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/waits"
)

// TestCountsThatCannotBeAreLeftOut: a hand-edited record does not make any sum infinite.
func TestCountsThatCannotBeAreLeftOut(t *testing.T) {
	for name, plant := range map[string]func(*model.AppCounts){
		"":                  func(*model.AppCounts) {},
		"nothing was done":  func(c *model.AppCounts) { *c = model.AppCounts{} },
		"many transactions": func(c *model.AppCounts) { c.Transactions = math.MaxUint64 },
		"no time":           func(c *model.AppCounts) { c.Seconds = 1e-300 },
		"much time":         func(c *model.AppCounts) { c.Seconds = 1e308 },
		"below nothing":     func(c *model.AppCounts) { *c.Flushes = -1 },
		"much log":          func(c *model.AppCounts) { c.LogBytes = c.FlushSeconds; *c.LogBytes = 1e300 },
		"a processor":       func(c *model.AppCounts) { c.Processor = &model.AppProcessor{Seconds: 1, ServerCPU: 1e308} },
		"a bucket":          func(c *model.AppCounts) { c.FlushTimes = [][2]float64{{0.001, -7}} },
		"an answer":         func(c *model.AppCounts) { c.Waits = &waits.Sampled{Spent: -1} },
		"a session":         func(c *model.AppCounts) { c.Waits = &waits.Sampled{Sessions: -1} },
	} {
		flushes, seconds := 100.0, 0.5
		c := &model.AppCounts{Transactions: 100, Seconds: 1, Flushes: &flushes, FlushSeconds: &seconds}
		plant(c)
		rec := &model.Recorded{Run: model.Run{Steps: []model.StepResult{{App: c}}}}
		dropCounts(rec)
		if good := name == "" || name == "nothing was done"; (rec.Run.Steps[0].App != nil) != good || len(rec.Damage) > 0 == good {
			t.Errorf("%s: %+v %q", name, rec.Run.Steps[0].App, rec.Damage)
		}
	}
}

// Shares of the processors' time that none can be are left out, and so is what was counted in no time.
func TestImpossibleProcessorTime(t *testing.T) {
	for _, c := range []model.Counters{{Idle: -1}, {Idle: 1.01}, {Steal: math.NaN()}, {IOWait: -1e300}, {BusiestCPU: 2}, {OwnCPU: -1}, {Throttled: math.Inf(1)}} {
		rec := &model.Recorded{Run: model.Run{Steps: []model.StepResult{{Counters: &c}}, Beside: model.Beside{Idle: &c}}}
		dropCounts(rec)
		if rec.Run.Steps[0].Counters != nil || rec.Run.Beside.Idle != nil || len(rec.Damage) != 2 {
			t.Errorf("%+v: %q", c, rec.Damage)
		}
	}
	fine := model.Counters{Seconds: 3, Idle: 0.5, Steal: 0.25, IOWait: 0.25, BusiestCPU: 1, OwnCPU: 6}
	none := &model.AppCounts{Transactions: 10, Seconds: 1, Processor: &model.AppProcessor{ServerCPU: 1}}
	rec := &model.Recorded{Run: model.Run{Steps: []model.StepResult{{Counters: &fine, App: none}}, Beside: model.Beside{Idle: &fine}}}
	dropCounts(rec)
	if rec.Run.Steps[0].Counters == nil || rec.Run.Beside.Idle == nil || len(rec.Damage) > 0 || rec.Run.Steps[0].App.Processor != nil {
		t.Errorf("%+v %q", rec.Run.Steps[0], rec.Damage)
	}
}
