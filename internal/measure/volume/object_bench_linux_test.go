package volume

import (
	"testing"

	"github.com/loadline/loadline/internal/env"
)

// BenchmarkCheck measures the check made before and after each step on a device that is written.
func BenchmarkCheck(b *testing.B) {
	dev := loopDevice(b, image(b, b.TempDir(), 32<<20))
	o, err := Open(b.Context(), env.OS(), parse(b, dev), true, dev, "")
	if err != nil {
		b.Fatal(err)
	}
	defer o.Close()
	for b.Loop() {
		if err := o.Check(); err != nil {
			b.Fatal(err)
		}
	}
}
