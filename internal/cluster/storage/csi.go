package storage

import (
	"errors"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/model"
)

// anyCSI handles what every CSI driver has: a CSIDriver object. CSI itself defines neither a
// version nor a number of copies; some drivers take the number of copies as a parameter of the
// class, and most charts label their objects with a version.
var anyCSI = adapter{
	name: "csi",
	knows: func(v *model.Cluster) bool {
		// Volume types without a driver ("nfs", "hostPath") have no dot in their name.
		name := maker(v)
		return strings.Contains(name, ".") && !strings.HasPrefix(name, "kubernetes.io/")
	},
	ask: (*inquiry).csi,
}

// copies are the parameters that tell drivers the number of copies.
var copies = map[string][]string{
	"linstor.csi.linbit.com":  {"linstor.csi.linbit.com/placementCount", "linstor.csi.linbit.com/autoPlace", "placementCount", "autoPlace"},
	"io.openebs.csi-mayastor": {"repl"},
	"pxd.portworx.com":        {"repl"},
}

func (q *inquiry) csi() {
	name := maker(q.volume)
	q.found.System = name
	if _, ok := q.driver(name); ok && q.found.Version == "" {
		q.unknown("version", errors.New("the CSIDriver object has no label "+versionLabel))
	}
	for _, parameter := range copies[name] {
		if n := whole(q.said(parameter)); n > 0 {
			q.found.Replicas = n
			return
		}
	}
	q.unknown("replicas", errors.New("the CSI interface does not tell; say --replicas if you know"))
}

// versionLabel is Kubernetes's recommended label for a version.
const versionLabel = "app.kubernetes.io/version"

// driver reads the CSIDriver object, whose labels may contain a version.
func (q *inquiry) driver(name string) (d kube.Driver, ok bool) {
	d, err := q.cluster.Driver(q.ctx, name)
	if err != nil {
		q.unknown("version", because(err, "get", "csidrivers.storage.k8s.io"))
		return d, false
	}
	attach := "not needed"
	if d.Attach {
		attach = "required"
	}
	q.fact("attach", attach)
	q.fact("fsGroup policy", d.FSGroup)
	q.fact("chart", d.Labels["helm.sh/chart"])
	q.found.Version = d.Labels[versionLabel]
	return d, true
}

// whole returns a positive integer, or 0.
func whole(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
