package lab

import (
	"fmt"
	"path/filepath"
	"time"
)

// Cached starts a device of 256 MiB with 2 ms for each I/O and a read cache of the given
// size in front: data that fits into the cache is fast from the second
// read on.
func Cached(t T, size int64) Device {
	t.Helper()
	image := filepath.Join(memory(t, nbdSize), "raw.img")
	fill(t, image, nbdSize)
	s := nbdkit(t, nbdServer{filters: []string{"cache", "delay"}, plugin: []string{"file", image},
		options: []string{"cache-on-read=true", "cache=writethrough", fmt.Sprintf("cache-max-size=%d", size),
			"rdelay=" + milliseconds(2*time.Millisecond), "wdelay=" + milliseconds(2*time.Millisecond)}})
	return s.device(fmt.Sprintf("2 ms behind a cache of %d MiB", size/mebi), nbdSize)
}
