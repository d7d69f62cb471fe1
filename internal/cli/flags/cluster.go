package flags

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/plan/application"
)

// Access adds the flags that select the cluster.
func Access(cmd *cobra.Command, f *session.Cluster) {
	fl := cmd.Flags()
	fl.StringVarP(&f.Access.Namespace, "namespace", "n", "", "Kubernetes: `NAMESPACE` of the pods, claims and Jobs (default: the context's)")
	fl.StringVar(&f.Access.Context, "context", "", "Kubernetes: `NAME` of the kubeconfig's context")
	fl.StringVar(&f.Access.Kubeconfig, "kubeconfig", "", "Kubernetes: `FILE` to use (default: as kubectl)")
}

// Cluster adds the flags for targets in a Kubernetes cluster.
func Cluster(cmd *cobra.Command, f *session.Cluster) {
	pods(cmd, f, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.Image, "image", "", imageHelp("image with loadline and fio"))
	})
}

// ServerPods adds the flags for an application in a Kubernetes cluster; --image names the
// application's image and is stored in *image.
func ServerPods(cmd *cobra.Command, f *session.Cluster, image *string, app *application.Pods) {
	pods(cmd, f, func(fl *pflag.FlagSet) {
		fl.StringVar(image, "image", "", "Kubernetes: image with "+app.Programs+" (default: "+app.Image+")")
		fl.StringVar(&f.Image, "worker-image", "", imageHelp("image from which loadline-agent is copied"))
	})
}

// pods adds the flags for where pods run and what they may do; images adds the flags for
// their images.
func pods(cmd *cobra.Command, f *session.Cluster, images func(*pflag.FlagSet)) {
	Access(cmd, f)
	fl := cmd.Flags()
	fl.StringVar(&f.AccessMode, "access-mode", "", "Kubernetes: access `MODE` of new claims: RWO, RWX or RWOP (default: RWO, or the target's ?access=)")
	fl.StringVar(&f.Node, "node", "", "Kubernetes: measure on the node with this `NAME`")
	fl.StringToStringVar(&f.NodeSelector, "node-selector", nil, "Kubernetes: measure on nodes with these `LABELS`, such as disk=ssd")
	fl.StringArrayVar(&f.Tolerations, "toleration", nil, "Kubernetes: tolerate this `TAINT`, written KEY=VALUE:EFFECT ('*': all)")
	fl.StringToStringVar(&f.Resources, "resources", nil, "Kubernetes: `LIMITS` of the pod (and requests), such as cpu=2,memory=1Gi (default: none)")
	images(fl)
	fl.StringVar(&f.PullSecret, "pull-secret", "", "Kubernetes: `NAME` of the secret for pulling the image")
	SpanVar(fl, &f.Ready, "ready-within", session.DefaultReady, "Kubernetes: give up if the pod is not running after this `TIME`")
	identity(fl, &f.Identity)
	fl.StringVar(&f.Spread, "spread", "", "Kubernetes: how the pods of several volumes are spread over nodes: hard (evenly, or not at all) or soft (default: hard, except for volumes bound to nodes)")
	for _, name := range []string{"node-selector", "resources"} {
		fl.Lookup(name).DefValue = ""
	}
	fl.BoolVar(&f.Keep, "keep", false, "Kubernetes: keep pods and claims at the end")
}

// identity adds the flags that set the user and groups of the worker in a pod.
func identity(fl *pflag.FlagSet, f *session.Identity) {
	fl.StringVar(&f.User, "run-as-user", "", "Kubernetes: run the worker as this `UID[:GID]` (default: for an existing claim, that of the pods that use it; else 10001)")
	fl.StringVar(&f.FSGroup, "fs-group", "", "Kubernetes: let the cluster give the whole volume to the group `GID`, which permanently changes group and mode of every file in it (default: only on a new volume)")
	fl.StringVar(&f.SELinuxLevel, "selinux-level", "", "Kubernetes: SELinux `LEVEL` of the worker, such as s0:c1,c2 (default: for an existing claim, that of the pods that use it)")
	fl.BoolVar(&f.Root, "as-root", false, "Kubernetes: run the worker as root (without capabilities)")
}

// imageHelp describes the default worker image for a help text.
func imageHelp(what string) string {
	if image, released := session.OwnImage(); released {
		return "Kubernetes: " + what + " (default: $LOADLINE_IMAGE, else " + image + ")"
	}
	return "Kubernetes: " + what + " (default: $LOADLINE_IMAGE; this build has no published one)"
}
