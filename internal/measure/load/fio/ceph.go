package fio

import (
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// asUser fills in the Ceph user if the target does not name one. Ceph's own tools then take it from
// $CEPH_ARGS, but fio passes the cluster's library a name or nothing, and nothing means "admin":
// without this the guard would connect as one user and the load as another.
func (d *Driver) asUser(v model.Volume) model.Volume {
	if v.Target.Kind == model.RBD && v.Target.User == "" {
		v.Target.User = userOf(d.env.Getenv("CEPH_ARGS"))
	}
	return v
}

// userOf finds the user among the arguments in $CEPH_ARGS, of which the last one counts: --id USER,
// --user USER, --name client.USER, -n client.USER, or the same with "=".
func userOf(args string) (user string) {
	words := strings.Fields(args)
	for i, word := range words {
		name, value, joined := strings.Cut(word, "=")
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		switch name {
		case "--id", "--user":
			user = value
		case "--name", "-n":
			user = strings.TrimPrefix(value, "client.")
		}
	}
	return user
}
