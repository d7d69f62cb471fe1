package durability

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
)

// bench is a ledger in memory, with a device that may keep or lose each write.
type bench struct {
	s *state
	// disk holds each block; want is what the check has to find.
	disk [][]byte
}

func newBench(sync string, blocks int) *bench {
	b := &bench{s: &state{}}
	h := header{Schema: ledgerSchema, Size: int64(blocks) * 8192, BlockSize: 1024, Blocks: blocks, Jobs: 1, Sync: sync, Volume: volumeID{1, 2, 3}}
	b.take(entry{Header: &h})
	for range blocks {
		b.disk = append(b.disk, make([]byte, 1024))
	}
	b.take(entry{Before: slices.Repeat([]string{"0"}, blocks)})
	b.take(entry{Write: &writeEntry{Cut: 1}})
	return b
}

func (b *bench) take(e entry) {
	if err := b.s.take(e); err != nil {
		panic(err)
	}
}

// write issues the next write to a block; kept says whether the device keeps it.
func (b *bench) write(i int, kept, acked bool) {
	at := [2]uint64{uint64(i), b.s.blocks[i].intended + 1}
	b.take(entry{Intent: &at})
	if kept {
		encode(b.disk[i], b.s.header.Volume, b.s.header.offset(i), at[1])
	}
	if acked {
		b.take(entry{Ack: &at})
	}
}

// check judges what is on the disk.
func (b *bench) check() (model.Cut, []uint64) {
	readings := make([]reading, len(b.disk))
	for i, p := range b.disk {
		readings[i].data = slices.Clone(p)
	}
	var cut model.Cut
	return cut, judge(b.s, readings, &cut)
}

func (b *bench) judge() model.Cut {
	readings := make([]reading, len(b.disk))
	for i, p := range b.disk {
		readings[i].data = p
	}
	var cut model.Cut
	judge(b.s, readings, &cut)
	return cut
}

// Whatever is written, acknowledged and lost: exactly the acknowledged writes newer than the one
// found are counted, and nothing else is reported.
func TestLossesAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.IntRange(1, 5).Draw(t, "blocks")
		b := newBench(syncFsync, blocks)
		newest, acked := make([]int, blocks), make([]int, blocks)
		open := make([]bool, blocks)
		for range rapid.IntRange(0, 60).Draw(t, "writes") {
			i := rapid.IntRange(0, blocks-1).Draw(t, "block")
			if open[i] {
				continue // a job waits for its write to complete
			}
			kept := rapid.Bool().Draw(t, "kept")
			answered := rapid.IntRange(0, 9).Draw(t, "answered") > 0
			b.write(i, kept, answered)
			n := int(b.s.blocks[i].intended)
			if kept {
				newest[i] = n
			}
			if answered {
				acked[i] = n
			} else {
				open[i] = true
			}
		}
		var want model.Cut
		for i := range blocks {
			if newest[i] < acked[i] {
				want.Lost += acked[i] - newest[i]
				want.LostBlocks++
			}
			if open[i] {
				want.InFlight++
				if newest[i] == int(b.s.blocks[i].intended) {
					want.InFlightFound++
				}
			}
		}
		got := b.judge()
		got.Examples = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Manually planted faults are classified correctly.
