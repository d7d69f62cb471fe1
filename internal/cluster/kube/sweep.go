package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Object is an object in the cluster that carries our label.
type Object struct {
	// Kind is "pod", "claim", "statefulset", or one of those that a Job needs: "job", "account", "role"
	// and "binding".
	Kind, Namespace, Name string
	// UID is the object's UID; without it, Token decides whether the object of that name is the
	// right one.
	UID, Token string
	Run        string
	// Driver is the host and the process that made it ("host/123/…").
	Driver string
	// Running is set for a pod whose container runs, Ended for one that will not run again.
	Running, Ended bool
	// Job is the name of the Job to which a pod belongs, "" for a worker's pod.
	Job string
	// Set is the name of the StatefulSet to which a pod belongs, "" for none.
	Set string
	Age time.Duration
}

// driverNote and tokenNote are the annotations with the maker of an object, and with the token by
// which the maker recognises it.
const (
	driverNote = "loadline/driver"
	tokenNote  = "loadline/token"
)

// Own lists the objects that carry our label, in one namespace or, for "", in all. An empty run
// means all runs.
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
	add := func(kind string, m metav1.ObjectMeta) {
		if m.Annotations[driverNote] == "" {
			// Somebody else's object with our label, or one of a manifest of the user's own.
			return
		}
		list = append(list, Object{Kind: kind, Namespace: m.Namespace, Name: m.Name, UID: string(m.UID), Token: m.Annotations[tokenNote], Run: m.Labels[Label],
			Driver: m.Annotations[driverNote], Job: m.Labels[jobLabel], Set: m.Labels[setLabel], Age: c.Clock.Since(m.CreationTimestamp.Time)})
	}
	for _, p := range pods.Items {
		before := len(list)
		if add("pod", p.ObjectMeta); len(list) == before {
			continue
		}
		own := &list[before]
		own.Running, own.Ended = p.Status.Phase == corev1.PodRunning, p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	}
	for _, p := range claims.Items {
		add("claim", p.ObjectMeta)
	}
	return list, c.ownOfFew(ctx, namespace, label, pods.Items, add)
}

// Remove is RemoveEach for those who need not know what is left.
func (c *Client) Remove(ctx context.Context, objects []Object, limit time.Duration) error {
	_, err := c.RemoveEach(ctx, objects, limit)
	return err
}

// RemoveEach deletes these objects, but no others that have taken one of their names since, and waits
// at most limit until they are gone. A worker gets the time to remove its file, a Job's pod its
// rights and the time to remove its workers. A server that does not answer is asked again. An object
// that may not be deleted does not keep the others from being deleted, except for what its Job still
// uses; the error names it. It returns the objects that are left, as far as is known.
func (c *Client) RemoveEach(ctx context.Context, objects []Object, limit time.Duration) (left []Object, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	objects = slices.Clone(objects)
	slices.SortStableFunc(objects, func(a, b Object) int { return cmp.Compare(kinds[a.Kind].order, kinds[b.Kind].order) })
	deleted := map[Object]bool{}
	for _, o := range objects {
		// The cluster deletes a pod with its Job or StatefulSet, and makes another one for one that stays.
		deleted[o] = slices.ContainsFunc(objects, o.madeBy)
	}
	var setSeen time.Time
	var failed, refused error
	var stay []Object
	for {
		if slices.ContainsFunc(objects, func(o Object) bool { return o.Kind == setKind }) {
			setSeen = c.Clock.Now()
		} else if !setSeen.IsZero() && c.Clock.Since(setSeen) > collected {
			for _, o := range objects {
				// The garbage collector does not run, or somebody has orphaned the pod. The pod of a Job is left to
				// it: it has more time to end, which a deletion by us would shorten.
				deleted[o] = deleted[o] && o.Set == ""
			}
			setSeen = time.Time{}
		}
		var open []Object
		for _, o := range objects {
			if len(open) > 0 && kinds[o.Kind].order >= rightsOrder && kinds[open[0].Kind].order < rightsOrder {
				open = append(open, o)
				continue
			}
			if slices.ContainsFunc(stay, o.belongsTo) {
				// A Job that stays would make its pod again, and needs its rights; so would a StatefulSet.
				stay = append(stay, o)
				continue
			}
			if !deleted[o] {
				err := c.remove(ctx, o, podGrace)
				// A conflict: another object may have the name by now.
				if err != nil && !passing(err) && !apierrors.IsConflict(err) {
					refused, stay = errors.Join(refused, staysFor(err, o)), append(stay, o)
					continue
				}
				deleted[o], failed = err == nil || apierrors.IsConflict(err), err
			}
			if !deleted[o] || c.exists(ctx, o) {
				open = append(open, o)
			}
		}
		if objects = open; len(objects) == 0 {
			return stay, refused
		}
		select {
		case <-ctx.Done():
			return append(stay, objects...), errors.Join(refused, stayed(objects, limit, failed))
		case <-c.Clock.After(lookOften):
		}
	}
}

// collected is how long the cluster may take to begin deleting a pod whose StatefulSet is gone.
const collected = 5 * time.Second

// belongsTo reports whether an object is the pod of a Job or StatefulSet, or was made for a Job's run.
func (o Object) belongsTo(other Object) bool {
	return o.madeBy(other) || other.Kind == "job" && o.Namespace == other.Namespace && o.Run == other.Run
}

// madeBy reports whether the cluster made an object, which is a pod, for a Job or a StatefulSet.
func (o Object) madeBy(other Object) bool {
	if o.Kind != "pod" || o.Namespace != other.Namespace {
		return false
	}
	return other.Kind == "job" && o.Job == other.Name || other.Kind == setKind && o.Set == other.Name
}

// staysFor returns that an object stays because it may not be deleted.
func staysFor(err error, o Object) error {
	left := model.WorkerError{Class: model.Broken}
	var w *model.WorkerError
	if errors.As(err, &w) {
		left = *w
	}
	left.Message = fmt.Sprintf("%v; %s stays", err, o)
	return &model.LeftError{WorkerError: &left}
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
	return &model.LeftError{WorkerError: model.BrokenError(fmt.Sprintf("not everything could be removed from the cluster within %s; still there: %s%s", limit, units.FormatList(names), why),
		fmt.Sprintf("later: loadline cleanup --namespace %s", objects[0].Namespace))}
}

// exists reports whether the object still exists. If that is unknown it counts as existing, but
// without the right to read it there is no need to wait.
func (c *Client) exists(ctx context.Context, o Object) bool {
	uid, err := c.identify(ctx, o)
	return uid != "" || err != nil && !forbidden(err)
}

// WaitVolumeGone waits until the volume of a removed claim is gone. It returns false if the volume
// still exists after limit, and true if it may not be read.
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
		case <-c.Clock.After(lookOften):
		}
	}
}

// String returns "pod namespace/name".
func (o Object) String() string { return o.Kind + " " + o.Namespace + "/" + o.Name }
