// Package jsonlimit bounds the JSON documents that are read.
//
// Its opinion: a document may have been sent by somebody, so it is measured before it is
// decoded.
package jsonlimit

import (
	"bytes"
	"fmt"

	"github.com/loadline/loadline/internal/model/units"
)

// A document may have been sent by somebody, and must not take memory out of all
// proportion to it. The bounds are far beyond what a day (86,400 s) of repeats leaves: of
// five seconds each they take 26 MB of run.json, 250 bytes for each object in it.
const (
	// Largest bounds a JSON document in bytes.
	Largest = 64 << 20
	// leastObject is how many bytes a document has for each object or list in it beyond
	// manyObjects, and manyValues bounds the values: {} can take 500 bytes in memory, and
	// a digit 48.
	leastObject = 256
	manyObjects = 100000
	manyValues  = 4 << 20
	// longestString bounds a name or a text in bytes, as it is written: the longest of ours
	// are the options of a job, whose file has 1 MiB at most. Each is copied for each form
	// of a report.
	longestString = 2 << 20
)

// Check refuses a JSON document that is larger than any of ours, has more
// objects, lists or values than one of its size can, or a text that is longer than any.
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

// longestText is the length of the longest string in a JSON document as it is written,
// in bytes, without decoding it.
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
			end += 2 // the escaped character is none of the end
		}
		end = min(end, len(data))
		longest = max(longest, end)
		data = data[min(end+1, len(data)):]
	}
}
