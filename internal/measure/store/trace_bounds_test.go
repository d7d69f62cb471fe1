package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model/iotrace"
)

// TestTracesThatCannotBeAreDamaged: a hand-made trace neither takes minutes to read nor makes sums
// overflow.
func TestTracesThatCannotBeAreDamaged(t *testing.T) {
	const line = `{"t":1,"s":1,"device":"%s","op":"read","f":{"ios":%d,"bytes":%d,"lat":%s,"max":0.1},"w":%s}` + "\n"
	for name, c := range map[string]struct {
		lines int
		line  func(i int) string
		says  string
	}{
		"a trace":      {5000, func(i int) string { return fmt.Sprintf(line, fmt.Sprintf("sd%d", i%100), i, 4096*i, "0.5", "0.1") }, ""},
		"many devices": {5000, func(i int) string { return fmt.Sprintf(line, fmt.Sprintf("sd%d", i), 1, 4096, "0.5", "0.1") }, "4096 devices"},
		"operations": {5000, func(i int) string {
			return strings.Replace(fmt.Sprintf(line, "sda", 1, 4096, "0.5", "0.1"), `"read"`, fmt.Sprintf(`"op%d"`, i), 1)
		}, "64 operations"},
		"sizes": {40, func(i int) string {
			return strings.Replace(fmt.Sprintf(line, "sda", 1, 4096, "0.5", "0.1"), `"op"`, fmt.Sprintf(`"size":%d,"op"`, int64(1)<<i), 1)
		}, "33 classes of size"},
		"much time":   {1, func(int) string { return fmt.Sprintf(line, "sda", 1, 4096, "1e308", "0.1") }, "more than is possible"},
		"below 0":     {1, func(int) string { return fmt.Sprintf(line, "sda", 1, 4096, "0.1", "-1") }, "more than is possible"},
		"fewer bytes": {1, func(int) string { return fmt.Sprintf(line, "sda", 1, -4096, "0.1", "1") }, "line is not a sample"},
	} {
		_, err := readTraceSamples(written(t, c.lines, 1, 0, func(i, _ int) string { return c.line(i) }), 10)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	far := 1e308
	for name, r := range map[string]iotrace.Run{"devices": {Devices: make([]iotrace.Device, 5000)}, "seconds": {Seconds: -1}, "unseen": {Devices: []iotrace.Device{{Unseen: &far}}}} {
		if plausibleTrace(&r) {
			t.Errorf("%s: taken for a trace", name)
		}
	}
}

// A sample outside the trace's time is refused, also in a trace that was cut off; one that was merely
// read late is accepted.
func TestSamplesOutsideATraceAreRefused(t *testing.T) {
	for _, c := range []struct {
		end, seconds, length float64
		fine                 bool
	}{
		{10, 1, 10, true}, {12.5, 3.5, 10, true}, {0.004, 0.004, 10, true}, {2e6, 1, 0, true},
		{1e12, 1, 10, false}, {1e12, 1e12, 10, false}, {5, 1e12, 10, false}, {5, 6, 10, false}, {100, 1, 10, false}, {1e12, 1, 0, false}, {5, 1e12, 0, false},
	} {
		_, err := readTraceSamples(written(t, 1, 1, 0, func(int, int) string {
			return fmt.Sprintf(`{"t":%g,"s":%g,"device":"sda","op":"read","f":{"ios":1,"bytes":4096,"lat":0.1,"max":0.1}}`+"\n", c.end, c.seconds)
		}), c.length)
		if (err == nil) != c.fine || err != nil && !strings.Contains(err.Error(), "outside the trace's own time") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
