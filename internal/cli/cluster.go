package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/kube"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/place/pods"
	"github.com/loadline/loadline/internal/target"
)

// cluster says how to reach the Kubernetes cluster of a target, and how pods are made there.
type cluster struct {
	access              kube.Access
	mode                string
	node, image, secret string
	selector, resources map[string]string
	tolerations         []string
	ready               time.Duration
	keep                bool
	identity            identity
	spread              string
	opened              struct {
		sync.Mutex
		client *kube.Client
		marks  map[string]kube.Made
	}
}

// mark is what the objects of a run carry, by the run's ID: the same for all its volumes.
func (f *cluster) mark(id string) kube.Made {
	f.opened.Lock()
	defer f.opened.Unlock()
	if _, known := f.opened.marks[id]; !known {
		if f.opened.marks == nil {
			f.opened.marks = map[string]kube.Made{}
		}
		f.opened.marks[id] = pods.Mark(id, driver())
	}
	return f.opened.marks[id]
}

// open returns the client of the cluster, the same one for all volumes of a run, so
// that they share what they learn.
func (f *cluster) open(e *env.Env) (client *kube.Client, err error) {
	f.opened.Lock()
	defer f.opened.Unlock()
	if f.opened.client == nil {
		f.opened.client, err = kube.Open(e, f.access)
	}
	return f.opened.client, err
}

// ask writes the access mode of the flag into a target that asks for none itself.
func (f *cluster) ask(t *model.Target) error {
	if f.mode == "" || !inCluster(*t) {
		return nil
	}
	mode, known := target.AccessMode(f.mode)
	switch {
	case !known:
		return model.RefusedError(fmt.Sprintf("--access-mode %q is none of RWO, RWX and RWOP", f.mode), "RWX is for a class whose volumes several nodes may use at once")
	case !t.Cluster.Made():
		return model.RefusedError(fmt.Sprintf("%s exists, and has an access mode of its own", t.Name), "leave out --access-mode")
	case t.Cluster.Access != "" && t.Cluster.Access != mode:
		return model.RefusedError(fmt.Sprintf("%s asks for %s itself, and --access-mode for %s", t.Name, t.Cluster.Access, mode), "leave one of them out")
	}
	t.Cluster.Access = mode
	return nil
}

// where is what the flags say about the pods.
func (f *cluster) where(e *env.Env) (kube.Where, error) {
	image, err := f.chosenImage(e)
	if err != nil {
		return kube.Where{}, err
	}
	w := kube.Where{Image: image, PullSecret: f.secret, Node: f.node, NodeSelector: f.selector,
		Tolerations: f.tolerations, Resources: f.resources}
	if _, err := f.identity.as(); err != nil {
		return w, err
	}
	if _, err := f.spreading(); err != nil {
		return w, err
	}
	return w, w.Check()
}

// spreading is what --spread asks for.
func (f *cluster) spreading() (pods.Spread, error) {
	switch f.spread {
	case "":
		return pods.Even, nil
	case string(pods.Strict), string(pods.Loose):
		return pods.Spread(f.spread), nil
	}
	return "", model.RefusedError(fmt.Sprintf("--spread %q is neither hard nor soft", f.spread), "leave it out for hard, wherever the cluster can give that")
}

// inCluster tells that a target is in a Kubernetes cluster.
func inCluster(t model.Target) bool { return t.Cluster != nil }
