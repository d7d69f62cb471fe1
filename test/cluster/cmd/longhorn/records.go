package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

// records writes Longhorn's custom resources, with Longhorn's field names, and
// only the fields that a benchmark may look at.
type records struct {
	client dynamic.Interface
	// data is where every node has its replicas.
	data string
}

const (
	namespace = "longhorn-system"
	// volumeLabel is Longhorn's label for the objects of a volume.
	volumeLabel = "longhornvolume"
	// image is the image that serves a volume's I/O; here a program does that.
	image = "longhornio/longhorn-engine:v1.8.0"
)

// The conditions of a volume: its state and its robustness, in Longhorn's terms.
var (
	detached = [2]string{"detached", "unknown"}
	healthy  = [2]string{"attached", "healthy"}
	degraded = [2]string{"attached", "degraded"}
)

func openRecords(kubeconfig, data string) (*records, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(config)
	return &records{client: client, data: data}, err
}

// node is a node that can hold replicas.
type node struct{ name, address string }

// nodes returns the cluster's nodes that are ready, by name.
func (r *records) nodes(ctx context.Context) ([]node, error) {
	list, err := r.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"}).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var nodes []node
	for _, item := range list.Items {
		n := node{name: item.GetName()}
		ready := false
		addresses, _, _ := unstructured.NestedSlice(item.Object, "status", "addresses")
		for _, a := range addresses {
			if m, ok := a.(map[string]any); ok && m["type"] == "InternalIP" {
				n.address, _ = m["address"].(string)
			}
		}
		conditions, _, _ := unstructured.NestedSlice(item.Object, "status", "conditions")
		for _, c := range conditions {
			if m, ok := c.(map[string]any); ok && m["type"] == "Ready" {
				ready = m["status"] == "True"
			}
		}
		if ready && n.address != "" {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b node) int { return strings.Compare(a.name, b.name) })
	return nodes, nil
}

func kind(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "longhorn.io", Version: "v1beta2", Resource: resource}
}

// write creates or changes an object, and then its status.
func (r *records) write(ctx context.Context, resource, kindName, name, volume string, spec, status map[string]any) error {
	object := func(part string, content map[string]any) (*unstructured.Unstructured, error) {
		// The API expects JSON types.
		data, err := json.Marshal(map[string]any{"apiVersion": "longhorn.io/v1beta2", "kind": kindName, part: content,
			"metadata": map[string]any{"name": name, "namespace": namespace, "labels": map[string]any{volumeLabel: volume}}})
		if err != nil {
			return nil, err
		}
		u := &unstructured.Unstructured{}
		return u, u.UnmarshalJSON(data)
	}
	how := metav1.ApplyOptions{FieldManager: "longhorn", Force: true}
	client := r.client.Resource(kind(resource)).Namespace(namespace)
	o, err := object("spec", spec)
	if err != nil {
		return err
	}
	if _, err := client.Apply(ctx, name, o, how); err != nil {
		return err
	}
	if o, err = object("status", status); err != nil {
		return err
	}
	_, err = client.ApplyStatus(ctx, name, o, how)
	return err
}

// volume records a volume, and the node where it is in use, if any.
func (r *records) volume(ctx context.Context, id string, s settings, on string, condition [2]string) error {
	current := ""
	if on != "" {
		current = image
	}
	return r.write(ctx, "volumes", "Volume", id, id,
		map[string]any{"size": s.size, "numberOfReplicas": len(s.nodes), "dataLocality": s.locality, "frontend": "blockdev", "accessMode": "rwo",
			"image": image, "dataEngine": "v1", "revisionCounterDisabled": s.uncounted, "nodeID": on},
		map[string]any{"state": condition[0], "robustness": condition[1], "currentNodeID": on, "currentImage": current})
}

// engine records a volume's engine with the modes of its replicas, by node.
func (r *records) engine(ctx context.Context, id string, s settings, on string, modes map[string]string) error {
	state, current := "stopped", ""
	if on != "" {
		state, current = "running", image
	}
	byReplica := map[string]any{}
	for node, mode := range modes {
		byReplica[replicaName(id, node)] = mode
	}
	return r.write(ctx, "engines", "Engine", id+"-e-0", id,
		map[string]any{"volumeName": id, "volumeSize": s.size, "nodeID": on, "image": image, "desireState": state, "active": true, "dataEngine": "v1"},
		map[string]any{"currentState": state, "currentImage": current, "currentSize": s.size, "replicaModeMap": byReplica})
}

// replicas records a volume's replicas.
func (r *records) replicas(ctx context.Context, id string, s settings, modes map[string]string) error {
	for node, mode := range modes {
		failedAt, state := "", "running"
		if mode == failedMode {
			failedAt, state = time.Now().UTC().Format(time.RFC3339), "error"
		}
		if err := r.write(ctx, "replicas", "Replica", replicaName(id, node), id,
			map[string]any{"volumeName": id, "volumeSize": s.size, "nodeID": node, "image": image, "active": true, "dataEngine": "v1",
				"engineName": id + "-e-0", "diskPath": r.data, "dataDirectoryName": id, "failedAt": failedAt},
			map[string]any{"currentState": state, "currentImage": image}); err != nil {
			return err
		}
	}
	return nil
}

func replicaName(id, node string) string { return id + "-r-" + node }

// remove removes everything of a volume.
func (r *records) remove(ctx context.Context, id string) error {
	for _, resource := range []string{"replicas", "engines", "volumes"} {
		if err := r.client.Resource(kind(resource)).Namespace(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: volumeLabel + "=" + id}); err != nil {
			return err
		}
	}
	return nil
}
