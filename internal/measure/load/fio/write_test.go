package fio

import (
	"bytes"
	"compress/flate"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// written fills a file, without fio, and returns its content.
func written(t *testing.T, v model.Volume) []byte {
	t.Helper()
	d := fakeDriver(t, "echo 'fio must not run' >&2; exit 9")
	var last model.Progress
	n, err := d.write(t.Context(), v, time.Minute, func(p model.Progress) { last = p })
	if err != nil || n != v.Size || last.Phase != model.PhasePrefill || last.Done != float64(v.Size) || last.Total != last.Done {
		t.Fatalf("%d bytes of %d, %v; progress %+v", n, v.Size, err, last)
	}
	data, err := os.ReadFile(v.Path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What is written has no holes, does not compress, and contains no block twice.
func TestAFileIsFilledWithNoise(t *testing.T) {
	for _, size := range []int64{512, 1 << 20, 5<<20 + 12288} {
		v := oddFile(t, size)
		data := written(t, v)
		var packed bytes.Buffer
		z, _ := flate.NewWriter(&packed, flate.BestSpeed)
		_, _ = z.Write(data)
		_ = z.Close()
		seen := map[string]bool{}
		for at := 0; at < len(data); at += 512 {
			seen[string(data[at:at+512])] = true
		}
		if int64(len(data)) != size || packed.Len() < len(data) || len(seen) != len(data)/512 {
			t.Errorf("%d bytes, which compress to %d; %d blocks differ", len(data), packed.Len(), len(seen))
		}
	}
}

func TestAFailedWriteIsToldInWords(t *testing.T) {
	v := oddFile(t, 4<<20)
	d := fakeDriver(t, "exit 9")
	gone, stop := context.WithCancel(t.Context())
	stop()
	if n, err := d.write(gone, v, 0, nil); err == nil || !strings.Contains(err.Error(), "of 4 MiB: interrupted.") || n > v.Size {
		t.Errorf("interrupted: %d bytes, %v", n, err)
	}
	full := v
	full.Path, full.Direct = "/dev/full", false
	if n, err := d.write(t.Context(), full, 0, nil); err == nil || !strings.Contains(err.Error(), "the prefill failed after 0 B of 4 MiB: an I/O failed with ENOSPC: no space is left on the storage.") || n != 0 {
		t.Errorf("full: %d bytes, %v", n, err)
	}
	if err := os.Remove(v.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := d.write(t.Context(), v, 0, nil); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("gone: %v", err)
	}
}

// Storage that does not answer must not block a fill forever.
func TestAWriterThatHangsIsGivenUp(t *testing.T) {
	d := fakeDriver(t, "exit 9")
	d.limits.flush, d.limits.grace = time.Millisecond, time.Millisecond
	never := make(chan struct{})
	if why, stuck := d.superviseWriter(t.Context(), &writer{}, never, 0, 1, nil); !strings.Contains(why, "nothing was written for") || stuck == "" {
		t.Errorf("%q%q", why, stuck)
	}
	d.limits.flush = time.Hour
	if why, stuck := d.superviseWriter(t.Context(), &writer{}, never, time.Millisecond, 1, nil); why != reasonTooSlow || stuck == "" {
		t.Errorf("%q%q", why, stuck)
	}
}
