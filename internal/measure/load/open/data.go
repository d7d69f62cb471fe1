package open

import (
	"encoding/binary"
	"math/rand/v2"
)

// randomize fills memory with incompressible data.
func randomize(p []byte) {
	for len(p) >= 8 {
		binary.LittleEndian.PutUint64(p, rand.Uint64())
		p = p[8:]
	}
}

// scramble changes each sector of a block before it is written, so that no block is a copy of
// another, for storage that deduplicates.
func scramble(p []byte) {
	for i := 0; i+8 <= len(p); i += 512 {
		binary.LittleEndian.PutUint64(p[i:], rand.Uint64())
	}
}
