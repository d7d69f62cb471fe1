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
