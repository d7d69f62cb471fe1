package usage

import (
	"errors"
	"fmt"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// Of several errors the first that says what to do is followed, wherever it is.
func TestTheHintOfSeveralErrors(t *testing.T) {
	plain, silent := errors.New("the server ended"), model.BrokenError("the server ended", "")
	hinted := model.BrokenError("the schema stays", "loadline cleanup X")
	for _, x := range []struct {
		err  error
		want string
	}{
		{nil, ""}, {plain, ""}, {silent, ""}, {hinted, "loadline cleanup X"},
		{errors.Join(plain, hinted), "loadline cleanup X"},
		{errors.Join(silent, fmt.Errorf("at the end: %w", hinted)), "loadline cleanup X"},
		{fmt.Errorf("%w; and %w", silent, hinted), "loadline cleanup X"},
		{errors.Join(Error{plain, "loadline --help"}, hinted), "loadline --help"},
	} {
		if got := Hint(x.err); got != x.want {
			t.Errorf("%v: %q, want %q", x.err, got, x.want)
		}
	}
}
