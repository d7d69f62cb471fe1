package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model/iotrace"
)

// TestTracesThatCannotBeAreDamaged: one that somebody has made by hand takes neither minutes nor
// makes sums that are no numbers.
func TestTracesThatCannotBeAreDamaged(t *testing.T) {
	const line = `{"t":1,"s":1,"device":"%s","op":"read","f":{"ios":%d,"bytes":%d,"lat":%s,"max":0.1},"w":%s}` + "\n"
	for name, c := range map[string]struct {
		lines int
		line  func(i int) string
		says  string
	}{
		"a trace":      {5000, func(i int) string { return fmt.Sprintf(line, fmt.Sprintf("sd%d", i%100), i, 4096*i, "0.5", "0.1") }, ""},
		"many devices": {5000, func(i int) string { return fmt.Sprintf(line, fmt.Sprintf("sd%d", i), 1, 4096, "0.5", "0.1") }, "4096 devices"},
		"much time":    {1, func(int) string { return fmt.Sprintf(line, "sda", 1, 4096, "1e308", "0.1") }, "cannot be"},
		"below 0":      {1, func(int) string { return fmt.Sprintf(line, "sda", 1, 4096, "0.1", "-1") }, "cannot be"},
		"fewer bytes":  {1, func(int) string { return fmt.Sprintf(line, "sda", 1, -4096, "0.1", "1") }, "line is no sample"},
	} {
		_, err := readTraceSamples(written(t, c.lines, 1, 0, func(i, _ int) string { return c.line(i) }))
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	far := 1e308
	for name, r := range map[string]iotrace.Run{"devices": {Devices: make([]iotrace.Device, 5000)}, "seconds": {Seconds: -1}, "unseen": {Devices: []iotrace.Device{{Unseen: &far}}}} {
		if traceable(&r) {
			t.Errorf("%s: taken for a trace", name)
		}
	}
}
