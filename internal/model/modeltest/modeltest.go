// Package modeltest has helpers for testing errors of package model. Its assumptions: the test of a
// refusal checks its class and its text, because exit codes and people rely on them.
package modeltest

import (
	"errors"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// Refused returns the refusal that an error must be, with these words in its message or hint. Any other
// error, or none, fails the test.
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
