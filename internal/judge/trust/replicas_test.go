package trust

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// replicated is a sound run on a volume of three replicas, for which the storage system reported these
// changes. A repeat begins every 5 s from the fifth second on and takes 4.2 s: ten of rand-read-iops,
// then ten of rand-write-iops, and so on.
func replicated(looks ...model.Copies) Evidence {
	ev := sound()
	told(&ev, 3)
	for i := range looks {
		looks[i].Of = 3
	}
	ev.Recorded.Run.Beside.Copies = looks
	return ev
}

func TestReplicasAreWatched(t *testing.T) {
	one := sound()
	told(&one, 1)
	for name, c := range map[string]struct {
		ev   Evidence
		want []string
		says string
	}{
		"no cluster":   {ev: sound()},
		"one replica":  {ev: one},
		"all of them":  {replicated(model.Copies{Count: 3}), []string{"passed rand-read-iops,rand-write-iops,rand-read-lat,rand-read-rate"}, "all 3 replicas took part"},
		"nobody tells": {replicated(), []string{"not-checked "}, "did not report"},
		"one lost and rebuilt": {replicated(model.Copies{Count: 3}, model.Copies{At: 12, Since: 9, Count: 2}, model.Copies{At: 25, Since: 22, Count: 3}),
			[]string{"warning rand-read-iops", "passed rand-write-iops,rand-read-lat,rand-read-rate"}, "degraded: replicas 3 → 2 → 3 (2 from 12 s on, 3 from 25 s on)"},
		"lost between repeats": {replicated(model.Copies{Count: 3}, model.Copies{At: 3, Since: 1, Count: 2}, model.Copies{At: 4.5, Since: 4, Count: 3}),
			[]string{"passed rand-read-iops,rand-write-iops,rand-read-lat,rand-read-rate"}, "all 3"},
		"never whole": {replicated(model.Copies{Count: 2}), []string{"warning rand-read-iops,rand-write-iops,rand-read-lat,rand-read-rate"}, "2 of 3 replicas took part"},
		"lost and not rebuilt": {replicated(model.Copies{Count: 3}, model.Copies{At: 80, Since: 77, Count: 2}),
			[]string{"warning rand-write-iops,rand-read-lat,rand-read-rate", "passed rand-read-iops"}, "replicas 3 → 2 (2 from "},
	} {
		t.Run(name, func(t *testing.T) {
			var got, said []string
			for _, f := range Check(c.ev) {
				if f.Rule == ruleReplicas.Name {
					got, said = append(got, string(f.Severity)+" "+strings.Join(f.Results, ",")), append(said, f.Message)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c.says != "" && !slices.ContainsFunc(said, func(m string) bool { return strings.Contains(m, c.says) }) {
				t.Errorf("%q lacks %q", said, c.says)
			}
		})
	}
}

func TestEachVolumesReplicasAreNamed(t *testing.T) {
	ev := soundMultiVolume()
	ev.Recorded.Environment.Cluster = &model.Cluster{Backing: &model.Backing{Replicas: 3}}
	ev.Recorded.Run.Beside.Copies = []model.Copies{{Worker: 0, Count: 3, Of: 3}, {Worker: 1, Count: 2, Of: 3}}
	findings := checkReplicas(ev)
	if len(findings) == 0 || findings[0].Severity != model.SeverityWarning || !strings.Contains(findings[0].Message, "degraded: volume 2: 2 of 3 replicas took part") {
		t.Errorf("%+v", findings)
	}
}
