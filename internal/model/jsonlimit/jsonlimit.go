// Package jsonlimit limits the size of JSON documents before they are parsed.
//
// Its assumptions: a document may come from an untrusted source, so it is measured before it is
// decoded.
package jsonlimit

import (
	"bytes"
	"fmt"

	"github.com/loadline/loadline/internal/model/units"
)

// A document may come from an untrusted source, and must not use memory out of all proportion to its
// size. The limits are far beyond the result of a day (86,400 s) of repeats: at five seconds each these
// take 26 MB of run.json, 250 bytes for each object in it.
const (
	// Largest is the maximum size of a JSON document in bytes.
	Largest = 64 << 20
	// leastObject is the minimum number of bytes per object or list beyond the first manyObjects, and
	// manyValues is the maximum number of values: {} can take 500 bytes in memory, and a digit 48.
	leastObject = 256
	manyObjects = 100000
	manyValues  = 4 << 20
	// longestString is the maximum length of a name or text in bytes, as encoded: the longest of ours
	// are the options of a job, whose file is at most 1 MiB. Each is copied for each format of a
	// report.
	longestString = 2 << 20
)

// Check rejects a JSON document that is larger than any of ours, has more objects, lists or values than
// one of its size can have, or contains a longer string than any of ours.
func Check(data []byte) error {
	if len(data) > Largest {
		return fmt.Errorf("it is larger than %s", units.FormatSize(Largest))
	}
	objects := bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("["))
	if most := manyObjects + len(data)/leastObject; objects > most {
		return fmt.Errorf("it has %d objects and lists in %s, and no document has more than %d", objects, units.FormatSize(int64(len(data))), most)
	}
	if values := bytes.Count(data, []byte(",")); values > manyValues {
		return fmt.Errorf("it has %d values, and no document has more than %d", values, manyValues)
	}
	if n := longestText(data); n > longestString {
		return fmt.Errorf("it has a text of %s, and no document has one longer than %s", units.FormatSize(int64(n)), units.FormatSize(longestString))
	}
	return nil
}

// longestText returns the length of the longest string in a JSON document as encoded, in bytes, without
// decoding it.
func longestText(data []byte) int {
	longest := 0
	for {
		begin := bytes.IndexByte(data, '"')
		if begin < 0 {
			return longest
		}
		data = data[begin+1:]
		end := 0
		for end < len(data) {
			i := bytes.IndexAny(data[end:], "\"\\")
			if i < 0 {
				return max(longest, len(data))
			}
			if end += i; data[end] == '"' {
				break
			}
			end += 2 // skip the escaped character: it does not end the string
		}
		end = min(end, len(data))
		longest = max(longest, end)
		data = data[min(end+1, len(data)):]
	}
}
