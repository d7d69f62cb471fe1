package storage

import (
	"errors"

	"github.com/loadline/loadline/internal/model"
)

// localPath handles Rancher's local-path provisioner, and volumes of type local and hostPath: a
// directory or a disk of one node, without replicas.
var localPath = adapter{
	name: "local-path",
	knows: func(v *model.Cluster) bool {
		return v.Provisioner == "rancher.io/local-path" || v.Driver == "local" || v.Driver == "hostPath"
	},
	ask: (*inquiry).localPath,
}

func (q *inquiry) localPath() {
	q.found.System = maker(q.volume)
	if q.volume.Provisioner != "" {
		q.found.System = q.volume.Provisioner
	}
	q.found.Replicas, q.found.Healthy, q.found.Locality = 1, 1, "node"
	if q.volume.Node != "" {
		q.found.Nodes = []string{q.volume.Node}
	}
	q.fact("path", q.volume.Handle)
	q.unknown("version", errors.New("a local directory or disk tells none"))
}
