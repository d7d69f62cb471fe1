package term

import (
	"io"
	"strings"
)

// LogLines is a writer for a log that makes each of its entries one line.
type LogLines struct{ W io.Writer }

func (l LogLines) Write(entry []byte) (int, error) {
	PrintLine(l.W, "loadline: %s", strings.TrimRight(string(entry), "\n"))
	return len(entry), nil
}
