package pods

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/cluster/kube"
)

// TestIdentityOnAClaim: on someone else's volume the worker runs as the user that was specified or that the
// pods using it state, never as root unless asked to, and nothing is given to its group.
func TestIdentityOnAClaim(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	db := kube.User{Name: "db", As: kube.Stated{User: n(999), Group: n(998), Groups: []int64{5}, Level: "s0:c1"}}
	ours := kube.User{Name: "w", Run: "r", As: kube.Stated{User: n(7)}}
	root := kube.User{Name: "root", As: kube.Stated{User: n(0), Group: n(0)}}
	for name, c := range map[string]struct {
		as    As
		users []kube.User
		want  kube.Identity
		words string
	}{
		"nobody uses it":      {},
		"as its user":         {users: []kube.User{db}, want: kube.Identity{User: n(999), Group: n(998), Groups: []int64{5}, Level: "s0:c1"}, words: "user 999, group 998, with the group 5, like the pod db"},
		"as two of one kind":  {users: []kube.User{db, {Name: "db2", As: db.As}}, want: kube.Identity{User: n(999), Group: n(998), Groups: []int64{5}, Level: "s0:c1"}, words: "like the pods db and db2"},
		"two that differ":     {users: []kube.User{db, root}},
		"root is not taken":   {users: []kube.User{root}},
		"another run of ours": {users: []kube.User{ours}},
		"beside one of ours":  {users: []kube.User{ours, db}, want: kube.Identity{User: n(999), Group: n(998), Groups: []int64{5}, Level: "s0:c1"}, words: "like the pod db"},
		"a group only":        {users: []kube.User{{Name: "g", As: kube.Stated{Groups: []int64{2000}}}}, want: kube.Identity{Groups: []int64{2000}}, words: "user 10001, group 10001, with the group 2000"},
		"nothing stated":      {users: []kube.User{{Name: "p"}}},
		"the user's word":     {as: As{User: n(26), Group: n(27)}, users: []kube.User{db}, want: kube.Identity{User: n(26), Group: n(27), Level: "s0:c1"}},
		"a user's group":      {as: As{User: n(26)}, want: kube.Identity{User: n(26), Group: n(26)}},
		"root by their word":  {as: As{User: n(0)}, users: []kube.User{db}, want: kube.Identity{User: n(0), Group: n(0), Level: "s0:c1"}},
		"fs-group":            {as: As{FSGroup: n(42), Level: "s0:c9"}, users: []kube.User{db}, want: kube.Identity{User: n(999), Group: n(998), Groups: []int64{5}, FSGroup: n(42), Level: "s0:c9"}, words: "like the pod db"},
		"root's fs-group":     {as: As{FSGroup: n(0)}, want: kube.Identity{FSGroup: n(0)}},
	} {
		t.Run(name, func(t *testing.T) {
			got, words := c.as.foreign(c.users)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if (words == "") != (c.words == "") || !strings.Contains(words, c.words) {
				t.Errorf("%q, not %q", words, c.words)
			}
		})
	}
	if own := (As{User: n(5)}).own(); *own.FSGroup != kube.WorkerID || *own.User != 5 {
		t.Errorf("%+v", own)
	}
}

// TestGroupZeroIsRecorded: group 0 given to a volume is recorded, on one made for the run and on another's,
// and is told apart from no group.
func TestGroupZeroIsRecorded(t *testing.T) {
	asked := As{FSGroup: new(int64)}
	foreign, _ := asked.foreign(nil)
	for want, id := range map[string]kube.Identity{
		`{"user":10001,"group":10001}`:                  {},
		`{"user":10001,"group":10001,"fs_group":10001}`: As{}.own(),
		`{"user":10001,"group":10001,"fs_group":0}`:     foreign,
	} {
		if got, err := json.Marshal(recorded(id)); err != nil || string(got) != want {
			t.Errorf("%s, not %s (%v)", got, want, err)
		}
	}
	if diff := cmp.Diff(foreign, asked.own()); diff != "" {
		t.Error(diff)
	}
}

// TestRunsOfOneSecondHaveTheirOwnNames: random characters distinguish two runs that started together, and
// fit into a label with a suffix.
func TestRunsOfOneSecondHaveTheirOwnNames(t *testing.T) {
	id := "20261121-060134-" + strings.Repeat("long-", 20)
	a, b := Mark(id, "here/1"), Mark(id, "here/1")
	if a.Run == b.Run || a.Token == b.Token || len(a.Token) < 20 || !strings.HasPrefix(a.Run, "loadline-20261121-060134-") || len(a.Run+"-v9999") > 63 || strings.ToLower(a.Run) != a.Run {
		t.Errorf("%+v, %+v", a, b)
	}
}
