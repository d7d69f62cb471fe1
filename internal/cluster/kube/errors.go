package kube

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/loadline/loadline/internal/model"
)

// explained is an API error as a sentence; it wraps client-go's error.
type explained struct {
	*model.WorkerError
	cause error
}

func (e *explained) Unwrap() []error { return []error{e.WorkerError, e.cause} }

// explain turns an error of the API server, or of the connection to it, into a sentence.
func (c *Client) explain(verb, resource, namespace string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	refuse := func(hint, format string, a ...any) error {
		return &explained{model.RefusedError(fmt.Sprintf(format, a...), hint), err}
	}
	where := ""
	if namespace != "" {
		where = " in the namespace " + namespace
	}
	said := words(err)
	switch {
	case apierrors.IsForbidden(err) && (strings.Contains(said, "exceeded quota") || strings.Contains(said, "failed quota")):
		return refuse(quotaHint(said, namespace), "the quota of the namespace %s does not allow it: %s", namespace, said)
	case apierrors.IsForbidden(err) && limitRange.MatchString(said):
		return refuse("ask for what the namespace allows with --resources cpu=…,memory=…, or use another one: kubectl describe limitrange -n "+namespace,
			"a limit range of the namespace %s does not allow it: %s", namespace, said)
	case apierrors.IsForbidden(err) && strings.Contains(said, "PodSecurity"):
		return refuse("use a namespace with a weaker standard, or a volume with a filesystem",
			"the Pod Security standard of the namespace %s refuses the pod: %s", namespace, said)
	case apierrors.IsForbidden(err) && lacking.MatchString(said):
		// One request may need several rights: the message says which of them is missing.
		m := lacking.FindStringSubmatch(said)
		hint := fmt.Sprintf("have the Role of deploy/role.yaml bound to you; to check: kubectl auth can-i %s %s -n %s", m[1], m[2], namespace)
		if namespace == "" {
			hint = "it is needed for the whole cluster; for one namespace, name it with --namespace"
		}
		return refuse(hint, "the right to %s %s%s is missing: %s", m[1], m[2], where, said)
	case apierrors.IsUnauthorized(err):
		return refuse("log in again; kubectl get pods must work", "the cluster at %s does not accept your credentials: %s", c.config.Host, said)
	case apierrors.IsNotFound(err), apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsForbidden(err):
		return refuse("", "the cluster refuses to %s %s%s: %s", verb, resource, where, said)
	case strings.Contains(said, "x509: "):
		return refuse("check the cluster's certificate-authority in the kubeconfig", "the API server at %s is not trusted: %s", c.config.Host, said)
	case passing(err):
		return &explained{model.BrokenError(fmt.Sprintf("the API server at %s does not answer: %s", c.config.Host, said), "kubectl version; check --context and --kubeconfig"), err}
	}
	return &explained{model.BrokenError(fmt.Sprintf("the cluster could not %s %s%s: %s", verb, resource, where, said), ""), err}
}

// limitRange matches what the API server says about a LimitRange.
var limitRange = regexp.MustCompile(`(?:maximum|minimum) .*usage per |must be less than or equal to `)

// quotaHint returns what to do if a quota refuses an object: what helps depends on what it limits.
func quotaHint(said, namespace string) string {
	look := "free some of it, or use another namespace: kubectl describe quota -n " + namespace
	switch {
	case strings.Contains(said, "must specify"):
		return "say how much the pods may use, such as --resources cpu=1,memory=1Gi"
	case strings.Contains(said, "storage"):
		return "ask for less with ?size=, " + look
	case strings.Contains(said, "cpu") || strings.Contains(said, "memory"):
		return "ask for less with --resources cpu=…,memory=…, " + look
	}
	return look
}

// lacking matches the API server's message about a missing right.
var lacking = regexp.MustCompile(`cannot (\w+) resource "([^"]+)"`)

// words returns the API server's message without Go's decoration.
func words(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Message != "" {
		return status.Status().Message
	}
	return err.Error()
}

// missing reports whether the object does not exist.
func missing(err error) bool { return apierrors.IsNotFound(err) }

// forbidden reports whether a right is missing.
func forbidden(err error) bool { return apierrors.IsForbidden(err) }

// RefusedByPodSecurity reports whether the namespace's Pod Security standard refused a pod.
func RefusedByPodSecurity(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(words(err), "PodSecurity")
}
