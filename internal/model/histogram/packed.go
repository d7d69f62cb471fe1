package histogram

import "encoding/binary"

// addPacked is addKnown for packed pairs.
func (h *Histogram) addPacked(packed []byte) (missing int) {
	i := 0
	for k, n := range pairs(packed) {
		for i < len(h.keys) && h.keys[i] < k {
			i++
		}
		if i < len(h.keys) && h.keys[i] == k {
			h.counts[i] += n
		} else {
			missing++
		}
	}
	return missing
}

// pairs iterates over packed pairs, which UnmarshalJSON has checked.
func pairs(packed []byte) func(yield func(key uint16, count uint64) bool) {
	return func(yield func(uint16, uint64) bool) {
		var key uint64
		for len(packed) > 0 {
			d, n := binary.Uvarint(packed)
			c, m := binary.Uvarint(packed[n:])
			packed = packed[n+m:]
			if key += d; !yield(uint16(key), c) {
				return
			}
		}
	}
}

// each iterates over the buckets in ascending order.
func (h *Histogram) each(yield func(key uint16, count uint64) bool) {
	if h.packed != nil {
		pairs(h.packed)(yield)
		return
	}
	for i, k := range h.keys {
		if !yield(k, h.counts[i]) {
			return
		}
	}
}

// unpack converts packed pairs into slices.
func (h *Histogram) unpack() {
	if h.packed == nil {
		return
	}
	// The last byte of each number is the one below 0x80.
	numbers := 0
	for _, b := range h.packed {
		numbers += int(^b >> 7)
	}
	keys, counts := make([]uint16, 0, numbers/2), make([]uint64, 0, numbers/2)
	for k, n := range pairs(h.packed) {
		keys, counts = append(keys, k), append(counts, n)
	}
	*h = Histogram{keys: keys, counts: counts}
}
