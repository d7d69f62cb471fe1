package open

import (
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
)

// reply is the header of a simple reply without an error.
func reply(slot uint64) []byte {
	head := binary.BigEndian.AppendUint32(nil, 0x67446698)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(head, 0), slot)
}

// After a reply that nobody asked for the connection stays broken: nobody waits for the replies behind it, which are dropped.
func TestABrokenConnectionStaysBroken(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := openNBD(os.NewFile(uintptr(pair[0]), "client"), model.Workload{BlockSize: 4096, Depth: 2, Direction: model.Write})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.close(false)
	defer unix.Close(pair[1])
	for slot := range 2 {
		if err := dev.submit(slot, true, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := unix.Write(pair[1], slices.Concat(reply(0), reply(0), reply(1))); err != nil {
		t.Fatal(err)
	}
	ended := 0
	for range 2 {
		if err := dev.reap(time.Minute, func(int, error) { ended++ }); err == nil || !strings.Contains(err.Error(), "answers a request") {
			t.Errorf("%v", err)
		}
	}
	if ended != 1 {
		t.Errorf("%d I/Os have ended", ended)
	}
}

// A server that answers a request twice, or one that was never made, is refused: its I/O would be counted twice,
// and its place would be given to two others.
func TestARequestIsAnsweredOnce(t *testing.T) {
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
