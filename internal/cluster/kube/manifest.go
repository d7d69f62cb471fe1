package kube

import (
	"bytes"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Manifests are what MakeClaim (nil for a claim that exists) and MakePod make, as YAML.
func (c *Client) Manifests(claim *ClaimSpec, pod PodSpec) ([]byte, error) {
	if err := pod.Check(); err != nil {
		return nil, err
	}
	objects := []runtime.Object{c.manifest(pod)}
	if claim != nil {
		objects = []runtime.Object{c.claim(*claim), objects[0]}
	}
	var documents [][]byte
	for _, o := range objects {
		text, err := yaml.Marshal(o)
		if err != nil {
			return nil, err
		}
		documents = append(documents, text)
	}
	return bytes.Join(documents, []byte("---\n")), nil
}
