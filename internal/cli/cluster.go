package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/kube"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/place/pods"
	"github.com/loadline/loadline/internal/target"
)

// clusterFlags are the flags for targets in a Kubernetes cluster.
type clusterFlags struct {
	access              kube.Access
	mode                string
	node, image, secret string
	selector, resources map[string]string
	tolerations         []string
	ready               time.Duration
	keep                bool
	identity            identityFlags
	spread              string
	opened              struct {
		sync.Mutex
		client *kube.Client
		marks  map[string]kube.Made
	}
}

// mark is what the objects of a run carry, by the run's ID: the same for all its volumes.
func (f *clusterFlags) mark(id string) kube.Made {
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
func (f *clusterFlags) open(e *env.Env) (client *kube.Client, err error) {
	f.opened.Lock()
	defer f.opened.Unlock()
	if f.opened.client == nil {
		f.opened.client, err = kube.Open(e, f.access)
	}
	return f.opened.client, err
}

// registerAccess adds the flags that say which cluster is meant.
func (f *clusterFlags) registerAccess(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.access.Namespace, "namespace", "n", "", "Kubernetes: where to make pods and claims (default: the context's)")
	flags.StringVar(&f.access.Context, "context", "", "Kubernetes: `NAME` of the kubeconfig's context")
	flags.StringVar(&f.access.Kubeconfig, "kubeconfig", "", "Kubernetes: `FILE` to use (default: as kubectl)")
}

func (f *clusterFlags) register(cmd *cobra.Command) {
	f.registerAccess(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.mode, "access-mode", "", "Kubernetes: `MODE` of the claims that are made: RWO, RWX or RWOP (default: RWO, or the target's ?access=)")
	flags.StringVar(&f.node, "node", "", "Kubernetes: measure on the node of this `NAME`")
	flags.StringToStringVar(&f.selector, "node-selector", nil, "Kubernetes: measure on nodes with these `LABELS`, such as disk=ssd")
	flags.StringArrayVar(&f.tolerations, "toleration", nil, "Kubernetes: tolerate this `TAINT`, written KEY=VALUE:EFFECT ('*': all)")
	flags.StringToStringVar(&f.resources, "resources", nil, "Kubernetes: `LIMITS` of the pod (and requests), such as cpu=2,memory=1Gi (default: none)")
	flags.StringVar(&f.image, "image", "", imageHelp())
	flags.StringVar(&f.secret, "pull-secret", "", "Kubernetes: `NAME` of the secret for pulling the image")
	flags.DurationVar(&f.ready, "ready-within", 3*time.Minute, "Kubernetes: give up when the pod does not run after this `TIME`")
	f.identity.register(flags)
	flags.StringVar(&f.spread, "spread", "", "Kubernetes: how the pods of several volumes are spread over nodes: hard (evenly, or not at all) or soft (default: hard, but for volumes that are bound to nodes)")
	for _, name := range []string{"node-selector", "resources"} {
		flags.Lookup(name).DefValue = ""
	}
	flags.BoolVar(&f.keep, "keep", false, "Kubernetes: leave pods and claims there at the end")
}

// ask writes the access mode of the flag into a target that asks for none itself.
func (f *clusterFlags) ask(t *model.Target) error {
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
func (f *clusterFlags) where(e *env.Env) (kube.Where, error) {
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
func (f *clusterFlags) spreading() (pods.Spread, error) {
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

// refuseCluster is for the verbs that do not reach into a cluster.
func refuseCluster(t model.Target, verb string) error {
	if !inCluster(t) {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s is in a Kubernetes cluster, and %s works where it runs", t.Name, verb),
		fmt.Sprintf("run it in a pod that mounts the volume: kubectl exec POD -- loadline %s /volume", verb))
}
