package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/loadline/loadline/internal/model"
)

// get reads one object into into. The namespace is empty for cluster-scoped resources.
func (c *Client) get(ctx context.Context, api *rest.RESTClient, namespace, resource, name string, into runtime.Object) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	err := api.Get().NamespaceIfScoped(namespace, namespace != "").Resource(resource).Name(name).Do(ctx).Into(into)
	return c.explain("get", resource, namespace, err)
}

// list reads all objects with the label (every object for "") into into.
func (c *Client) list(ctx context.Context, api *rest.RESTClient, namespace, resource, label, field string, into runtime.Object) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	req := api.Get().NamespaceIfScoped(namespace, namespace != "").Resource(resource)
	if label != "" {
		req.Param("labelSelector", label)
	}
	if field != "" {
		req.Param("fieldSelector", field)
	}
	return c.explain("list", resource, namespace, req.Do(ctx).Into(into))
}

// create makes an object of ours and returns its UID. An existing object of that name is never
// changed: it is ours if it carries our token, because a response was lost; otherwise the error is
// a refusal.
func (c *Client) create(ctx context.Context, kindName string, object runtime.Object) (uid string, err error) {
	k := kinds[kindName]
	data, err := json.Marshal(object)
	if err != nil {
		return "", err
	}
	head, err := meta.Accessor(object)
	if err != nil {
		return "", err
	}
	for try := 0; ; try++ {
		uid, err = c.createOnce(ctx, k, data)
		if apierrors.IsAlreadyExists(err) {
			o := Object{Kind: kindName, Namespace: c.Namespace, Name: head.GetName(), Token: head.GetAnnotations()[tokenNote]}
			if uid, err = c.identify(ctx, o); err == nil && uid == "" {
				return "", model.RefusedError(fmt.Sprintf("%s exists already and is not this run's; it was left as it is", o), "run again: each run draws new names")
			}
		}
		again := passing(err) && try < 3 || young(err) && try < 10
		if !again || ctx.Err() != nil {
			if err != nil && try > 0 {
				// An earlier try may have made it, and be what this one was refused for: a quota.
				o := Object{Kind: kindName, Namespace: c.Namespace, Name: head.GetName(), Token: head.GetAnnotations()[tokenNote]}
				if made, lookErr := c.identify(context.WithoutCancel(ctx), o); lookErr == nil && made != "" {
					return made, nil
				}
			}
			return uid, c.explain("create", k.resource, c.Namespace, err)
		}
		c.Clock.Sleep(time.Second)
	}
}

func (c *Client) createOnce(ctx context.Context, k kind, data []byte) (uid string, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	made := k.empty()
	if err := k.api(c).Post().Namespace(c.Namespace).Resource(k.resource).Body(data).Do(ctx).Into(made); err != nil {
		return "", err
	}
	return uidOf(made), nil
}

func uidOf(object runtime.Object) string {
	if head, err := meta.Accessor(object); err == nil {
		return string(head.GetUID())
	}
	return ""
}

// identify returns the object's UID, or "" if the object is gone or another object has its name
// now.
func (c *Client) identify(ctx context.Context, o Object) (uid string, err error) {
	k := kinds[o.Kind]
	found := k.empty()
	if err := c.get(ctx, k.api(c), o.Namespace, k.resource, o.Name, found); err != nil {
		if missing(err) {
			return "", nil
		}
		return "", err
	}
	head, err := meta.Accessor(found)
	if err != nil {
		return "", err
	}
	uid = string(head.GetUID())
	switch {
	case o.UID != "" && o.UID != uid, o.UID == "" && (o.Token == "" || head.GetAnnotations()[tokenNote] != o.Token):
		return "", nil
	}
	return uid, nil
}

// remove deletes one object, but no other object that has taken its name since; an object that is
// already gone is not an error.
func (c *Client) remove(ctx context.Context, o Object, grace int64) error {
	uid := o.UID
	if uid == "" {
		var err error
		if uid, err = c.identify(ctx, o); err != nil || uid == "" {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	k, only, policy := kinds[o.Kind], types.UID(uid), metav1.DeletePropagationBackground
	body, err := json.Marshal(metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: "v1"},
		GracePeriodSeconds: &grace, PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &only}})
	if err != nil {
		return err
	}
	err = k.api(c).Delete().Namespace(o.Namespace).Resource(k.resource).Name(o.Name).Body(body).Do(ctx).Error()
	if apierrors.IsNotFound(err) {
		return nil
	}
	return c.explain("delete", k.resource, o.Namespace, err)
}

// young reports whether a namespace has only just been made: the service account of its pods is
// created later, on a busy cluster seconds later.
func young(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), `serviceaccount "default" not found`)
}

// passing reports whether an error says nothing about the request: the server is unreachable,
// starting, or busy.
func passing(err error) bool {
	if err == nil {
		return false
	}
	var netErr net.Error
	return apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err) || apierrors.IsUnexpectedServerError(err) ||
		utilnet.IsConnectionRefused(err) || utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) ||
		errors.As(err, &netErr) || errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "http2: client connection lost")
}
