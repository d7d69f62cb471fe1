package kube

import (
	"bytes"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Manifests returns, as YAML, what MakeClaim (for claims that do not exist) and MakePod make.
func (c *Client) Manifests(claims []ClaimSpec, pods ...PodSpec) ([]byte, error) {
	var objects []runtime.Object
	for _, claim := range claims {
		objects = append(objects, c.claim(claim))
	}
	for _, pod := range pods {
		if err := pod.Check(); err != nil {
			return nil, err
		}
		objects = append(objects, c.object(pod))
	}
	var documents [][]byte
	for _, o := range objects {
		text, err := document(o)
		if err != nil {
			return nil, err
		}
		documents = append(documents, text)
	}
	return bytes.Join(documents, []byte("---\n")), nil
}

// document returns an object as YAML, without the status that it does not have yet.
func document(o runtime.Object) ([]byte, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, err
	}
	delete(fields, "status")
	return yaml.Marshal(fields)
}
