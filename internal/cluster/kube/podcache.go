package kube

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// podCache lets many who wait for pods share one answer: fifty who each ask five times a
// second keep an API server from starting the pods that they ask for.
type podCache struct {
	waiting atomic.Int32
	mu      sync.Mutex
	read    time.Time
	pods    map[string]*corev1.Pod
}

// podCacheAge is how old a shared answer may be.
const podCacheAge = 250 * time.Millisecond

// whyEach is the time between two questions of all who wait for why they do: more ask
// less often each.
const whyEach = 50 * time.Millisecond

// addWaiter counts one more that waits, until done is called.
func (r *podCache) addWaiter() (done func()) {
	r.waiting.Add(1)
	return func() { r.waiting.Add(-1) }
}

// askEvery is the time between two questions of one who waits for why.
func (r *podCache) askEvery() time.Duration { return time.Duration(r.waiting.Load()) * whyEach }

// pod is a pod of ours as it was podCacheAge ago at most.
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

// cachedPods is the pods of all runs in the namespace; none when they cannot be listed.
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
