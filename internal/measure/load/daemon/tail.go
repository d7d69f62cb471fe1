package daemon

import (
	"strings"
	"sync"
)

// Tail keeps the end of a program's output, at most keep bytes, however long the output is.
type Tail struct {
	mu   sync.Mutex
	text []byte
}

const keep = 64 << 10

func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if len(t.text) > 2*keep {
		t.text = append(t.text[:0], t.text[len(t.text)-keep:]...)
	}
	return len(b), nil
}

func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text[max(0, len(t.text)-keep):])
}

// Quote returns the end of a program's output on one line, or its error if there is no output.
func Quote(said string, err error) string {
	lines := LastLines(said, 3)
	if lines == "" && err != nil {
		return err.Error()
	}
	return lines
}

// LastLines returns the last n non-empty lines of a text, joined with "; ".
func LastLines(text string, n int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}
