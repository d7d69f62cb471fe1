package apps

import (
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// Postgres is PostgreSQL, loaded by pgbench.
var Postgres = App{
	Kind: model.Postgres, Title: "PostgreSQL", Tool: "pgbench", Process: "postgres", Database: true,
	Unsafe:         []model.Setting{{Name: "fsync", Value: "off"}, {Name: "synchronous_commit", Value: "off"}, {Name: "full_page_writes", Value: "off"}},
	TimeProcessors: "measure it again, with connections that last: loadline app postgres DIR; the kernel must tell (/proc/PID/schedstat)",
	TimeFlushes:    "loadline app postgres DIR --set track_wal_io_timing=on; of a server that exists: ALTER SYSTEM SET track_wal_io_timing=on",
	SampleWaits:    "measure it again: loadline app postgres samples what sessions wait for",
	TimeReads:      "loadline app postgres DIR --set track_io_timing=on; of a server that exists: ALTER SYSTEM SET track_io_timing=on",
	RoundTrips:     roundTrips,
}

// statements is the number of statements in each of pgbench's built-in transactions; each is a round
// trip.
var statements = map[string]float64{"tpcb-like": 7, "simple-update": 5, "select-only": 1}

// builtin is pgbench's option that names a built-in transaction, and shortBuiltins are short ones for two of them.
const builtin = "--builtin="

var shortBuiltins = map[string]string{"-S": "select-only", "--select-only": "select-only", "-N": "simple-update", "--skip-some-updates": "simple-update"}

// roundTrips returns the number of round trips per transaction of a load; 0 if unknown, because a user's
// script may have any number, and so may a mix of built-in transactions. No other option that can be given changes
// it: a prepared statement also takes one round trip, apart from its preparation.
func roundTrips(l model.AppLoad) float64 {
	if l.Script != "" {
		return 0
	}
	n, named := 0.0, false
	for _, o := range l.OptionList() {
		name, names := strings.CutPrefix(o, builtin)
		if short := shortBuiltins[o]; short != "" {
			name, names = short, true
		}
		if names && named || strings.HasPrefix(o, "-b") {
			return 0
		}
		if names {
			n, named = statements[name], true
		}
	}
	return n
}
