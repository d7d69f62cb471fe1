package fio

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// The cost of watching fio: for a run of many small I/Os, processing the status documents must take
// less than 2 % of a core.
func TestRealOverhead(t *testing.T) {
	d := New(env.OS())
	if _, err := d.find(); err != nil {
		t.Skip("skipped: fio is not installed")
	}
	v := on(lab.Plain(t), 16<<20)
	w := randRead
	w.Depth = 16
	used := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	lab.UpToThree(t, func() (wrong []string) {
		// Watching this machine, which UpToThree does, costs something as well.
		before, begin := used(), time.Now()
		time.Sleep(time.Second)
		watching := (used() - before) / time.Since(begin).Seconds()
		before, begin = used(), time.Now()
		r, err := d.Run(context.Background(), request(v, w, 3), load.BeginNow, func(model.Event) {})
		if err != nil || r.Error != "" {
			t.Fatalf("%+v, %v", r, err)
		}
		share := (used()-before)/time.Since(begin).Seconds() - watching
		t.Logf("%.2f %% of a core, and %.2f %% for watching this machine", share*100, watching*100)
		if share > 0.02 {
			wrong = append(wrong, fmt.Sprintf("%.1f %% of a core", share*100))
		}
		return wrong
	})
}
