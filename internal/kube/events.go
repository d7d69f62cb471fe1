package kube

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/loadline/loadline/internal/model"
)

// The API's kinds of the objects that events are about.
const (
	claimKind = "PersistentVolumeClaim"
	podKind   = "Pod"
)

// events are those about an object, the newest first. Kind is the API's ("Pod").
func (c *Client) events(ctx context.Context, namespace, kind, name string) ([]corev1.Event, error) {
	var all corev1.EventList
	selector := "involvedObject.kind=" + kind + ",involvedObject.name=" + name
	if err := c.list(ctx, c.core, namespace, "events", "", selector, &all); err != nil {
		return nil, err
	}
	slices.SortStableFunc(all.Items, func(a, b corev1.Event) int { return eventTime(&b).Compare(eventTime(&a)) })
	return all.Items, nil
}

func eventTime(e *corev1.Event) time.Time {
	for _, t := range []time.Time{e.LastTimestamp.Time, e.EventTime.Time, e.FirstTimestamp.Time} {
		if !t.IsZero() {
			return t
		}
	}
	return e.CreationTimestamp.Time
}

// latest is the newest event about an object, or its newest warning.
func (c *Client) latest(ctx context.Context, namespace, kind, name string, warning bool) *corev1.Event {
	all, err := c.events(ctx, namespace, kind, name)
	if err != nil {
		return nil
	}
	for i := range all {
		if !warning || all[i].Type == corev1.EventTypeWarning {
			return &all[i]
		}
	}
	return nil
}

// eventWords is "FailedMount: no such device"; a message may begin with its reason.
func eventWords(e *corev1.Event) string {
	words := oneLine(e.Message)
	if strings.HasPrefix(words, e.Reason) {
		return words
	}
	return e.Reason + ": " + words
}

// Events are what the cluster said about the claim and the pod so far, the oldest
// first. Without the right to read them there are none.
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
