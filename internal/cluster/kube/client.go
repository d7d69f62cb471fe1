package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// Access selects the cluster; empty fields mean kubectl's defaults.
type Access struct {
	Kubeconfig string
	Context    string
	Namespace  string
}

// Client talks to one cluster in one namespace.
type Client struct {
	config  *rest.Config
	core    *rest.RESTClient
	storage *rest.RESTClient
	apps    *rest.RESTClient
	batch   *rest.RESTClient
	rbac    *rest.RESTClient
	// podCache and known are shared by the copies of a client.
	podCache *podCache
	known    *known
	// Namespace is where objects are made, Context the kubeconfig's context.
	Namespace string
	Context   string
	// Clock is used for waiting.
	Clock env.Clock
}

// The client's own rate limits in requests per second; the API server has its own.
const (
	requestRate  = 100
	requestBurst = 300
	// requestTime is the timeout of one request; a watch or an exec has none.
	requestTime = 15 * time.Second
)

// Open reads the configuration by kubectl's rules: the named file, $KUBECONFIG, ~/.kube/config, and
// inside a pod its ServiceAccount. It does not contact the cluster yet. Errors are refusals.
func Open(e *env.Env, a Access) (*Client, error) {
	quiet()
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = a.Kubeconfig
	if a.Kubeconfig == "" && e.Getenv("KUBECONFIG") == "" && e.Getenv("HOME") == "" {
		rules.Precedence = nil
	}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: a.Context}
	overrides.Context.Namespace = a.Namespace
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, configRefusal(a, err)
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, configRefusal(a, err)
	}
	c := &Client{Namespace: namespace, Context: a.Context, Clock: e.Clock}
	if raw, err := loader.RawConfig(); err == nil && c.Context == "" {
		c.Context = raw.CurrentContext
	}
	return c, c.connect(config)
}

func (c *Client) connect(config *rest.Config) error {
	config.QPS, config.Burst = requestRate, requestBurst
	config.UserAgent = "loadline"
	config.WarningHandler = rest.NoWarnings{}
	c.config, c.podCache, c.known = config, &podCache{}, &known{clock: c.Clock}
	scheme := runtime.NewScheme()
	codecs := serializer.NewCodecFactory(scheme)
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, storagev1.AddToScheme, batchv1.AddToScheme, rbacv1.AddToScheme, metav1.AddMetaToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	var err error
	open := func(path string, gv schema.GroupVersion) *rest.RESTClient {
		own := rest.CopyConfig(config)
		own.APIPath, own.GroupVersion = path, &gv
		own.NegotiatedSerializer = codecs.WithoutConversion()
		client, openErr := rest.RESTClientFor(own)
		err = errors.Join(err, openErr)
		return client
	}
	c.core = open("/api", corev1.SchemeGroupVersion)
	c.storage = open("/apis", storagev1.SchemeGroupVersion)
	c.apps = open("/apis", appsv1.SchemeGroupVersion)
	c.batch = open("/apis", batchv1.SchemeGroupVersion)
	c.rbac = open("/apis", rbacv1.SchemeGroupVersion)
	if err != nil {
		return model.RefusedError(fmt.Sprintf("the cluster cannot be used as it is configured: %v", err), "kubectl config view --minify")
	}
	return nil
}

// quiet keeps client-go from writing to standard error: everything important is in the errors. It
// runs once, because connections of another client may be reading these variables.
var quiet = sync.OnceFunc(func() {
	klog.SetLogger(logr.Discard())
	utilruntime.ErrorHandlers = nil
	log.SetOutput(io.Discard)
})

func configRefusal(a Access, err error) error {
	if clientcmd.IsEmptyConfig(err) {
		return model.RefusedError("no Kubernetes cluster is configured: there is no kubeconfig, and this is not a pod",
			"name one with --kubeconfig FILE, or export KUBECONFIG=FILE")
	}
	if a.Kubeconfig != "" && errors.Is(err, os.ErrNotExist) {
		return model.RefusedError(fmt.Sprintf("the kubeconfig %s does not exist", a.Kubeconfig), "check --kubeconfig")
	}
	return model.RefusedError(fmt.Sprintf("the kubeconfig cannot be used: %v", err), "see: kubectl config get-contexts")
}

// Version returns the API server's version ("v1.34.4").
func (c *Client) Version(ctx context.Context) (string, error) {
	return know(c.known, "version", func() (string, error) { return c.version(ctx) })
}

func (c *Client) version(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	var info version.Info
	body, err := c.core.Get().AbsPath("/version").DoRaw(ctx)
	if err != nil {
		return "", c.explain("get", "version", "", err)
	}
	if err := json.Unmarshal(body, &info); err != nil {
		return "", fmt.Errorf("%s does not answer like an API server: %w", c.config.Host, err)
	}
	return info.GitVersion, nil
}
