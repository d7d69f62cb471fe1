package kube

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/loadline/loadline/internal/model"
)

// The API's kinds of objects that events refer to.
const (
	claimKind = "PersistentVolumeClaim"
	podKind   = "Pod"
)

// events returns the events about an object, newest first. Kind is the API's ("Pod").
func (c *Client) events(ctx context.Context, namespace, kind, name string) ([]corev1.Event, error) {
	var all corev1.EventList
	selector := "involvedObject.kind=" + kind + ",involvedObject.name=" + name
	if err := c.list(ctx, c.core, namespace, "events", "", selector, &all); err != nil {
		return nil, err
	}
	slices.SortStableFunc(all.Items, func(a, b corev1.Event) int { return eventTime(&b).Compare(eventTime(&a)) })
	return all.Items, nil
}

// eventTime returns when the event last happened.
func eventTime(e *corev1.Event) time.Time {
	var series time.Time
	if e.Series != nil {
		series = e.Series.LastObservedTime.Time
	}
	for _, t := range []time.Time{series, e.LastTimestamp.Time, e.EventTime.Time, e.FirstTimestamp.Time} {
		if !t.IsZero() {
			return t
		}
	}
	return e.CreationTimestamp.Time
}

// Events returns the cluster's events about the claim and the pod so far, oldest first, or none
// without the right to read them.
func (c *Client) Events(ctx context.Context, claim, pod string) []model.ClusterEvent {
	var found []corev1.Event
	for _, o := range []struct{ kind, name string }{{claimKind, claim}, {podKind, pod}} {
		if list, err := c.events(ctx, c.Namespace, o.kind, o.name); err == nil {
			found = append(found, list...)
		}
	}
	slices.SortStableFunc(found, func(a, b corev1.Event) int { return eventTime(&a).Compare(eventTime(&b)) })
	var events []model.ClusterEvent
	for i := range found {
		e := &found[i]
		events = append(events, model.ClusterEvent{Object: e.InvolvedObject.Kind, Type: e.Type, Reason: e.Reason, Message: oneLine(e.Message)})
	}
	return events
}
