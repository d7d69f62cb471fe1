package kube

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// TestManyWaitersShareTheirQuestions checks that fifty waiting callers do not send fifty times as
// many requests as one, and that each gets its own pod.
func TestManyWaitersShareTheirQuestions(t *testing.T) {
	const many = 50
	var pods []any
	for i := range many {
		pods = append(pods, pod(func(p *corev1.Pod) {
			p.Name, p.Labels = fmt.Sprintf("p%d", i), map[string]string{Label: "r"}
			p.Spec.NodeName = "node1"
		}))
	}
	s, client := cluster(t, pods...)
	begin := time.Now()
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			node, err := client.WaitRunning(t.Context(), fmt.Sprintf("p%d", i), "", time.Minute, func(string) {})
			if err != nil || node != "node1" {
				t.Errorf("pod %d: %q, %v", i, node, err)
			}
		})
	}
	time.Sleep(2 * time.Second)
	s.Lock()
	asked := len(s.Asked)
	for path, o := range s.Objects {
		if strings.Contains(path, "/pods/") {
			o["status"] = map[string]any{"phase": "Running"}
		}
	}
	s.Unlock()
	all.Wait()
	// A single caller asks five times a second for its pod and for its events. The first two polls
	// of each may come before the others have started.
	if most := 2*2*many + int(time.Since(begin).Seconds()+1)*(int(time.Second/podCacheAge)+int(time.Second/whyEach)); asked > most {
		t.Errorf("%d requests in %s, more than %d", asked, time.Since(begin), most)
	}
}

func TestAnswersAreKnownForAWhile(t *testing.T) {
	k := &known{}
	asked := 0
	for range 2 {
		got, err := know(k, "a", func() (int, error) { asked++; return 7, nil })
		if got != 7 || err != nil {
			t.Fatal(got, err)
		}
	}
	for range 2 {
		if _, err := know(k, "b", func() (int, error) { asked++; return 0, fmt.Errorf("no") }); err == nil {
			t.Fatal("an error was forgotten")
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times, not once for what is known and twice for what failed", asked)
	}
	k.replies["a"].given = time.Now().Add(-knownFor)
	if _, _ = know(k, "a", func() (int, error) { asked++; return 7, nil }); asked != 4 {
		t.Error("an old answer was believed")
	}
}
