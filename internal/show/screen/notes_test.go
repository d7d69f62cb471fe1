package screen

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// What is removed at once needs no remark; for seconds of silence after the report there is a reason.
func TestALongRemovalIsAnnounced(t *testing.T) {
	failed := errors.New("still mounted")
	for _, c := range []struct {
		takes time.Duration
		quiet bool
		want  string
	}{
		{takes: 900 * time.Millisecond},
		{takes: 5 * time.Second, want: "note    removing the data that was written for the measurement\n"},
		{takes: 5 * time.Second, quiet: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			err := UntilRemoved(&env.Env{Stderr: &out}, c.quiet, func() error { time.Sleep(c.takes); return failed })
			if out.String() != c.want || !errors.Is(err, failed) {
				t.Errorf("after %s: %q, %v", c.takes, out.String(), err)
			}
		})
	}
}
