package session

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// keeping is a place that cannot remove what it made.
type keeping struct{ place.Place }

func (k keeping) Put(ctx context.Context, a place.Assignment) (*place.Worker, error) {
	w, err := k.Place.Put(ctx, a)
	if err == nil {
		w.Link = keptLink{w.Link}
	}
	return w, err
}

type keptLink struct{ io.ReadWriteCloser }

func (l keptLink) Close() error {
	return errors.Join(l.ReadWriteCloser.Close(), &model.LeftError{WorkerError: model.BrokenError("claim n/c could not be removed", "kubectl delete pvc c")})
}

// Whoever declines is told what stays behind.
func TestWhatStaysIsToldIfARunDoesNotBegin(t *testing.T) {
	kept := slices.Clone(registry)
	t.Cleanup(func() { registry = kept })
	registry = append([]factory{{name: "keeping", serves: func(*Places, model.Target) bool { return true }, open: func(o *Places, e *env.Env, by placeOptions) (place.Place, error) {
		at, err := openHere(o, e, by)
		return keeping{at}, err
	}}}, registry...)
	declined := errors.New("declined")
	_, one := (&Places{}).Run(t.Context(), env.OS(), simulated(t, profile.Name, "fake:?iops=3000", ""), Saving{Results: t.TempDir(), Audience: &follower{refuses: declined}})
	_, two := (&Places{}).RunPair(t.Context(), env.OS(), simulated(t, profile.Comparison, "fake:?iops=3000", "fake:?iops=6000"), Saving{Results: t.TempDir(), Audience: &follower{refuses: declined}})
	for name, err := range map[string]error{"run": one, "pair": two} {
		var left *model.LeftError
		if !errors.Is(err, declined) || !errors.As(err, &left) || strings.Count(err.Error(), "claim n/c") != map[string]int{"run": 1, "pair": 2}[name] {
			t.Errorf("%s: %v", name, err)
		}
	}
}
