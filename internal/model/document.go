package model

import (
	"bytes"
	"fmt"
)

// A document may have been sent by somebody, and must not take memory out of all
// proportion to it. The bounds are far beyond what a day (86,400 s) of visits leaves: of
// five seconds each they take 26 MB of run.json, 250 bytes for each object in it.
const (
	// LargestDocument bounds a JSON document in bytes.
	LargestDocument = 64 << 20
	// leastObject is how many bytes a document has for each object or list in it beyond
	// manyObjects, and manyValues bounds the values: {} can take 500 bytes in memory, and
	// a digit 48.
	leastObject = 256
	manyObjects = 100000
	manyValues  = 4 << 20
)

// CheckDocument refuses a JSON document that is larger than any of ours, or has more
// objects, lists or values than one of its size can.
func CheckDocument(data []byte) error {
	if len(data) > LargestDocument {
		return fmt.Errorf("it is larger than %s", FormatSize(LargestDocument))
	}
	objects := bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("["))
	if most := manyObjects + len(data)/leastObject; objects > most {
		return fmt.Errorf("it has %d objects and lists in %s, and no document has more than %d", objects, FormatSize(int64(len(data))), most)
	}
	if values := bytes.Count(data, []byte(",")); values > manyValues {
		return fmt.Errorf("it has %d values, and no document has more than %d", values, manyValues)
	}
	return nil
}
