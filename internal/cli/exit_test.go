package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/loadline/loadline/internal/env"
)

// closed is a standard output that nobody reads any more.
type closed struct{ path string }

func (c closed) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: c.path, Err: syscall.EPIPE}
}

// Whoever closes the output, such as head, needs no message. Another file, or another error beside it, is reported.
func TestAClosedOutputIsNoError(t *testing.T) {
	for path, want := range map[string]int{"/dev/stdout": exitUnread, "/srv/fifo": exitFailed} {
		for _, args := range []string{"licenses", "licenses --list"} {
			var said strings.Builder
			e := env.OS()
			e.Args, e.Stdout, e.Stderr = strings.Fields(args), closed{path}, &said
			if code := Run(t.Context(), e); code != want || (said.Len() > 0) != (want == exitFailed) {
				t.Errorf("%s to %s: exit code %d, %q", args, path, code, said.String())
			}
		}
	}
	_, err := closed{"/dev/stdout"}.Write(nil)
	if other := errors.New("x"); !env.Unread(fmt.Errorf("the checks: %w", err)) || env.Unread(errors.Join(err, other)) || env.Unread(other) || !env.Unread(errors.Join(err, err)) {
		t.Error("an error beside the closed output is not seen")
	}
}
