package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// lefts returns an observer that writes down the time that is left when repeats begin and end, in seconds.
func lefts(list *[]string) Observer {
	return observed(func(u model.Update) {
		if u.Step != nil || u.Result != nil {
			*list = append(*list, fmt.Sprintf("%.1f", u.Left))
		}
	})
}

// still is a clock that stands: the repeats of scripted agents take no real time.
func still() time.Time { return time.Unix(0, 0) }

// The time that is left is that of the repeats that follow. Each takes 2.5 s.
func TestTimeLeftIsNoLongerThanWhatFollows(t *testing.T) {
	once := func(mode model.Mode) model.Plan {
		p := plan(1000, "a", "b", "c")
		p.Schedule.Mode, p.Schedule.MinRounds, p.Steps = mode, 1, p.Steps[:3]
		return p
	}
	for name, c := range map[string]struct {
		plan model.Plan
		want string
	}{
		// No further round follows, though no workload of one repeat ever converges.
		"a fixed time": {once(model.Fixed), "7.5 5.0 5.0 2.5 2.5 0.0"},
		"until steady": {once(model.Steady), "7.5 5.0 5.0 2.5 2.5 0.0"},
		// Another repeat of both, or of one of them, fits after the four that are certain; then there is time left, but not enough.
		"rounds":           {plan(16, "a", "b"), "10.0 7.5 7.5 5.0 5.0 2.5 7.5 5.0 5.0 2.5 2.5 0.0"},
		"rounds cut short": {plan(13, "a", "b"), "10.0 7.5 7.5 5.0 5.0 2.5 5.0 2.5 2.5 0.0"},
	} {
		w, _ := connected(t, steady)
		var list []string
		_, err := Execute(t.Context(), Options{Plan: c.plan, Workers: []*Worker{w}, Judge: needs{"a": 99, "b": 99, "c": 99}, Scheduler: inOrder{}, Recorder: &memory{},
			Observer: lefts(&list), Now: still})
		if got := strings.Join(list, " "); err != nil || got != c.want {
			t.Errorf("%s: left are\n%s, want\n%s, %v", name, got, c.want, err)
		}
	}
}

// The second repeat of a block is left until it begins. After the last certain block one more follows, if there is time for it.
func TestTimeLeftIncludesTheRestOfTheBlock(t *testing.T) {
	for most, want := range map[float64]string{
		1000: "10.0 7.5 7.5 5.0 10.0 7.5 7.5 5.0 10.0 7.5 7.5 0.0",
		16:   "10.0 7.5 7.5 5.0 10.0 7.5 7.5 5.0 5.0 2.5 2.5 0.0",
		13:   "10.0 7.5 7.5 5.0 5.0 2.5 2.5 0.0",
	} {
		s := paired(t, plan(most, "a"), wants{"a": 3}, steady, steady)
		var list []string
		s.options.Observer, s.options.Now = lefts(&list), still
		_, err := Compare(t.Context(), s.options)
		if got := strings.Join(list, " "); err != nil || got != want {
			t.Errorf("of at most %g s are left\n%s, want\n%s, %v", most, got, want, err)
		}
	}
}
