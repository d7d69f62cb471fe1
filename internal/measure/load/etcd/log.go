package etcd

import (
	"encoding/json"
	"strings"

	"github.com/loadline/loadline/internal/measure/load/daemon"
)

// quoted is how many records of etcd's log a message quotes.
const quoted = 3

// lastRecords returns the end of etcd's log: of a record the message and the error, without the stack of the program; a
// line that is no record as it is.
func lastRecords(log string) string {
	var list []string
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		var record struct{ Msg, Error string }
		if json.Unmarshal([]byte(line), &record) == nil && record.Msg != "" {
			if line = record.Msg; record.Error != "" {
				line += ": " + record.Error
			}
		}
		if line != "" && (len(list) == 0 || list[len(list)-1] != line) {
			list = append(list, line)
		}
	}
	return daemon.LastLines(strings.Join(list, "\n"), quoted)
}
