package kube

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// manager is the name under which the server notes the fields that we set.
const manager = "loadline"

// get reads one object into into. The namespace is empty for what has none.
func (c *Client) get(ctx context.Context, api *rest.RESTClient, namespace, resource, name string, into runtime.Object) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	err := api.Get().NamespaceIfScoped(namespace, namespace != "").Resource(resource).Name(name).Do(ctx).Into(into)
	return c.explain("get", resource, namespace, err)
}

// list reads all objects with the label (all of them for "") into into.
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

// apply makes the object as it is described, by server-side apply: repeating it
// after a lost answer does no harm.
func (c *Client) apply(ctx context.Context, k kind, name string, object runtime.Object) error {
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	for try := 0; ; try++ {
		err = c.applyOnce(ctx, k, name, data)
		again := passing(err) && try < 3 || young(err) && try < 10
		if !again || ctx.Err() != nil {
			return c.explain("create", k.resource, c.Namespace, err)
		}
		time.Sleep(time.Second)
	}
}

func (c *Client) applyOnce(ctx context.Context, k kind, name string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	return k.api(c).Patch(types.ApplyPatchType).Namespace(c.Namespace).Resource(k.resource).Name(name).
		Param("fieldManager", manager).Param("force", "true").Body(data).Do(ctx).Into(k.empty())
}

// remove deletes one object; that it is gone already is fine.
func (c *Client) remove(ctx context.Context, k kind, namespace, name string, grace int64) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	policy := metav1.DeletePropagationBackground
	body, err := json.Marshal(metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: "v1"},
		GracePeriodSeconds: &grace, PropagationPolicy: &policy})
	if err != nil {
		return err
	}
	err = k.api(c).Delete().Namespace(namespace).Resource(k.resource).Name(name).Body(body).Do(ctx).Error()
	if apierrors.IsNotFound(err) {
		return nil
	}
	return c.explain("delete", k.resource, namespace, err)
}

// young tells that a namespace has only just been made: the service account that its pods
// run as follows, seconds later on a busy cluster.
func young(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), `serviceaccount "default" not found`)
}

// passing tells that an error says nothing about the request: the server is not
// reached, is starting, or is busy.
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
