package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestCausesSayEachReasonOnce(t *testing.T) {
	quota := model.RefusedError("the quota does not allow it", "ask for less")
	err := causes(t.Context(), errors.Join(quota, fmt.Errorf("waiting: %w", context.Canceled), model.RefusedError("the quota does not allow it", "ask for less")))
	if strings.Count(err.Error(), "quota") != 1 || strings.Contains(err.Error(), "waiting") || !errors.Is(err, quota) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := causes(ctx, errors.Join(context.Canceled)); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt became %v", err)
	}
}

func TestSayOnce(t *testing.T) {
	var said []string
	say := sayOnce(func(s string) { said = append(said, s) })
	for _, s := range []string{"a", "b", "a"} {
		say(s)
	}
	if strings.Join(said, "") != "ab" {
		t.Errorf("%q", said)
	}
}
