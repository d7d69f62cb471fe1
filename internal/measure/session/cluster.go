package session

import (
	"fmt"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/measure/place/pods"
	"github.com/loadline/loadline/internal/model"
)

// Cluster says how to reach the Kubernetes cluster of a target, and how pods are created there. Its strings
// are parsed when a target is in a cluster; errors name their flag.
type Cluster struct {
	Access kube.Access
	// AccessMode of the claims that are created is RWO, RWX or RWOP; empty means the target's.
	AccessMode string
	// Image is what pods run, and PullSecret the name of the secret for pulling it; an empty image means
	// $LOADLINE_IMAGE, or else that of this release.
	Image, PullSecret string
	// Node names the only node to measure on; NodeSelector has the labels that a node must have.
	Node         string
	NodeSelector map[string]string
	// Resources are the limits and requests of a pod, Tolerations "KEY=VALUE:EFFECT" or "*".
	Resources   map[string]string
	Tolerations []string
	// Ready limits how long to wait for a pod to run.
	Ready time.Duration
	// Keep leaves pods and claims in place at the end.
	Keep     bool
	Identity Identity
	// Spread says how the pods of several volumes are spread over nodes: "hard" (evenly, or not at all),
	// "soft", or empty for hard unless volumes are bound to nodes.
	Spread string
	opened struct {
		sync.Mutex
		client *kube.Client
		marks  map[string]kube.Made
	}
}

// Mark returns the mark that all objects of a run carry, by the run's ID: the same for all its volumes.
func (f *Cluster) Mark(id string) kube.Made {
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

// Open returns the client of the cluster, the same one for all volumes of a run, so that they share what
// they learn.
func (f *Cluster) Open(e *env.Env) (client *kube.Client, err error) {
	f.opened.Lock()
	defer f.opened.Unlock()
	if f.opened.client == nil {
		f.opened.client, err = kube.Open(e, f.Access)
	}
	return f.opened.client, err
}

// ask sets the access mode of a target that has none to that of the flag.
func (f *Cluster) ask(t *model.Target) error {
	if f.AccessMode == "" || !inCluster(*t) {
		return nil
	}
	mode, err := AccessMode(f.AccessMode)
	switch {
	case err != nil:
		return err
	case !t.Cluster.Made():
		return model.RefusedError(fmt.Sprintf("%s exists, and has an access mode of its own", t.Name), "leave out --access-mode")
	case t.Cluster.Access != "" && t.Cluster.Access != mode:
		return model.RefusedError(fmt.Sprintf("%s asks for %s itself, and --access-mode for %s", t.Name, t.Cluster.Access, mode), "leave one of them out")
	}
	t.Cluster.Access = mode
	return nil
}

// AccessMode parses --access-mode: RWO, RWX or RWOP, or the API's name for one.
func AccessMode(word string) (mode string, err error) {
	mode, known := target.AccessMode(word)
	if !known {
		return "", model.RefusedError(fmt.Sprintf("--access-mode %q is none of RWO, RWX and RWOP", word), "RWX is for a class whose volumes several nodes may use at once")
	}
	return mode, nil
}

// Where returns where the pods run, and with which image.
func (f *Cluster) Where(e *env.Env) (kube.Where, error) {
	image, err := f.chosenImage(e)
	if err != nil {
		return kube.Where{}, err
	}
	w := kube.Where{Image: image, PullSecret: f.PullSecret, Node: f.Node, NodeSelector: f.NodeSelector,
		Tolerations: f.Tolerations, Resources: f.Resources}
	if _, err := f.Identity.as(); err != nil {
		return w, err
	}
	if _, err := Spreading(f.Spread); err != nil {
		return w, err
	}
	return w, w.Check()
}

// Spreading parses --spread; without a word it is even where the cluster can give that.
func Spreading(word string) (place.Spread, error) {
	switch word {
	case "":
		return place.Even, nil
	case string(place.Strict), string(place.Loose):
		return place.Spread(word), nil
	}
	return "", model.RefusedError(fmt.Sprintf("--spread %q is neither hard nor soft", word), "leave it out for hard, wherever the cluster can give that")
}

// inCluster reports whether a target is in a Kubernetes cluster.
func inCluster(t model.Target) bool { return t.Cluster != nil }
