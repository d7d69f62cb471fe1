package session

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// A separate log is possible only for a PostgreSQL server that Loadline starts.
func TestALogIsForAServerOfOurOwn(t *testing.T) {
	here := model.Target{Name: "/srv", Kind: model.Postgres, Path: "/srv"}
	for words, x := range map[string]struct {
		ask model.AppRequest
		t   model.Target
	}{
		"--wal is not for etcd, whose log is with its data": {model.AppRequest{Name: "etcd", Log: "/"}, model.Target{Name: "/srv", Kind: model.Etcd, Path: "/srv"}},
		"the log of postgres://h/db is where it is":         {model.AppRequest{Name: "postgres", Log: "/"}, model.Target{Name: "postgres://h/db", Kind: model.Postgres, URI: "postgres://h/db"}},
		"one is in a Kubernetes cluster, and the other on ": {model.AppRequest{Name: "postgres", Log: "sc:fast"}, here},
	} {
		_, err := (&Places{}).logTarget(&x.ask, x.t)
		modeltest.Refused(t, err, words)
	}
	if log, err := (&Places{}).logTarget(&model.AppRequest{Name: "postgres"}, here); log != nil || err != nil {
		t.Errorf("%v, %v where none was asked for", log, err)
	}
	log, err := (&Places{}).logTarget(&model.AppRequest{Name: "postgres", Log: "/"}, here)
	if err != nil || log.Path != "/" || log.Kind != model.Directory {
		t.Errorf("%+v, %v", log, err)
	}
}

// The request for each side of a comparison has only its own log.
func TestSidesHaveTheirOwnLogs(t *testing.T) {
	sides := sidesOf(&model.AppRequest{Name: "postgres", Log: "/b", BaselineLog: "/a", Scale: 3})
	if sides[0].Log != "/a" || sides[0].BaselineLog != "" || sides[1].Log != "/b" || sides[0].Scale != 3 || sides[1].Scale != 3 {
		t.Errorf("%+v, %+v", sides[0], sides[1])
	}
	if none := sidesOf(nil); none[0] != nil || none[1] != nil {
		t.Errorf("%+v", none)
	}
}
