package store

import (
	"runtime"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A day has 86,400 seconds, so the memory taken by one second with 150 buckets decides how long a run
// can be displayed: as lists of numbers the buckets would take 1.5 kB.
func TestASecondTakesLittleMemory(t *testing.T) {
	const seconds, most = 5000, 1000
	w := begin(t, t.TempDir())
	for i := range seconds {
		f := &model.Flow{IOs: 50000}
		for k := range 150 {
			f.Histogram.Add(uint16(700+2*k+i%2), uint64(1+(i*31+k*17)%997))
		}
		if err := w.Sample(model.Sample{Step: 1, End: float64(i + 1), Seconds: 1, Read: f}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(model.Complete, ""); err != nil {
		t.Fatal(err)
	}
	before := living()
	rec, err := Read(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	each := float64(living()-before) / seconds
	if len(rec.Samples) != seconds || rec.Samples[seconds-1].Read.Histogram.Count() == 0 {
		t.Fatalf("%d seconds came back", len(rec.Samples))
	}
	if each > most {
		t.Errorf("a second takes %.0f bytes, at most %d are allowed", each, most)
	}
}

// living returns the memory in use after a garbage collection.
func living() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
