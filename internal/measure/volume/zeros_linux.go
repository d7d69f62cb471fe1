package volume

import (
	"bytes"
	"context"
	"fmt"
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

// SampleZeros reads blocks spread evenly over the first size bytes of what is held, and records in a proof
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
	nothing := make([]byte, zeroBlock)
	end := system.Now().Add(zeroLimit)
	for i := range min(zeroSamples, blocks) {
		if ctx.Err() != nil || system.Now().After(end) {
			break
		}
		at := (2*i + 1) * blocks / (2 * min(zeroSamples, blocks)) * zeroBlock
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
