package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/loadline/loadline/internal/model"
)

const (
	// setKind is the name of StatefulSets among our kinds.
	setKind = "statefulset"
	// setLabel is the label that selects a StatefulSet's pod.
	setLabel = "loadline/set"
)

// LongestSet is the longest name of a StatefulSet: its pod has a label with that name, a hyphen and ten
// characters (controller-revision-hash), and a label has at most 63.
const LongestSet = 52

// Kind returns the kind of what MakePod makes, as in Object.
func (s PodSpec) Kind() string {
	if s.Set {
		return setKind
	}
	return "pod"
}

// Pod returns the pod's name.
func (s PodSpec) Pod() string {
	if s.Set {
		return s.Name + "-0"
	}
	return s.Name
}

// set returns a StatefulSet with one pod. Its container would be started again if it ended, and its pod
// made again if it was deleted: see ended, and the package link, for how that is noticed.
func (c *Client) set(s PodSpec) *appsv1.StatefulSet {
	pod, one, none := c.manifest(s), int32(1), int32(0)
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	only := map[string]string{setLabel: s.Name}
	labels := maps.Clone(pod.Labels)
	maps.Copy(labels, only)
	return &appsv1.StatefulSet{
		TypeMeta: metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "StatefulSet"}, ObjectMeta: pod.ObjectMeta,
		Spec: appsv1.StatefulSetSpec{Replicas: &one, RevisionHistoryLimit: &none, ServiceName: s.Name,
			Selector: &metav1.LabelSelector{MatchLabels: only},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: pod.Annotations}, Spec: pod.Spec}},
	}
}

// WaitMade waits until the cluster has made the pod of a StatefulSet, and returns the pod's UID. say
// receives the reason for waiting. If the cluster does not make it, the error says why.
func (c *Client) WaitMade(ctx context.Context, s PodSpec, limit time.Duration, say func(string)) (uid string, err error) {
	var refusedSince time.Time
	said := reason{}
	for begin := c.Clock.Now(); ; {
		var pod corev1.Pod
		err := c.get(ctx, c.core, c.Namespace, "pods", s.Pod(), &pod)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err == nil:
			return string(pod.UID), nil
		case !missing(err) && !passing(err):
			return "", err
		}
		why := reason{words: "the StatefulSet has not made it yet"}
		if all, err := c.events(ctx, c.Namespace, "StatefulSet", s.Name); err == nil {
			if q := mostInformative(all); q.warning {
				why.words, why.quoted, why.stuck = q.String(), q, true
			}
		}
		if !why.stuck {
			refusedSince = time.Time{}
		} else if refusedSince.IsZero() {
			if refused := c.tryPod(ctx, s); refused != nil {
				return "", refused
			}
			refusedSince = c.Clock.Now()
		}
		waited := c.Clock.Since(begin)
		if waited > limit || why.stuck && c.Clock.Since(refusedSince) > stubborn {
			return "", model.BrokenError(fmt.Sprintf("the pod %s was not made within %s: %s", s.Pod(), waited.Round(time.Second), why.words), look("statefulset", c.Namespace))
		}
		if !why.like(said) && waited > time.Second {
			said = why
			say(Waiting + why.words)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-c.Clock.After(lookOften):
		}
	}
}

// WaitStarted waits, at most limit, until the container of a StatefulSet's pod runs again after it has failed.
// It does not wait for one that has ended as it should, or a pod that is gone, is being deleted, or has another
// UID.
func (c *Client) WaitStarted(ctx context.Context, name, uid string, limit time.Duration) {
	for begin := c.Clock.Now(); name != "" && c.Clock.Since(begin) < limit && ctx.Err() == nil; c.Clock.Sleep(lookOften) {
		var pod corev1.Pod
		if c.get(ctx, c.core, c.Namespace, "pods", name, &pod) != nil || string(pod.UID) != uid || pod.DeletionTimestamp != nil ||
			pod.Labels[setLabel] == "" || pod.Status.Phase != corev1.PodRunning || !failed(&pod) {
			return
		}
	}
}

// failed reports whether a container of a pod has failed and does not run again yet.
func failed(pod *corev1.Pod) bool {
	for _, s := range pod.Status.ContainerStatuses {
		if t := cmp.Or(s.State.Terminated, s.LastTerminationState.Terminated); t != nil && t.ExitCode != 0 && s.State.Running == nil {
			return true
		}
	}
	return false
}

// tryPod returns the refusal if the cluster would not accept the pod of a StatefulSet, without making
// anything. Nil also means that this is unknown.
func (c *Client) tryPod(ctx context.Context, s PodSpec) error {
	var refused *model.WorkerError
	if err := c.dryRun(ctx, c.manifest(s)); errors.As(err, &refused) && refused.Class == model.Refused {
		return err
	}
	return nil
}

// dryRun returns why the cluster would not accept a pod, without making it.
func (c *Client) dryRun(ctx context.Context, pod *corev1.Pod) error {
	body, err := json.Marshal(pod)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	err = c.core.Post().Namespace(c.Namespace).Resource("pods").Param("dryRun", metav1.DryRunAll).Body(body).Do(ctx).Error()
	if young(err) || err != nil && strings.Contains(words(err), "dry run") {
		return nil // checked when the pod is made: some admission webhooks do not support dry runs
	}
	return c.explain("create", "pods", c.Namespace, err)
}
