package imported

import (
	"regexp"
	"strconv"

	"github.com/loadline/loadline/internal/model"
)

// formatIotop is no result by itself: what it says stands beside one, and an explanation uses
// it (docs/explain.md).
var formatIotop = Format{
	Name:    "iotop",
	Title:   "iotop's rows of a process, beside another tool's results",
	Example: "567937 be/4 26          3.25 M/s    6.72 M/s  ?unavailable?  postgres: app app UPDATE",
	words:   []string{"Total DISK READ", "DISK WRITE", "SWAPIN"},
	read:    readIotop,
}

// iotopRow is a row of iotop's: TID, PRIO, USER, DISK READ, DISK WRITE, then SWAPIN and IO, which
// may be not available, and the first word of the command.
var iotopRow = regexp.MustCompile(`^\s*\d+\s+[a-z?]+/\d+\s+\S+\s+([0-9.]+) ([BKMGT])/s\s+([0-9.]+) ([BKMGT])/s\s+(?:\?unavailable\?\s+|[0-9.]+ %\s+){1,2}([\w./-]+)`)

// iotopUnits are iotop's, powers of 1024.
var iotopUnits = map[string]float64{"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

// readIotop keeps the rows that moved anything.
func readIotop(t *text, p *Part) (last int, err error) {
	for i, l := range t.lines {
		m := iotopRow.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		last = t.at(i)
		read, err1 := strconv.ParseFloat(m[1], 64)
		written, err2 := strconv.ParseFloat(m[3], 64)
		if err1 != nil || err2 != nil || read+written <= 0 || len(p.observed) >= mostObserved {
			continue
		}
		p.observed = append(p.observed, model.Observation{Group: p.section, Command: m[5], Line: last,
			Read: read * iotopUnits[m[2]], Written: written * iotopUnits[m[4]]})
	}
	return last, nil
}

// mostObserved bounds what is kept of a log of iotop's.
const mostObserved = 10000
