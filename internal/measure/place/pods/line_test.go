package pods

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

// endless is a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestLinesOfAWorkerAreBounded(t *testing.T) {
	if _, err := nextLine(bufio.NewReader(endless{})); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("an endless line: %v", err)
	}
	long := strings.Repeat("y", 1<<20) + "\n"
	r := bufio.NewReader(strings.NewReader(long + "torn"))
	if line, err := nextLine(r); err != nil || string(line) != long {
		t.Errorf("a long line: %d bytes, %v", len(line), err)
	}
	if _, err := nextLine(r); !errors.Is(err, io.EOF) {
		t.Errorf("a torn line: %v", err)
	}
}
