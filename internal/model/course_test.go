package model

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestAbsentFiguresAreNotZeros: a reader of the document must not average over a latency that was not
// measured, or take rank 0 for the best; reading returns what was written.
func TestAbsentFiguresAreNotZeros(t *testing.T) {
	text, err := json.Marshal(Points{P99: latencies{0.001, 0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	var back Points
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if list := doc["p99"].([]any); len(list) != 3 || list[0] != 0.001 || list[1] != nil || list[2] != 2.0 {
		t.Errorf("%v", list)
	}
	if err := json.Unmarshal(text, &back); err != nil || !slices.Equal(back.P99, latencies{0.001, 0, 2}) {
		t.Errorf("%v, %v", back.P99, err)
	}
	text, err = json.Marshal(RankEntry{System: 1, Trust: Invalid})
	if err != nil {
		t.Fatal(err)
	}
	doc = nil
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc["first"] != nil || doc["last"] != nil {
		t.Errorf("%s", text)
	}
}