func TestPlantedFaults(t *testing.T) {
	for name, c := range map[string]struct {
		plant   func(b *bench)
		want    model.Cut
		example string
	}{
		"nothing": {func(*bench) {}, model.Cut{}, ""},
		"a torn block": {func(b *bench) {
			old := slices.Clone(b.disk[1])
			b.write(1, true, true)
			copy(b.disk[1][512:], old[512:])
		}, model.Cut{Torn: 1}, "torn: block at 8192: sector 0 of write 3, sector 1 of write 2"},
		"a torn block in flight": {func(b *bench) {
			old := slices.Clone(b.disk[1])
			b.write(1, true, false)
			copy(b.disk[1][512:], old[512:])
		}, model.Cut{Torn: 1, TornInFlight: 1, InFlight: 1}, "torn: block at 8192: sector 0 of write 3, sector 1 of write 2"},
		"a flipped bit": {func(b *bench) { b.disk[0][700] ^= 4 }, model.Cut{Torn: 1}, "torn: block at 0: sector 0 of write 2, sector 1 of nothing that was written"},
		"rubbish": {func(b *bench) {
			r := rand.NewChaCha8([32]byte{})
			_, _ = r.Read(b.disk[0])
		}, model.Cut{Torn: 1}, "torn: block at 0: sectors 0–1 of nothing that was written"},
		"a block of another volume": {func(b *bench) { encode(b.disk[2], volumeID{9}, 16384, 2) },
			model.Cut{Foreign: 1}, "foreign: block at 16384: it was written by another test (volume 09000000000000000000000000000000)"},
		"a block in the wrong place": {func(b *bench) { copy(b.disk[2], b.disk[0]) },
			model.Cut{Foreign: 1}, "foreign: block at 16384: it belongs to 0 (write 2 there)"},
		"a write that nobody issued": {func(b *bench) { encode(b.disk[0], b.s.header.Volume, 0, 8) },
			model.Cut{Foreign: 1}, "foreign: block at 0: it says that it is write 8, but only 2 were issued"},
		"an older write": {func(b *bench) { encode(b.disk[0], b.s.header.Volume, 0, 1) },
			model.Cut{Lost: 1, LostBlocks: 1}, "lost: block at 0: write 2 was acknowledged, but write 1 is there"},
		"an emptied block": {func(b *bench) { clear(b.disk[0]) },
			model.Cut{Lost: 2, LostBlocks: 1}, "lost: block at 0: write 2 was acknowledged, but nothing of this test is there"},
	} {
		b := newBench(syncFsync, 3)
		for i := range 3 {
			b.write(i, true, true)
			b.write(i, true, true)
		}
		c.plant(b)
		got := b.judge()
		if c.example != "" {
			c.want.Examples = []string{c.example}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got, want := bad(&b.s.header, got), name != "nothing"; got != want {
			t.Errorf("%s: bad is %v", name, got)
		}
	}
}

// What a check has found and the next phase has flushed must stay; before that, nothing is required
// of a write that was never acknowledged.
func TestNoLaterRegression(t *testing.T) {
	b := newBench(syncFlush, 1)
	b.write(0, true, true)
	first := slices.Clone(b.disk[0])
	b.write(0, true, false)
	cut, found := b.check()
	if cut.Lost != 0 || !slices.Equal(found, []uint64{2}) {
		t.Fatalf("found %v: %+v", found, cut)
	}
	b.take(entry{Checked: &checkedEntry{Found: found}})
	copy(b.disk[0], first)
	if c := b.judge(); c.Lost != 1 {
		t.Errorf("the block went back after the check: %+v", c)
	}
	b.take(entry{Write: &writeEntry{Cut: 2, Held: true}})
	if c := b.judge(); c.Lost != 1 || c.InFlight != 0 {
		t.Errorf("the block went back after a flush: %+v", c)
	}
}

func TestReadingsThatDisagree(t *testing.T) {
	b := newBench(syncFsync, 3)
	b.write(0, true, true)
	readings := []reading{{changed: 1, data: b.disk[0]}, {err: fmt.Errorf("input/output error")}, {gone: true}}
	var cut model.Cut
	judge(b.s, readings, &cut)
	if cut.Unstable != 1 || cut.Unreadable != 1 || cut.Lost != 0 {
		t.Errorf("%+v", cut)
	}
	// A write that was under way may arrive between two passes, once.
	b.write(1, true, false)
	for changes, want := range []int{0, 0, 1} {
		cut = model.Cut{}
		judge(b.s, []reading{{data: b.disk[0]}, {changed: changes, data: b.disk[1]}, {data: b.disk[2]}}, &cut)
		if cut.Unstable != want || cut.Torn+cut.Foreign+cut.Lost != 0 {
			t.Errorf("changed %d times: %+v", changes, cut)
		}
	}
	// If the file itself is gone, so is every acknowledged write.
	cut = model.Cut{}
	judge(b.s, []reading{{gone: true}, {gone: true}, {gone: true}}, &cut)
	if cut.Lost != 1 || !strings.Contains(cut.Examples[0], "the file is gone") {
		t.Errorf("%+v", cut)
	}
}

// A single flipped bit anywhere in a block is noticed.
func TestEveryBitCounts(t *testing.T) {
	p := make([]byte, 512)
	encode(p, volumeID{7}, 4096, 3)
	for bit := range 512 * 8 {
		p[bit/8] ^= 1 << (bit % 8)
		if h, ours := decode(p); ours && h.whole {
			t.Fatalf("bit %d does not count", bit)
		}
		p[bit/8] ^= 1 << (bit % 8)
	}
	if h, ours := decode(p); !ours || !h.whole || h.seq != 3 || h.offset != 4096 || h.volume != (volumeID{7}) {
		t.Errorf("%+v", h)
	}
}
