// Package histogram counts latencies in fio's buckets, exactly mergeable and compact in JSON.
//
// Its assumptions: counts are added and never resampled, so any number of seconds, repeats and workers
// can be merged into one histogram, and a percentile is as exact as its bucket.
package histogram

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Histogram counts latencies in fio's fixed buckets (29 groups of 64; fio's stat.h, "FIO_IO_U_PLAT"),
// so that histograms of different seconds, repeats and workers can be added without loss. A bucket is
// at most 1/64 of its value wide, so its middle is off by at most 1/128. The zero value is empty and
// ready to use.
//
// In JSON it is one base64 string of varint pairs (key delta, count), because a run holds one histogram
// per second. For the same reason a histogram read from JSON keeps those pairs, which take a third or
// less of the memory of slices, until something is added to it.
type Histogram struct {
	// keys are sorted, with counts in the same order; or both are empty and packed holds the pairs.
	keys   []uint16
	counts []uint64
	packed []byte
}

const (
	bucketBits   = 6
	bucketValues = 1 << bucketBits
	bucketGroups = 29
	bucketCount  = bucketGroups * bucketValues
)

// Longest is the lower end of the last bucket in seconds. Of a longer latency no more is known than that it is at least this
// long: fio counts it there as well.
const Longest = float64((2*bucketValues-1)<<(bucketGroups-2)) / 1e9

// BucketOf returns the bucket of a latency in nanoseconds; values beyond the last bucket are counted in
// it.
func BucketOf(ns uint64) uint16 {
	msb := bits.Len64(ns) - 1
	if msb <= bucketBits {
		return uint16(ns)
	}
	shift := msb - bucketBits
	base := (shift + 1) << bucketBits
	offset := int(ns>>shift) & (bucketValues - 1)
	return uint16(min(base+offset, bucketCount-1))
}

// BucketMiddle returns the middle of a bucket in nanoseconds: the value that
// fio prints as the bucket's key (before rounding down to a whole number).
func BucketMiddle(bucket uint16) float64 {
	if bucket < bucketValues<<1 {
		return float64(bucket)
	}
	shift := int(bucket>>bucketBits) - 1
	base := uint64(1) << (shift + bucketBits)
	k := uint64(bucket % bucketValues)
	return float64(base) + (float64(k)+0.5)*float64(uint64(1)<<shift)
}

// Add counts n latencies of the given bucket.
func (h *Histogram) Add(bucket uint16, n uint64) {
	if n == 0 {
		return
	}
	h.unpack()
	i, found := slices.BinarySearch(h.keys, bucket)
	if found {
		h.counts[i] += n
		return
	}
	h.keys = slices.Insert(h.keys, i, bucket)
	h.counts = slices.Insert(h.counts, i, n)
}

// Merge adds all counts of o, which is not modified. It takes time linear in both and allocates only if
// o has buckets that h lacks and h has no spare capacity.
func (h *Histogram) Merge(o Histogram) {
	h.unpack()
	missing := 0
	if o.packed != nil {
		missing = h.addPacked(o.packed)
	} else {
		missing = h.addKnown(o)
	}
	if missing == 0 {
		return
	}
	o.unpack()
	// From the back, so that nothing is overwritten before it was moved.
	i, j := len(h.keys)-1, len(o.keys)-1
	h.keys = slices.Grow(h.keys, missing)[:len(h.keys)+missing]
	h.counts = slices.Grow(h.counts, missing)[:len(h.keys)]
	for to := len(h.keys) - 1; j >= 0; to-- {
		switch {
		case i < 0 || o.keys[j] > h.keys[i]:
			h.keys[to], h.counts[to] = o.keys[j], o.counts[j]
			j--
		default:
			if o.keys[j] == h.keys[i] {
				j--
			}
			h.keys[to], h.counts[to] = h.keys[i], h.counts[i]
			i--
		}
	}
}

// addKnown adds the counts of o for buckets that h has, and returns how many buckets h lacks.
func (h *Histogram) addKnown(o Histogram) (missing int) {
	i := 0
	for j, k := range o.keys {
		for i < len(h.keys) && h.keys[i] < k {
			i++
		}
		if i < len(h.keys) && h.keys[i] == k {
			h.counts[i] += o.counts[j]
		} else {
			missing++
		}
	}
	return missing
}

// Minus returns h − o, for turning cumulative histograms into those of an interval. It fails if any
// count of o is larger than that of h, which means that o is not an earlier state of h.
func (h Histogram) Minus(o Histogram) (Histogram, error) {
	h.unpack()
	o.unpack()
	d := Histogram{keys: make([]uint16, 0, len(h.keys)), counts: make([]uint64, 0, len(h.keys))}
	j := 0
	for i, k := range h.keys {
		c := h.counts[i]
		if j < len(o.keys) && o.keys[j] < k {
			return Histogram{}, errors.New("histogram went backwards: a bucket disappeared")
		}
		if j < len(o.keys) && o.keys[j] == k {
			if o.counts[j] > c {
				return Histogram{}, errors.New("histogram went backwards: a bucket shrank")
			}
			c -= o.counts[j]
			j++
		}
		if c > 0 {
			d.keys, d.counts = append(d.keys, k), append(d.counts, c)
		}
	}
	if j < len(o.keys) {
		return Histogram{}, errors.New("histogram went backwards: a bucket disappeared")
	}
	return d, nil
}

