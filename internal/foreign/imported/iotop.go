package imported

import (
	"regexp"
	"strconv"

	"github.com/loadline/loadline/internal/model"
)

// formatIotop is not a result by itself: it is stored alongside the results, and used by an explanation
// (docs/explain.md).
var formatIotop = Format{
	Name:    "iotop",
	Title:   "iotop's rows of a process, beside another tool's results",
	Example: "567937 be/4 26          3.25 M/s    6.72 M/s  ?unavailable?  postgres: app app UPDATE",
	words:   []string{"Total DISK READ", "DISK WRITE", "SWAPIN"},
	read:    readIotop,
}

// iotopRow matches a row of iotop's output: TID, PRIO, USER, DISK READ, DISK WRITE, then SWAPIN and IO,
// which may be unavailable, and the first word of the command.
var iotopRow = regexp.MustCompile(`^\s*\d+\s+[a-z?]+/\d+\s+\S+\s+([0-9.]+) ([BKMGT])/s\s+([0-9.]+) ([BKMGT])/s\s+(?:\?unavailable\?\s+|[0-9.]+ %\s+){1,2}([\w./-]+)`)

// iotopUnits are iotop's units, powers of 1024.
var iotopUnits = map[string]float64{"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

// readIotop keeps the rows with any I/O.
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

// mostObserved is the maximum number of rows kept from an iotop log.
const mostObserved = 10000
