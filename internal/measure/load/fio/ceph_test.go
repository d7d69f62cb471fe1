package fio

import (
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

func TestCephUser(t *testing.T) {
	for args, want := range map[string]string{
		"":                               "",
		"--id bench":                     "bench",
		"--id=bench":                     "bench",
		"-c /x.conf --user bench -k key": "bench",
		"--name client.bench":            "bench",
		"-n client.a --name=client.b":    "b",
		"--id":                           "",
		"--conf --id":                    "",
	} {
		e := env.OS()
		e.Getenv = func(name string) string { return map[string]string{"CEPH_ARGS": args}[name] }
		d := New(e)
		if got := d.asUser(model.Volume{Target: model.Target{Kind: model.RBD}}).Target.User; got != want {
			t.Errorf("CEPH_ARGS=%q: user %q, want %q", args, got, want)
		}
		if got := d.asUser(model.Volume{Target: model.Target{Kind: model.RBD, User: "named"}}).Target.User; got != "named" {
			t.Errorf("CEPH_ARGS=%q: the user that the target names became %q", args, got)
		}
		if got := d.asUser(model.Volume{Target: model.Target{Kind: model.NBD}}).Target.User; got != "" {
			t.Errorf("CEPH_ARGS=%q: an NBD export has the Ceph user %q", args, got)
		}
	}
}
