// Package storage asks the storage system behind a volume about itself: its version, how many
// copies it keeps and where they are. Its assumptions: what a system reports is a fact about it and not
// a measurement; no measurement depends on it, so information that cannot be obtained is "not
// known", with the reason, and never an error; and an adapter is one file for one system's public
// API, tried in the order of one list.
package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/model"
)

// Cluster is what adapters need from a Kubernetes cluster; a *kube.Client is one.
type Cluster interface {
	Driver(ctx context.Context, name string) (kube.Driver, error)
	Find(ctx context.Context, which kube.Custom, into any) error
}

// WhereReplicas is what is unknown (model.Backing.Unknown) if a system does not tell its replicas' places.
const WhereReplicas = "where the replicas are"

// queryTimeout is the timeout of all queries about one volume: a remark is not worth a longer wait.
const queryTimeout = 5 * time.Second

// adapter handles one kind of storage system.
type adapter struct {
	name string
	// knows reports whether the volume belongs to this system.
	knows func(*model.Cluster) bool
	ask   func(*inquiry)
	// count counts the replicas currently in use; nil if the system does not report them.
	count func(*inquiry) (int, error)
}

// adapters are tried in this order: those for a specific system first, then the one for all CSI
// drivers.
var adapters = []adapter{longhorn, localPath, anyCSI}

// inquiry is a query about one volume.
type inquiry struct {
	ctx     context.Context
	cluster Cluster
	volume  *model.Cluster
	found   *model.Backing
}

// Describe asks about a volume as far as it is known: one that does not exist yet by its class
// alone.
func Describe(ctx context.Context, c Cluster, volume *model.Cluster) *model.Backing {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	q := &inquiry{ctx: ctx, cluster: c, volume: volume, found: &model.Backing{}}
	for _, a := range adapters {
		if a.knows(volume) {
			q.found.Adapter = a.name
			a.ask(q)
			return q.found
		}
	}
	if name := maker(volume); name != "" {
		q.found.System = name
		q.unknown("replicas and version", errors.New("Loadline has no adapter for "+name))
	} else {
		q.unknown("the storage system", errors.New("neither the StorageClass nor the volume may be read (deploy/role.yaml has the rights)"))
	}
	return q.found
}

// Counter returns a function that asks how many replicas of the volume currently take part in its
// I/O; nil if the storage system does not report this, or keeps one copy.
func Counter(c Cluster, volume *model.Cluster) func(context.Context) (int, error) {
	if volume.Backing == nil || volume.Backing.Healthy == 0 || volume.Backing.Replicas < 2 {
		return nil
	}
	for _, a := range adapters {
		if a.count != nil && a.knows(volume) {
			return func(ctx context.Context) (int, error) {
				ctx, cancel := context.WithTimeout(ctx, queryTimeout)
				defer cancel()
				return a.count(&inquiry{ctx: ctx, cluster: c, volume: volume})
			}
		}
	}
	return nil
}

// maker returns the driver of a volume, or its provisioner if it does not exist yet.
func maker(v *model.Cluster) string {
	if v.Driver != "" {
		return v.Driver
	}
	return v.Provisioner
}

// unknown notes what could not be determined, and why.
func (q *inquiry) unknown(what string, why error) {
	q.found.Unknown = append(q.found.Unknown, fmt.Sprintf("%s: %s", what, why))
}

// fact notes a fact without a field of its own; an empty value is ignored.
func (q *inquiry) fact(name, value string) {
	if value == "" {
		return
	}
	if q.found.Facts == nil {
		q.found.Facts = map[string]string{}
	}
	q.found.Facts[name] = value
}

// said returns a parameter of the volume or else of its class.
func (q *inquiry) said(parameter string) string {
	if v := q.volume.Attributes[parameter]; v != "" {
		return v
	}
	return q.volume.Parameters[parameter]
}

// because returns a brief reason why an object could not be read.
func because(err error, verb, resource string) error {
	switch {
	case errors.Is(err, kube.ErrForbidden):
		return fmt.Errorf("the right to %s %s is missing (deploy/role.yaml has it)", verb, resource)
	case errors.Is(err, kube.ErrMissing):
		return fmt.Errorf("the cluster has no such %s", resource)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the cluster did not answer within %s", queryTimeout)
	}
	return err
}
