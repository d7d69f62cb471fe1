package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/loadline/loadline/internal/model"
)

// Object is something in the cluster that carries our label.
type Object struct {
	// Kind is "pod" or "claim".
	Kind, Namespace, Name string
	Run                   string
	// Driver is the host and the process that made it ("host/123").
	Driver string
	// Running tells that it is a pod whose container runs.
	Running bool
	Age     time.Duration
}

// driverNote is the annotation that names who made an object.
const driverNote = "loadline/driver"

// resourceOf names the API's resource of a kind.
var resourceOf = map[string]string{"pod": "pods", "claim": "persistentvolumeclaims"}

// Own lists what carries our label, in one namespace or, for "", in all. An empty
// run means all runs.
func (c *Client) Own(ctx context.Context, namespace, run string) ([]Object, error) {
	label := Label
	if run != "" {
		label += "=" + run
	}
	var pods corev1.PodList
	if err := c.list(ctx, c.core, namespace, "pods", label, "", &pods); err != nil {
		return nil, err
	}
	var claims corev1.PersistentVolumeClaimList
	if err := c.list(ctx, c.core, namespace, "persistentvolumeclaims", label, "", &claims); err != nil {
		return nil, err
	}
	var list []Object
	add := func(kind string, m metav1.ObjectMeta, running bool) {
		list = append(list, Object{Kind: kind, Namespace: m.Namespace, Name: m.Name, Run: m.Labels[Label],
			Driver: m.Annotations[driverNote], Running: running, Age: time.Since(m.CreationTimestamp.Time)})
	}
	for _, p := range pods.Items {
		add("pod", p.ObjectMeta, p.Status.Phase == corev1.PodRunning)
	}
	for _, p := range claims.Items {
		add("claim", p.ObjectMeta, false)
	}
	return list, nil
}

// Remove deletes the objects and waits until they are gone, at most for limit. A
// worker is given the time to remove its file. A server that does not answer is
// asked again.
func (c *Client) Remove(ctx context.Context, objects []Object, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// Pods before claims: a claim stays as long as a pod uses it.
	slices.SortStableFunc(objects, func(a, b Object) int { return strings.Compare(b.Kind, a.Kind) })
	deleted := map[Object]bool{}
	var failed error
	for {
		var left []Object
		for _, o := range objects {
			if !deleted[o] {
				err := c.remove(ctx, o.Namespace, resourceOf[o.Kind], o.Name, goodbye)
				if err != nil && !passing(err) {
					return err
				}
				deleted[o], failed = err == nil, err
			}
			if !deleted[o] || c.there(ctx, o) {
				left = append(left, o)
			}
		}
		if objects = left; len(objects) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return stayed(objects, limit, failed)
		case <-time.After(lookOften):
		}
	}
}

func stayed(objects []Object, limit time.Duration, cause error) error {
	var names []string
	for _, o := range objects {
		names = append(names, o.String())
	}
	why := ""
	if cause != nil {
		why = ": " + cause.Error()
	}
	return model.BrokenError(fmt.Sprintf("not everything could be removed from the cluster within %s; still there: %s%s", limit, sentence(names), why),
		fmt.Sprintf("later: loadline cleanup --namespace %s", objects[0].Namespace))
}

// there tells whether the object still exists. Not knowing counts as there, but who
// may not look need not wait.
func (c *Client) there(ctx context.Context, o Object) bool {
	var err error
	if o.Kind == "pod" {
		err = c.get(ctx, c.core, o.Namespace, "pods", o.Name, &corev1.Pod{})
	} else {
		err = c.get(ctx, c.core, o.Namespace, "persistentvolumeclaims", o.Name, &corev1.PersistentVolumeClaim{})
	}
	return !missing(err) && !forbidden(err)
}

// WaitVolumeGone waits until the volume of a removed claim is gone. It returns
// false when it still exists after limit, and true when nobody may know.
func (c *Client) WaitVolumeGone(ctx context.Context, name string, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := c.get(ctx, c.core, "", "persistentvolumes", name, &corev1.PersistentVolume{})
		if missing(err) || forbidden(err) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(lookOften):
		}
	}
}

// UsedBy lists the pods, other than ours, that use the claim now, with the node
// of the first.
func (c *Client) UsedBy(ctx context.Context, namespace, claim string) (pods []string, node string, err error) {
	var all corev1.PodList
	if err := c.list(ctx, c.core, namespace, "pods", "", "", &all); err != nil {
		return nil, "", err
	}
	for _, p := range all.Items {
		if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed || p.Labels[Label] != "" {
			continue
		}
		for _, v := range p.Spec.Volumes {
			if v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim {
				pods = append(pods, p.Name)
				if node == "" {
					node = p.Spec.NodeName
				}
			}
		}
	}
	return pods, node, nil
}

// String is "pod namespace/name".
func (o Object) String() string { return o.Kind + " " + o.Namespace + "/" + o.Name }
