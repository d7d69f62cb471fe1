package env

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

// Anything but a pipe is read unchanged: an empty file is empty, and has its size.
func TestOpenOfAFile(t *testing.T) {
	for _, words := range []string{"", "one\ntwo\n"} {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(words), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := f.Stat(); err != nil || info.Size() != int64(len(words)) {
			t.Errorf("%v, %v", info, err)
		}
		if got, err := io.ReadAll(iotest.OneByteReader(f)); err != nil || string(got) != words {
			t.Errorf("%q, %v, want %q", got, err, words)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
