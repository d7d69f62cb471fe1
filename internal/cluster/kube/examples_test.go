package kube

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

// TestTheManifestsAreStrictlyValid reads every manifest that we publish for copying, as an API
// server with strict field validation does: a field unknown to Kubernetes is an error.
func TestTheManifestsAreStrictlyValid(t *testing.T) {
	files, err := filepath.Glob("../../../examples/kubernetes/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	roles := map[string]bool{}
	for _, file := range append(files, "../../../deploy/role.yaml", "../../../deploy/job.yaml") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
		for n := 1; ; n++ {
			document, err := documents.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			object, _, err := decoder.Decode(document, nil, nil)
			if err != nil {
				t.Errorf("%s, document %d: %v", file, n, err)
				continue
			}
			switch o := object.(type) {
			case *rbacv1.Role:
				roles[o.Name] = true
			case *rbacv1.RoleBinding:
				// A binding to a Role that does not exist grants no rights, silently.
				if o.RoleRef.Name != "loadline" {
					t.Errorf("%s binds the Role %q", file, o.RoleRef.Name)
				}
			}
		}
	}
	if !roles["loadline"] {
		t.Errorf("the Role that the examples bind is not among %v", roles)
	}
	if _, _, err := decoder.Decode([]byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: x, lables: {}}\n"), nil, nil); err == nil {
		t.Error("a misspelt field is not noticed")
	}
}
