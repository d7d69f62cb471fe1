package jobs

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/env"
)

// TestInputFilesArrive: what was read here is read there, byte by byte, under its name, and
// everything else is read where the command runs.
func TestInputFilesArrive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.MapOf(rapid.StringN(1, 20, 200), rapid.SliceOf(rapid.Byte())).Draw(t, "files")
		here, there := env.OS(), env.OS()
		here.ReadFile = func(name string) ([]byte, error) {
			if data, known := files[name]; known {
				return data, nil
			}
			return nil, fs.ErrNotExist
		}
		there.ReadFile = func(name string) ([]byte, error) { return []byte("there: " + name), nil }
		packed := Files{}
		gathering := packed.Gather(here)
		for name := range files {
			if _, err := gathering.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := gathering.ReadFile("in neither place, and too long for a name"); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		args := packed.Pack()
		for i := 0; i < len(args); i += 2 {
			if args[i] != "--file" {
				t.Fatalf("%q", args)
			}
		}
		var words []string
		for i := 1; i < len(args); i += 2 {
			words = append(words, args[i])
		}
		arrived, err := Unpack(words)
		if err != nil {
			t.Fatal(err)
		}
		reading := arrived.Provide(there)
		for name, want := range files {
			if got, err := reading.ReadFile(name); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%q: %q, %v, want %q", name, got, err, want)
			}
		}
		if got, _ := reading.ReadFile("in neither place, and too long for a name"); !strings.HasPrefix(string(got), "there: ") {
			t.Fatalf("%q", got)
		}
	})
}

// TestInputFilesAreReadOnce: a pipe has its content once, and it is checked and then sent.
func TestInputFilesAreReadOnce(t *testing.T) {
	reads := 0
	e := env.OS()
	e.ReadFile = func(string) ([]byte, error) {
		reads++
		return []byte("x"), nil
	}
	gathering := Files{}.Gather(e)
	for range 2 {
		if got, err := gathering.ReadFile("/dev/fd/63"); err != nil || string(got) != "x" {
			t.Errorf("%q, %v", got, err)
		}
	}
	if reads != 1 {
		t.Errorf("%d reads", reads)
	}
}

// TestInputFilesHaveALimit: the largest file that is let through makes an argument that Linux
// takes, and one byte more is refused with both numbers.
func TestInputFilesHaveALimit(t *testing.T) {
	const name = "own.yaml"
	largest := 0
	for size := 98_000; size < 98_400; size++ {
		if (Files{name: make([]byte, size)}).Check() == nil {
			largest = size
		}
	}
	for _, c := range []struct {
		size int
		fits bool
	}{{largest, true}, {largest + 1, false}} {
		if arg := (Files{name: make([]byte, c.size)}).Pack()[1]; (len(arg) < 128<<10) != c.fits {
			t.Errorf("%d bytes make an argument of %d", c.size, len(arg))
		}
	}
	err := Files{name: make([]byte, 100_000)}.Check()
	if diff := cmp.Diff("own.yaml is 100000 bytes long, and a file that travels with a Job may be 98296", err.Error()); diff != "" {
		t.Error(diff)
	}
}
