package session

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
)

// TestManyWhoWaitTellOneStory: fifty claims that are not bound make one line, and the last one that is
// stuck is reported at the end.
func TestManyWhoWaitTellOneStory(t *testing.T) {
	const many = 50
	var mu sync.Mutex
	var said []string
	lines := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(said)
	}
	b := newArrivals(env.Clock{}, many, func(s string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, s)
	})
	b.pace = 20 * time.Millisecond
	wait := func(last string) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); !strings.HasSuffix(strings.Join(lines(), "\n"), last); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%q never was the last of\n%s", last, strings.Join(lines(), "\n"))
			}
		}
	}
	for i := range many {
		b.post(i, "the worker runs as root")
		b.post(i, fmt.Sprintf("%sthe claim loadline-20260101-sc-v%d is not bound (Provisioning: volume pvc-3cf8f2e8-5f51-44ad-ad06-%012d)", kube.Waiting, i+1, i))
	}
	story := "the claim loadline-20260101-sc-v* is not bound (Provisioning: volume pvc-*)"
	wait("waiting for 50 of 50 pods: " + story)
	for i := range many - 1 {
		b.arrive(i)
	}
	wait("waiting for 1 of 50 pods: " + story)
	b.post(many-1, kube.Waiting+"no room")
	wait("waiting for 1 of 50 pods: no room")
	if n := strings.Count(strings.Join(lines(), "\n"), "runs as root"); n != 1 {
		t.Errorf("a remark was made %d times", n)
	}
	b.close()
	before := len(lines())
	b.post(many-1, kube.Waiting+"still no room")
	time.Sleep(3 * b.pace)
	if after := lines(); len(after) != before {
		t.Errorf("it says %q after its end", after[before:])
	}
}

func TestArrivalsCountTheMost(t *testing.T) {
	b := newArrivals(env.Clock{}, 5, nil)
	b.there = 1
	b.words = map[int]string{0: "starting on node1", 1: "starting on node2", 2: "not bound", 3: "not bound"}
	if got := b.line(); got != "waiting for 4 of 5 pods: not bound (2 of them)" {
		t.Errorf("%q", got)
	}
	b.written = 1
	if got := b.line(); got != "waiting for 4 of 5 pods: not bound (2 of them); written: 1 of 5 volumes" {
		t.Errorf("%q", got)
	}
	b.words = nil
	if got := b.line(); got != "written: 1 of 5 volumes" {
		t.Errorf("%q", got)
	}
	b.written = 0
	if got := b.line(); got != "" {
		t.Errorf("%q", got)
	}
}
