package durability

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// begun creates a ledger with a header and the beginning of a phase of writing.
func begun(t *testing.T, blocks int) (path string, l *ledger) {
	t.Helper()
	path = filepath.Join(t.TempDir(), LedgerFile)
	l, err := createLedger(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.close() })
	h := header{Schema: ledgerSchema, Size: int64(blocks) * 512, BlockSize: 512, Blocks: blocks, Jobs: 1, Sync: syncFsync, Target: model.Target{Name: "/x", Kind: model.File, Path: "/x"}, Path: "/x"}
	for _, e := range []entry{{Header: &h}, {Before: make([]string, blocks)}, {Write: &writeEntry{Cut: 1}}} {
		if err := l.append(e); err != nil {
			t.Fatal(err)
		}
	}
	return path, l
}

// Many writers share flushes, and each one finds its entry in the file when append returns.
func TestAppendIsThereWhenItReturns(t *testing.T) {
	const blocks, writes = 16, 40
	path, l := begun(t, blocks)
	var jobs sync.WaitGroup
	for i := range blocks {
		jobs.Go(func() {
			for n := range writes {
				at := [2]uint64{uint64(i), uint64(n + 1)}
				if err := errors.Join(l.append(entry{Intent: &at}), l.append(entry{Ack: &at})); err != nil {
					t.Error(err)
					return
				}
				text, err := os.ReadFile(path)
				if line := fmt.Sprintf("{\"ack\":[%d,%d]}\n", i, n+1); err != nil || n%10 == 0 && !strings.Contains(string(text), line) {
					t.Errorf("%q is not in the ledger (%v)", line, err)
				}
			}
		})
	}
	jobs.Wait()
	s, err := readState(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range s.blocks {
		if b.intended != writes || b.floor != writes {
			t.Errorf("block %d: %+v", i, b)
		}
	}
}

// A ledger truncated at any point is still readable, and reports no more than it contains.
func TestTornLedgers(t *testing.T) {
	path, l := begun(t, 1)
	at := [2]uint64{0, 1}
	if err := errors.Join(l.append(entry{Intent: &at}), l.append(entry{Ack: &at})); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	headerEnd := strings.IndexByte(string(whole), '\n') + 1
	for _, tail := range []string{"", "\x00\x00\x00\x00", `{"ack":[0,`} {
		for n := headerEnd; n <= len(whole); n++ {
			torn := filepath.Join(t.TempDir(), LedgerFile)
			if err := os.WriteFile(torn, append(whole[:n:n], tail...), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := readState(torn)
			if err != nil {
				t.Fatalf("%d bytes and %q: %v", n, tail, err)
			}
			if int(s.good) > n || len(s.blocks) != 1 || s.blocks[0].floor > s.blocks[0].intended {
				t.Fatalf("%d bytes and %q: %+v", n, tail, s)
			}
			if n == len(whole) && s.blocks[0].floor != 1 {
				t.Fatalf("a torn end took whole lines along: %+v", s.blocks)
			}
			if d := s.report("dir"); d.Result != model.DurabilityUnproven || d.Status != model.Interrupted {
				t.Fatalf("%d bytes: %s", n, d.Statement)
			}
		}
	}
	// Resuming cuts off an incomplete last line, so that the next line is whole.
	if err := os.WriteFile(path, append(whole, `{"ack":[0,`...), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = l.close()
	more, err := openLedger(path, true)
	if err == nil {
		err = more.cutOff(int64(len(whole)))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer more.close()
	if err := more.append(entry{End: &endEntry{Status: model.Complete}}); err != nil {
		t.Fatal(err)
	}
	if s, err := readState(path); err != nil || s.end == nil {
		t.Errorf("%v, %+v", err, s)
	}
}

func TestLedgersThatAreNone(t *testing.T) {
	head := `{"header":{"schema":"loadline.ledger/v1","volume":"00000000000000000000000000000000","size":512,"block_size":512,"blocks":1,"jobs":1,"sync":"fsync"}}` + "\n"
	body := head + `{"before":["0"]}` + "\n" + `{"write":{"cut":1}}` + "\n"
	for text, words := range map[string]string{
		"":                               "does not begin with a header",
		"hello\nworld\n":                 "does not begin with a header",
		`{"intent":[0,1]}`:               "does not begin with a header",
		"x\n" + head:                     "line 1 cannot be read",
		head + "x\n" + body:              "line 2 cannot be read",
		head + head:                      "a second header",
		body + `{"ack":[0,1]}` + "\n":    "write 1 of block 0 is acknowledged, but write 0 was intended",
		body + `{"intent":[7,1]}` + "\n": "block 7 is not among the 1",
		body + `{"checked":{"cut":{},"found":[]}}` + "\n":         "0 blocks were checked, not 1",
		head + `{"intent":[0,1]}` + "\n":                          "writes before their beginning",
		head + `{"before":[]}` + "\n":                             "0 blocks are described, not 1",
		strings.Replace(head, "ledger/v1", "ledger/v9", 1):        `schema "loadline.ledger/v9"`,
		strings.Replace(head, `"blocks":1`, `"blocks":0`, 1):      "the header is impossible",
		strings.Replace(head, `"blocks":1`, `"blocks":999999`, 1): "the header is impossible",
	} {
		path := filepath.Join(t.TempDir(), LedgerFile)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readState(path)
		modeltest.Refused(t, err, words)
	}
}

// A ledger that was crafted to take up memory is refused at the offending line.
func TestLedgersThatAreTooMuch(t *testing.T) {
	head := `{"header":{"schema":"loadline.ledger/v1","volume":"00000000000000000000000000000000","size":512,"block_size":512,"blocks":1,"jobs":1,"sync":"fsync","path":"/x"}}` + "\n"
	body := head + `{"before":["0"]}` + "\n"
	phase := `{"write":{"cut":1}}` + "\n"
	long := strings.Repeat("x", 3<<20)
	for name, c := range map[string]struct{ text, words string }{
		"a long path":     {strings.Replace(head, "/x", long, 1), "line 1: it has a text of "},
		"a long reason":   {body + `{"end":{"reason":"` + long + `"}}` + "\n", "line 3: it has a text of "},
		"a long print":    {head + `{"before":["` + strings.Repeat("0", 25) + `"]}` + "\n", "line 2: the fingerprint of what block 0 held before has 25 characters"},
		"many reasons":    {body + strings.Repeat(phase+`{"cut":{"failed":"`+long[:1<<20]+`"}}`+"\n", 65), "its texts are longer than 64 MiB"},
		"too many phases": {body + strings.Repeat(phase, mostPhases+1), "more than 100000 phases"},
	} {
		path := filepath.Join(t.TempDir(), LedgerFile)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readState(path)
		t.Run(name, func(t *testing.T) { modeltest.Refused(t, err, c.words) })
	}
	path := filepath.Join(t.TempDir(), LedgerFile)
	text := strings.Replace(body, `"0"`, `"`+fingerprint([]byte("what it held"))+`"`, 1) + strings.Repeat(phase, mostPhases)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readState(path); err != nil {
		t.Errorf("the largest: %v", err)
	}
}

// A running test locks other processes out, but not its own writer.
func TestALivingLedgerIsHeld(t *testing.T) {
	path, l := begun(t, 1)
	writer, err := openLedger(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openLedger(path, true); !errors.Is(err, errHeld) {
		t.Errorf("it was taken from its test: %v", err)
	}
	_ = l.close()
	if _, err := openLedger(path, true); !errors.Is(err, errHeld) {
		t.Errorf("it was taken from its writer: %v", err)
	}
	_ = writer.close()
	again, err := openLedger(path, true)
	if err != nil {
		t.Fatal(err)
	}
	_ = again.close()
}

// A failing ledger stops the writing: nothing is written that is not in it.
func TestALedgerThatFails(t *testing.T) {
	_, l := begun(t, 1)
	_ = l.file.Close()
	at := [2]uint64{0, 1}
	for range 2 {
		if err := l.append(entry{Intent: &at}); err == nil || !strings.Contains(err.Error(), "the ledger cannot be written") {
			t.Errorf("got %v", err)
		}
	}
}
