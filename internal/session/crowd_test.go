package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
)

// TestAlternateLoadsNodesInTurn: of the first k workers no node has more than one
// beyond any other that still has some.
func TestAlternateLoadsNodesInTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 12).Draw(t, "nodes")
		all := make([]member, len(nodes))
		has := map[string]int{}
		for i, n := range nodes {
			all[i].at = &placed{cluster: &model.Cluster{Node: n}}
			has[n]++
		}
		alternate(all)
		got := map[string]int{}
		for k, m := range all {
			node := m.at.cluster.Node
			got[node]++
			for other := range has {
				if got[other] < has[other] && got[other] < got[node]-1 {
					t.Fatalf("after %d of %v: %v", k+1, nodes, got)
				}
			}
		}
		for n := range has {
			if got[n] != has[n] {
				t.Fatalf("%v of %v", got, has)
			}
		}
	})
}

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

func TestErrorsNameWhatTheUserNamed(t *testing.T) {
	at := &placed{target: model.Target{Name: "pvc:prod/data", Path: "/volume"}, cluster: &model.Cluster{}}
	err := at.named(model.RefusedError("/volume cannot be written", "hint"))
	var w *model.WorkerError
	if !errors.As(err, &w) || w.Message != "pvc:prod/data cannot be written" || w.Hint != "hint" || w.Class != model.Refused {
		t.Errorf("%#v", err)
	}
	here := &placed{target: model.Target{Name: "x", Path: "/volume"}}
	if err := here.named(errors.New("/volume is gone")); err.Error() != "/volume is gone" {
		t.Errorf("%v", err)
	}
}
