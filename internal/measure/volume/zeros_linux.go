package volume

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
)

const (
	// zeroSamples is how many blocks are sampled, each of zeroBlock bytes.
	zeroSamples = 64
	zeroBlock   = 4096
	// zeroLimit bounds the time on slow storage; what has been sampled until then counts.
	zeroLimit = 10 * time.Second
)

// SampleZeros reads one block, drawn at random, of each of 64 equal parts of the first size bytes of what is held, and records in a proof
// how many it read and how many contain only zeros: storage that holds no data for a block (a hole, after
// a discard) answers with zeros and need not read anything. It only reads, past the page cache where that
// is possible.
func (o *Object) SampleZeros(ctx context.Context, size int64, proof *model.Proof) error {
	file := o.File()
	if direct, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", file.Fd()), os.O_RDONLY|unix.O_DIRECT, 0); err == nil {
		defer direct.Close()
		file = direct
	}
	// A page of memory is aligned as direct I/O needs it.
	block, err := unix.Mmap(-1, 0, zeroBlock, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return fmt.Errorf("no memory for a block: %w", err)
	}
	defer func() { _ = unix.Munmap(block) }()
	blocks := size / zeroBlock
	parts := min(zeroSamples, blocks)
	nothing := make([]byte, zeroBlock)
	end := system.Now().Add(zeroLimit)
	for i := range parts {
		if ctx.Err() != nil || system.Now().After(end) {
			break
		}
		// At fixed places, data that repeat at a distance (one extent in sixteen) would be seen everywhere or nowhere.
		first := i * blocks / parts
		at := (first + rand.Int64N((i+1)*blocks/parts-first)) * zeroBlock
		if _, err := file.ReadAt(block, at); err != nil {
			// Measuring will read there as well, and describe the fault.
			break
		}
		proof.Sampled++
		if bytes.Equal(block, nothing) {
			proof.Zeros++
		}
	}
	return ctx.Err()
}