// Divide separates the latencies below the given one, in seconds, from those that are equal or longer,
// by the middles of their buckets.
func (h Histogram) Divide(seconds float64) (below, above Histogram) {
	h.unpack()
	for i, k := range h.keys {
		if BucketMiddle(k) < seconds*1e9 {
			below.Add(k, h.counts[i])
		} else {
			above.Add(k, h.counts[i])
		}
	}
	return below, above
}

// Count returns the number of latencies counted.
func (h Histogram) Count() uint64 {
	var n uint64
	for _, c := range h.each {
		n += c
	}
	return n
}

// Percentile returns the p-th percentile (0 < p ≤ 100) in seconds: the middle of
// the first bucket at which the cumulative count reaches p % of all, or Longest if that is the last one, which means at least
// that long. NaN when empty.
func (h Histogram) Percentile(p float64) float64 {
	n := h.Count()
	if n == 0 {
		return math.NaN()
	}
	want := uint64(math.Ceil(p / 100 * float64(n)))
	want = max(want, 1)
	var cum uint64
	var last uint16
	for k, c := range h.each {
		last = k
		if cum += c; cum >= want {
			break
		}
	}
	if last == bucketCount-1 {
		return Longest
	}
	return BucketMiddle(last) / 1e9
}

// PercentileUpTo is Percentile, but no more than the longest latency, in seconds, if both are in one bucket, whose middle may lie
// beyond it. A longest latency of 0 is unknown.
func (h Histogram) PercentileUpTo(p, longest float64) float64 {
	v := h.Percentile(p)
	if v > longest && longest > 0 && bucketAt(v) == bucketAt(longest) {
		return longest
	}
	return v
}

// bucketAt is the bucket of a latency in seconds.
func bucketAt(seconds float64) uint16 { return BucketOf(uint64(math.Round(seconds * 1e9))) }

// Mean returns the mean in seconds, exact to the width of the buckets. NaN when empty.
func (h Histogram) Mean() float64 {
	var sum float64
	var n uint64
	for k, c := range h.each {
		sum += float64(c) * BucketMiddle(k)
		n += c
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n) / 1e9
}

// Max returns the middle of the last bucket in seconds. NaN when empty.
func (h Histogram) Max() float64 {
	latest := math.NaN()
	for k := range h.each {
		latest = BucketMiddle(k) / 1e9
	}
	return latest
}

// Buckets calls yield for each bucket in ascending order with its middle in seconds and its count,
// until yield returns false.
func (h Histogram) Buckets(yield func(seconds float64, count uint64) bool) {
	for k, c := range h.each {
		if !yield(BucketMiddle(k)/1e9, c) {
			return
		}
	}
}

// MarshalJSON writes the histogram as one base64 string.
func (h Histogram) MarshalJSON() ([]byte, error) {
	buf := h.packed
	if buf == nil {
		buf = make([]byte, 0, 4*len(h.keys))
		var prev uint16
		for i, k := range h.keys {
			buf = binary.AppendUvarint(buf, uint64(k-prev))
			buf = binary.AppendUvarint(buf, h.counts[i])
			prev = k
		}
	}
	out := make([]byte, 0, base64.RawStdEncoding.EncodedLen(len(buf))+2)
	out = append(out, '"')
	out = base64.RawStdEncoding.AppendEncode(out, buf)
	return append(out, '"'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (h *Histogram) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if len(data) < 2 || data[0] != '"' {
		return fmt.Errorf("histogram: a base64 string is expected, not %.20s", data)
	}
	// The histogram of one second fits into the array, so decoding it allocates only what is kept.
	var room [2048]byte
	buf, err := base64.RawStdEncoding.AppendDecode(room[:0], data[1:len(data)-1])
	if err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	var key uint64
	for rest, first := buf, true; len(rest) > 0; first = false {
		d, n := binary.Uvarint(rest)
		if n <= 0 {
			return errors.New("histogram: truncated")
		}
		_, m := binary.Uvarint(rest[n:])
		if m <= 0 {
			return errors.New("histogram: truncated")
		}
		rest = rest[n+m:]
		if d >= bucketCount || key+d >= bucketCount || !first && d == 0 {
			return errors.New("histogram: not fio's 29×64 layout")
		}
		key += d
	}
	*h = Histogram{}
	if len(buf) > 0 {
		h.packed = slices.Clip(append(make([]byte, 0, len(buf)), buf...))
	}
	return nil
}

var _ json.Marshaler = Histogram{}
