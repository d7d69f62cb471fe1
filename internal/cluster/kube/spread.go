package kube

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// spreadWords are the scheduler's words about a node that the spread forbids.
const spreadWords = "topology spread constraints"

// spreadHint is what to do about a pod that waits for a node of its own.
const spreadHint = "let volumes share nodes unevenly with --spread soft; or see why those nodes are full: kubectl describe nodes"

// forSpread explains in our words that a pod waits because of the spread, if the scheduler's
// message says so.
func forSpread(r reason, scheduler string) reason {
	if strings.Contains(scheduler, spreadWords) {
		r.words = "the pods of a run are spread evenly over the nodes (--spread hard), and no node that may have this one can take it: " + r.words
		r.hint = spreadHint
	}
	return r
}

// Bound reports whether the volume can be used on certain nodes only. Without the right to read the
// volume this is unknown.
func (c *Client) Bound(ctx context.Context, volume string) bool {
	var pv corev1.PersistentVolume
	if volume == "" || c.get(ctx, c.core, "", "persistentvolumes", volume, &pv) != nil {
		return false
	}
	return pv.Spec.NodeAffinity != nil && pv.Spec.NodeAffinity.Required != nil && len(pv.Spec.NodeAffinity.Required.NodeSelectorTerms) > 0
}

// WaitBound waits at most limit until the claim has a volume, and returns the volume, or "" for
// none.
func (c *Client) WaitBound(ctx context.Context, claim string, limit time.Duration) (volume string) {
	for begin := c.Clock.Now(); ; {
		var pvc corev1.PersistentVolumeClaim
		err := c.get(ctx, c.core, c.Namespace, "persistentvolumeclaims", claim, &pvc)
		switch {
		case err == nil && pvc.Status.Phase == corev1.ClaimBound:
			return pvc.Spec.VolumeName
		case err != nil && !passing(err), c.Clock.Since(begin) > limit:
			return ""
		}
		select {
		case <-ctx.Done():
			return ""
		case <-c.Clock.After(lookOften):
		}
	}
}

// Nodes counts the nodes that may run a pod, by its selector and tolerations; known is false if the
// nodes may not be read.
func (c *Client) Nodes(ctx context.Context, w Where) (count int, known bool) {
	fit, _, known := c.NodeNames(ctx, w)
	return len(fit), known
}

// NodeNames returns the names of the nodes that may run a pod, and of all nodes; known is false if
// the nodes may not be read.
func (c *Client) NodeNames(ctx context.Context, w Where) (fit, all []string, known bool) {
	nodes, err := know(c.known, "nodes", func() (all corev1.NodeList, err error) {
		err = c.list(ctx, c.core, "", "nodes", "", "", &all)
		return all, err
	})
	if err != nil {
		return nil, nil, false
	}
	var own corev1.PodSpec
	w.admit(&own)
	for i := range nodes.Items {
		all = append(all, nodes.Items[i].Name)
		if w.mayRun(&nodes.Items[i], own.Tolerations) {
			fit = append(fit, nodes.Items[i].Name)
		}
	}
	return fit, all, true
}

func (w Where) mayRun(node *corev1.Node, tolerated []corev1.Toleration) bool {
	if w.Node != "" && node.Name != w.Node || node.Name == w.Apart {
		return false
	}
	for key, value := range w.NodeSelector {
		if got, there := node.Labels[key]; !there || got != value {
			return false
		}
	}
	for i := range node.Spec.Taints {
		taint := &node.Spec.Taints[i]
		if taint.Effect != corev1.TaintEffectPreferNoSchedule && !slices.ContainsFunc(tolerated, func(t corev1.Toleration) bool { return t.ToleratesTaint(taint) }) {
			return false
		}
	}
	return true
}
