package perf

import (
	"runtime"
	"sync"
)

// concurrently calls work with 0 to n-1, as many calls at once as there are processors.
func concurrently(n int, work func(i int)) { atMost(runtime.GOMAXPROCS(0), n, work) }

// atMost calls work with 0 to n-1, at most limit calls at once.
func atMost(limit, n int, work func(i int)) {
	slots := make(chan struct{}, limit)
	var all sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			work(i)
		})
	}
	all.Wait()
}
