package stats

import "testing"

// Each row is a difference in I/Os per second, over two times in seconds.
func TestWhatCountingWholeIOsExplains(t *testing.T) {
	for _, c := range []struct {
		counting   Counting
		a, timeA   float64
		b, timeB   float64
		want       bool
		difference string
	}{
		{Counting{}, 6, 2, 5, 18, true, "one I/O a second more, for two seconds"},
		{Counting{}, 6, 30, 5, 30, false, "the same for half a minute"},
		{Counting{}, 4, 1, 5, 1, true, "two neighbouring counts"},
		{Counting{}, 550, 3, 500, 3, false, "a tenth of 500"},
		{Counting{}, 550, 1, 500, 1, false, "a tenth of 500, in single seconds"},
		{Counting{Workers: 10}, 7.7, 1, 11.2, 1, true, "ten volumes of one I/O a second"},
		{Counting{Workers: 1}, 7.7, 1, 11.2, 1, false, "one volume"},
		{Counting{Workers: 10}, 550, 1, 500, 1, false, "ten volumes"},
		{Counting{Random: true}, 3, 1, 8, 1, true, "random arrivals"},
		{Counting{Random: true}, 3, 30, 8, 30, false, "random arrivals for half a minute"},
	} {
		if got := c.counting.Explains(c.a, c.timeA, c.b, c.timeB); got != c.want {
			t.Errorf("%s: explained is %v", c.difference, got)
		}
	}
}

func TestCountsHaveNoLevels(t *testing.T) {
	few := []float64{6, 6, 6, 6, 6, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}
	if s := Level(few); s.Fell || s.Lower {
		t.Errorf("one I/O a second less is a fall: %+v", s)
	}
	many := make([]float64, len(few))
	for i, v := range few {
		many[i] = 100 * v
	}
	if s := Level(many); !s.Fell {
		t.Errorf("100 I/Os a second less are none: %+v", s)
	}
	for name, look := range map[string]func([]float64) int{"LateFall": LateFall, "LateRise": LateRise, "SlowStart": SlowStart, "FastStart": FastStart} {
		y := make([]float64, 20)
		for i := range y {
			y[i] = 2
		}
		if name == "SlowStart" {
			y[0], y[1] = 1, 1
		} else if name == "FastStart" {
			y[0], y[1] = 3, 3
		} else if name == "LateFall" {
			y[18], y[19] = 1, 1
		} else {
			y[18], y[19] = 3, 3
		}
		if at := look(y); at != 0 {
			t.Errorf("%s finds a change by one I/O at %d", name, at)
		}
		for i := range y {
			y[i] *= 1000
		}
		if look(y) == 0 {
			t.Errorf("%s does not find one by 1000 I/Os", name)
		}
	}
}

func TestWhichModesCountingExplains(t *testing.T) {
	for _, c := range []struct {
		counting  Counting
		low, high float64
		want      bool
	}{
		{Counting{}, 4, 5, true}, {Counting{}, 4, 6, false}, {Counting{Workers: 6}, 7.69, 11.2, true}, {Counting{Random: true}, 3, 8, true},
		{Counting{}, 500, 550, false}, {Counting{Workers: 10}, 500, 550, false}, {Counting{Random: true}, 500, 580, false},
	} {
		if got := c.counting.ExplainsModes(c.low, c.high); got != c.want {
			t.Errorf("%+v, %g and %g: %v", c.counting, c.low, c.high, got)
		}
	}
}
