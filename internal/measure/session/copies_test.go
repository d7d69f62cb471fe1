package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// Only the first answer and the changes are recorded, each with the time of the last answer before it;
// after a failed request there is another one.
func TestCopiesAreWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := []int{3, 3, -1, 2, 2, 3}
		asked := 0
		count := func(context.Context) (int, error) {
			n := answers[min(asked, len(answers)-1)]
			asked++
			if n < 0 {
				return 0, errors.New("nobody answers")
			}
			return n, nil
		}
		var got []model.Copies
		stop := watchCopies([]copiesOf{{}, {count: count, of: 3}}, time.Now, func(b model.Beside) error {
			got = append(got, b.Copies...)
			return nil
		})
		time.Sleep(20 * time.Second)
		stop()
		ended := asked
		time.Sleep(time.Minute)
		if asked != ended {
			t.Error("it goes on asking")
		}
		want := []model.Copies{{Worker: 1, At: 0.2, Count: 3, Of: 3}, {Worker: 1, At: 9.2, Since: 3.2, Count: 2, Of: 3}, {Worker: 1, At: 15.2, Since: 12.2, Count: 3, Of: 3}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
