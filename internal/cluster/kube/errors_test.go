package kube

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// TestRefusalsAreSentences checks that each refusal of the API server says what to do.
func TestRefusalsAreSentences(t *testing.T) {
	forbidden := func(message string) metav1.Status {
		return metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: message}
	}
	for name, c := range map[string]struct {
		status     metav1.Status
		want, hint string
	}{
		"right": {forbidden(`pods "p" is forbidden: User "dev" cannot create resource "pods" in API group "" in the namespace "n"`),
			"the right to create pods in the namespace n is missing: ", "kubectl auth can-i create pods -n n"},
		"quota": {forbidden(`pods "p" is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3`),
			"the quota of the namespace n does not allow it: ", "kubectl describe quota -n n"},
		"security": {forbidden(`pods "p" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true`),
			"the Pod Security standard of the namespace n refuses the pod: ", "weaker standard"},
		"other": {forbidden(`pods "p" is forbidden: unable to create new content in namespace n because it is being terminated`),
			"the cluster refuses to create pods in the namespace n: ", ""},
		"login":   {metav1.Status{Code: http.StatusUnauthorized, Reason: metav1.StatusReasonUnauthorized, Message: "Unauthorized"}, "does not accept your credentials", "log in again"},
		"invalid": {metav1.Status{Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: "Pod is invalid: spec"}, "Pod is invalid: spec", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, client := cluster(t)
			s.Fail["POST /api/v1/namespaces/n/pods"] = c.status
			_, err := client.MakePod(context.Background(), PodSpec{Name: "p", Where: Where{Image: "i"}})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.status.Message) || !strings.Contains(hint(err), c.hint) {
				t.Errorf("%v; hint %q", err, hint(err))
			}
			var w *model.WorkerError
			if !errors.As(err, &w) || w.Class != model.Refused {
				t.Errorf("%#v is no refusal", err)
			}
			if RefusedByPodSecurity(err) != (name == "security") {
				t.Error("Pod Security is mistaken")
			}
		})
	}
}

// TestPodsOfAYoungNamespaceWait: the service account is created a moment after the namespace.
func TestPodsOfAYoungNamespaceWait(t *testing.T) {
	s, client := cluster(t)
	const pod = "POST /api/v1/namespaces/n/pods"
	s.Fail[pod] = metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden,
		Message: `pods "p" is forbidden: error looking up service account n/default: serviceaccount "default" not found`}
	time.AfterFunc(200*time.Millisecond, func() {
		s.Lock()
		defer s.Unlock()
		delete(s.Fail, pod)
	})
	if _, err := client.MakePod(t.Context(), PodSpec{Name: "p", Where: Where{Image: "i"}}); err != nil {
		t.Error(err)
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	l.Close()
	c := &Client{Namespace: "n"}
	if err := c.connect(&rest.Config{Host: address}); err != nil {
		t.Fatal(err)
	}
	_, err = c.Own(context.Background(), "n", "")
	if err == nil || !strings.HasPrefix(err.Error(), "the API server at "+address+" does not answer: ") {
		t.Errorf("%v", err)
	}
}

const kubeconfig = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: one, context: {cluster: c, user: u, namespace: prod}}, {name: two, context: {cluster: c, user: u}}]
current-context: one
`

func TestOpenTakesWhatKubectlTakes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", "")
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	nothing := &env.Env{Getenv: func(string) string { return "" }}
	for name, c := range map[string]struct {
		access                   Access
		namespace, context, fail string
	}{
		"current":   {Access{Kubeconfig: file}, "prod", "one", ""},
		"named":     {Access{Kubeconfig: file, Context: "two"}, "default", "two", ""},
		"namespace": {Access{Kubeconfig: file, Namespace: "test"}, "test", "one", ""},
		"unknown":   {Access{Kubeconfig: file, Context: "three"}, "", "", `context "three" does not exist`},
		"no file":   {Access{Kubeconfig: file + "x"}, "", "", "does not exist"},
		"none":      {Access{}, "", "", "no Kubernetes cluster is configured"},
	} {
		client, err := Open(nothing, c.access)
		switch {
		case c.fail != "":
			if err == nil || !strings.Contains(err.Error(), c.fail) || hint(err) == "" {
				t.Errorf("%s: %v; hint %q", name, err, hint(err))
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case client.Namespace != c.namespace || client.Context != c.context:
			t.Errorf("%s: %s, %s", name, client.Namespace, client.Context)
		}
	}
}
