package kube

import (
	"context"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

// kind is what is needed to make and remove objects of a kind.
type kind struct {
	resource string
	api      func(*Client) *rest.RESTClient
	empty    func() runtime.Object
	// order is the order of removal, lowest first: a Job or a StatefulSet would make its pod again, a claim stays as
	// long as a pod uses it, and a Job's pod needs its rights until it has removed its workers.
	order int
}

func core(c *Client) *rest.RESTClient  { return c.core }
func apps(c *Client) *rest.RESTClient  { return c.apps }
func batch(c *Client) *rest.RESTClient { return c.batch }
func rbac(c *Client) *rest.RESTClient  { return c.rbac }

// rightsOrder is the lowest order of objects that others need in order to clean up after
// themselves.
const rightsOrder = 3

// kinds are all kinds that Loadline makes, by the names shown to people.
var kinds = map[string]kind{
	"job":     {"jobs", batch, func() runtime.Object { return &batchv1.Job{} }, 0},
	setKind:   {"statefulsets", apps, func() runtime.Object { return &appsv1.StatefulSet{} }, 0},
	"pod":     {"pods", core, func() runtime.Object { return &corev1.Pod{} }, 1},
	"claim":   {"persistentvolumeclaims", core, func() runtime.Object { return &corev1.PersistentVolumeClaim{} }, 2},
	"binding": {"rolebindings", rbac, func() runtime.Object { return &rbacv1.RoleBinding{} }, rightsOrder},
	"role":    {"roles", rbac, func() runtime.Object { return &rbacv1.Role{} }, rightsOrder},
	"account": {"serviceaccounts", core, func() runtime.Object { return &corev1.ServiceAccount{} }, rightsOrder},
}

// ownOfFew lists the objects that carry the label and that few runs make: StatefulSets, and what a Job
// needs. A user who may not list them, or whose cluster does not know them, has made none, except for StatefulSets whose pods exist.
func (c *Client) ownOfFew(ctx context.Context, namespace, label string, pods []corev1.Pod, add func(kind string, m metav1.ObjectMeta)) error {
	for _, name := range []string{setKind, "job", "binding", "role", "account"} {
		all, err := c.listHeads(ctx, kinds[name], namespace, label)
		if name == setKind && forbidden(err) {
			setsOfPods(pods, add)
		}
		if forbidden(err) || missing(err) {
			continue
		}
		if err != nil {
			return err
		}
		for _, o := range all {
			add(name, o.ObjectMeta)
		}
	}
	return nil
}

// setsOfPods adds the StatefulSets that may not be listed and whose pods exist: they are not to be forgotten, as they
// would make these pods again.
func setsOfPods(pods []corev1.Pod, add func(kind string, m metav1.ObjectMeta)) {
	for _, p := range pods {
		if name := p.Labels[setLabel]; name != "" {
			head := metav1.ObjectMeta{Namespace: p.Namespace, Name: name, Labels: maps.Clone(p.Labels), Annotations: p.Annotations, CreationTimestamp: p.CreationTimestamp}
			delete(head.Labels, setLabel)
			add(setKind, head)
		}
	}
}

// listHeads lists the metadata of the objects of a kind.
func (c *Client) listHeads(ctx context.Context, k kind, namespace, label string) ([]metav1.PartialObjectMetadata, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	var all metav1.PartialObjectMetadataList
	err := k.api(c).Get().NamespaceIfScoped(namespace, namespace != "").Resource(k.resource).Param("labelSelector", label).
		SetHeader("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1").Do(ctx).Into(&all)
	return all.Items, c.explain("list", k.resource, namespace, err)
}
