package kube

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// podCache shares one response among many callers waiting for pods: fifty callers that each poll
// five times a second would slow down the API server that has to start their pods.
type podCache struct {
	waiting atomic.Int32
	mu      sync.Mutex
	read    time.Time
	pods    map[string]*corev1.Pod
}

// podCacheAge is the maximum age of a shared response.
const podCacheAge = 250 * time.Millisecond

// whyEach is the interval between two queries for the reason for waiting, over all waiting callers:
// the more there are, the less often each of them asks.
const whyEach = 50 * time.Millisecond

// addWaiter adds a waiting caller, until done is called.
func (r *podCache) addWaiter() (done func()) {
	r.waiting.Add(1)
	return func() { r.waiting.Add(-1) }
}

// askEvery returns the interval at which each waiting caller asks for the reason.
func (r *podCache) askEvery() time.Duration { return time.Duration(r.waiting.Load()) * whyEach }

// pod returns a pod of ours, at most podCacheAge old.
func (c *Client) pod(ctx context.Context, name string) (*corev1.Pod, error) {
	if c.podCache.waiting.Load() > 1 {
		if p := c.cachedPods(ctx)[name]; p != nil {
			return p, nil
		}
	}
	var pod corev1.Pod
	err := c.get(ctx, c.core, c.Namespace, "pods", name, &pod)
	return &pod, err
}

// cachedPods returns the pods of all runs in the namespace, or none if they cannot be listed.
func (c *Client) cachedPods(ctx context.Context) map[string]*corev1.Pod {
	r := c.podCache
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Clock.Since(r.read) < podCacheAge {
		return r.pods
	}
	var all corev1.PodList
	if c.list(ctx, c.core, c.Namespace, "pods", Label, "", &all) != nil {
		return nil
	}
	r.read, r.pods = c.Clock.Now(), make(map[string]*corev1.Pod, len(all.Items))
	for i := range all.Items {
		r.pods[all.Items[i].Name] = &all.Items[i]
	}
	return r.pods
}
