package volume

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// Blocks without data read as zeros, whether nothing was ever written there or it was discarded.
func TestZerosAreSampled(t *testing.T) {
	const size = 32 << 20
	written := bytes.Repeat([]byte("loadline"), size/8)
	halves := bytes.Clone(written)
	clear(halves[:size/2])
	short := bytes.Repeat([]byte("loadline"), 3*zeroBlock/8)
	clear(short[zeroBlock : 2*zeroBlock])
	for name, c := range map[string]struct {
		content []byte
		want    model.Proof
	}{
		"written":                {written, model.Proof{Sampled: 64}},
		"one half":               {halves, model.Proof{Sampled: 64, Zeros: 32}},
		"nothing":                {make([]byte, size), model.Proof{Sampled: 64, Zeros: 64}},
		"fewer blocks":           {short, model.Proof{Sampled: 3, Zeros: 1}},
		"smaller than one block": {[]byte("loadline"), model.Proof{}},
	} {
		t.Run(name, func(t *testing.T) {
			file := t.TempDir() + "/data"
			if err := os.WriteFile(file, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			o, err := Open(t.Context(), env.OS(), parse(t, file), false, "", "")
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			var proof model.Proof
			if err := o.SampleZeros(t.Context(), int64(len(c.content)), &proof); err != nil || proof.Sampled != c.want.Sampled || proof.Zeros != c.want.Zeros {
				t.Errorf("%d of %d blocks are zeros, want %d of %d; %v", proof.Zeros, proof.Sampled, c.want.Zeros, c.want.Sampled, err)
			}
		})
	}
}

// Whatever the distance at which data repeat, holes between them are seen.
func TestHolesAtEqualDistancesAreSampled(t *testing.T) {
	const size = 64 << 20
	for _, period := range []int{1 << 20, 2 << 20, 16 << 20, size} {
		content := make([]byte, size)
		for at := 0; at < size; at += period {
			copy(content[at+period/4:at+3*period/4], bytes.Repeat([]byte("loadline"), period/16))
		}
		file := t.TempDir() + "/data"
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := Open(t.Context(), env.OS(), parse(t, file), false, "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		var proof model.Proof
		// With half of 64 blocks drawn in holes, fewer than 8 are one in 10¹⁰.
		if err := o.SampleZeros(t.Context(), size, &proof); err != nil || proof.Zeros < 8 || proof.Zeros > 56 {
			t.Errorf("every %d bytes: %+v, %v", period, proof, err)
		}
	}
}

func TestSamplingEndsWithItsContext(t *testing.T) {
	o, err := Open(t.Context(), env.OS(), parse(t, image(t, t.TempDir(), 1<<20)), false, "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := o.SampleZeros(ctx, 1<<20, &model.Proof{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
