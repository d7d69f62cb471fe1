package env

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestClockIsTheSystemsUnlessItIsSet: the zero value waits and counts in the system's time, and a clock
// with its own date uses it everywhere.
func TestClockIsTheSystemsUnlessItIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Clock
		begin, watch, rings := c.Now(), c.Watch(), 0
		c.AfterFunc(time.Second, func() { rings++ })
		c.Sleep(3 * time.Second)
		if rings != 1 || c.Since(begin) != 3*time.Second || watch() != 3 || c.Until(begin.Add(5*time.Second)) != 2*time.Second {
			t.Errorf("%d rings, since %s, watch %g", rings, c.Since(begin), watch())
		}
		if at := <-c.After(time.Second); at.Sub(begin) != 4*time.Second {
			t.Errorf("after %s", at.Sub(begin))
		}
		tick := c.NewTicker(time.Second)
		defer tick.Stop()
		<-tick.C
		if <-tick.C; c.Since(begin) != 6*time.Second {
			t.Errorf("two ticks end at %s", c.Since(begin))
		}
		if <-c.NewTimer(time.Minute).C; c.Since(begin) != 66*time.Second {
			t.Errorf("the timer rings at %s", c.Since(begin))
		}
	})
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now := day
	c := Clock{Read: func() time.Time { return now }}
	watch := c.Watch()
	now = now.Add(90 * time.Second)
	if c.Since(day) != 90*time.Second || watch() != 90 || !c.Now().Equal(now) || c.Until(day) != -90*time.Second {
		t.Errorf("since %s, watch %g, now %s", c.Since(day), watch(), c.Now())
	}
}

// TestTimesStayMonotonic: a change of the date must not affect a difference.
func TestTimesStayMonotonic(t *testing.T) {
	now := Clock{}.Now()
	if now == now.Round(0) {
		t.Errorf("%v has no monotonic reading", now)
	}
}

// BenchmarkWatch compares Watch, as used by a loop of I/Os, with time.Since itself, both through a
// struct field as in such a loop, alternately: the fastest of many short batches is the actual cost on
// a machine with other users.
func BenchmarkWatch(b *testing.B) {
	begin := time.Now()
	loops := map[string]*struct{ now func() float64 }{
		"time.Since":  {func() float64 { return time.Since(begin).Seconds() }},
		"Clock.Watch": {Clock{}.Watch()},
	}
	const batch = 2000
	least := map[string]time.Duration{}
	for b.Loop() {
		for name, l := range loops {
			at := time.Now()
			for range batch {
				_ = l.now()
			}
			if took := time.Since(at) / batch; least[name] == 0 || took < least[name] {
				least[name] = took
			}
		}
	}
	for name, took := range least {
		b.ReportMetric(float64(took.Nanoseconds()), name+"-ns")
	}
}
