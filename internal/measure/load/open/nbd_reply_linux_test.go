package open

import (
	"encoding/binary"
	"strings"
	"testing"
)

// A server that answers a request twice, or one that was never made, is refused: its I/O would be counted twice,
// and its place would be given to two others.
func TestARequestIsAnsweredOnce(t *testing.T) {
	reply := func(slot uint64) []byte {
		head := binary.BigEndian.AppendUint32(nil, 0x67446698) // simple reply
		return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(head, 0), slot)
	}
	n := &network{block: 4096, reading: -1, writes: []bool{true, false}, places: make([]int64, 2), unanswered: []bool{true, true}}
	var ended []int
	note := func(slot int, err error) {
		if err != nil {
			t.Errorf("slot %d: %v", slot, err)
		}
		ended = append(ended, slot)
	}
	for _, c := range []struct {
		slot    uint64
		refused bool
	}{{0, false}, {0, true}, {1, false}, {1, true}, {2, true}} {
		n.in = reply(c.slot)
		err := n.reply(note)
		if refused := err != nil && strings.Contains(err.Error(), "answers a request"); refused != c.refused {
			t.Errorf("slot %d: %v", c.slot, err)
		}
	}
	// The read in slot 1 ends with its data.
	if len(ended) != 1 || ended[0] != 0 || n.reading != 1 || n.skip != 4096 {
		t.Errorf("ended %v, reading %d, %d bytes to come", ended, n.reading, n.skip)
	}
}
