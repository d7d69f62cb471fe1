package fio

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// A log is written to space that was never written, even if the volume was prefilled; each write is
// followed by a flush, and no alignment is required on a volume with direct I/O.
func TestALogBeginsInSpaceThatWasNeverWritten(t *testing.T) {
	d := realDriver(t)
	ctx := context.Background()
	v := oddFile(t, 64<<20)
	if _, err := d.Fill(ctx, v, time.Minute, nil); err != nil {
		t.Fatal(err)
	}
	v.Direct = true
	w := model.Workload{Name: "wal", Access: model.Sequential, Direction: model.Write, BlockSize: 2300, Depth: 1, Sync: "fdatasync", Append: true, RateIOPS: 300}
	for number := 1; number <= 2; number++ {
		var c collected
		r, err := d.Run(ctx, model.StartRequest{Step: model.Step{Number: number, Seconds: 2}, Workload: w, Volume: v}, load.BeginNow, c.emit)
		if err != nil || r.Error != "" {
			t.Fatalf("%+v, %v", r, err)
		}
		var writes, flushes, counted uint64
		for _, s := range c.samples {
			if s.Write == nil || s.Sync == nil {
				t.Fatalf("a second without its writes and flushes: %+v", s)
			}
			writes, flushes, counted = writes+s.Write.IOs, flushes+s.Sync.IOs, counted+s.Sync.Histogram.Count()
		}
		// fio may do one flush more or less at either end.
		if writes == 0 || flushes+2 < writes || flushes > writes+2 || counted != flushes {
			t.Errorf("%d writes, %d flushes, %d of them with a latency", writes, flushes, counted)
		}
		// 300 writes a second for 2 s are 1.3 MiB; the prefill's data behind them are gone.
		rest, err := os.ReadFile(v.Path)
		if err != nil || int64(len(rest)) != v.Size {
			t.Fatalf("%d bytes, %v", len(rest), err)
		}
		if rest = rest[8<<20:]; !bytes.Equal(rest, make([]byte, len(rest))) {
			t.Error("behind what was written, the space is not new")
		}
		if bytes.Equal(make([]byte, 4096), firstPage(t, v.Path)) {
			t.Error("nothing was written at its begin")
		}
	}
}

func firstPage(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4096)
	if _, err := f.ReadAt(page, 0); err != nil {
		t.Fatal(err)
	}
	return page
}
