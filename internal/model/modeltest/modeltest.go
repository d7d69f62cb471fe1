// Package modeltest asks in tests for what the model promises of an error. Its opinion: a
// test of a refusal asks for its class and its words, since exit codes and people rely on them.
package modeltest

import (
	"errors"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// Refused returns the refusal that an error must be, with these words in its message or in
// what it says to do next. Another error, or none, ends the test.
func Refused(t testing.TB, err error, words ...string) *model.WorkerError {
	t.Helper()
	var refused *model.WorkerError
	if !errors.As(err, &refused) || refused.Class != model.Refused {
		t.Fatalf("%v; want a refusal with %q", err, words)
	}
	for _, w := range words {
		if !strings.Contains(refused.Message+" → "+refused.Hint, w) {
			t.Errorf("%q → %q lacks %q", refused.Message, refused.Hint, w)
		}
	}
	return refused
}
