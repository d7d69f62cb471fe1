package postgres

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/suggest"
)

// allowed are the pgbench options that may be given, and whether they take a value: those that
// affect how transactions are run and what is printed about them. A list of forbidden options would
// not be enough: pgbench accepts abbreviated options (--fil=FILE) and several letters in one word
// (-nf FILE).
var allowed = map[string]bool{
	"--protocol": true, "-M": true, "--define": true, "-D": true, "--max-tries": true, "--random-seed": true,
	"--no-vacuum": false, "-n": false, "--scale": true, "-s": true, "--exit-on-abort": false, "--continue-on-error": false,
	"--progress": true, "-P": true, "--progress-timestamp": false, "--report-per-command": false, "-r": false,
	"--failures-detailed": false, "--verbose-errors": false,
}

// refused are the options that Loadline itself gives pgbench, or that would interfere with
// recording the load, with what to do instead.
var refused = map[string]string{
	"-i": "the data are made by Loadline", "--initialize": "the data are made by Loadline",
	"-c": "say --clients", "--client": "say --clients", "-j": "say --threads", "--jobs": "say --threads",
	"-T": "say --time", "--time": "say --time", "-t": "repeats have a length, and no number of transactions: say --time", "--transactions": "repeats have a length, and no number of transactions: say --time",
	"-C": "say --connect", "--connect": "say --connect", "-R": "say --rate", "--rate": "say --rate", "-L": "say --latency-limit", "--latency-limit": "say --latency-limit",
	"-f": "say --script", "--file": "say --script",
	// A second script beside that of the load would be mixed into it.
	"-b": "say --load", "--builtin": "say --load", "-S": "say --load select", "--select-only": "say --load select",
	"-N": "say --load simple", "--skip-some-updates": "say --load simple",
	"-l": "Loadline reads the log", "--log": "Loadline reads the log", "--log-prefix": "Loadline reads the log",
	"--aggregate-interval": "Loadline needs each transaction", "--sampling-rate": "Loadline needs each transaction",
	"-h": "the server is Loadline's own", "--host": "the server is Loadline's own", "-p": "the server is Loadline's own", "--port": "the server is Loadline's own",
	"-U": "the server is Loadline's own", "--username": "the server is Loadline's own", "-d": "it would print every statement", "--debug": "it would print every statement",
	"-v": "tables are vacuumed when they are made", "--vacuum-all": "tables are vacuumed when they are made",
}

// CheckOptions refuses pgbench options that affect more than how transactions are run: those that
// Loadline sets itself, and any unknown ones. Each option is one word including its value.
func CheckOptions(options []string) error {
	for _, o := range options {
		name, value, hasValue := strings.Cut(o, "=")
		if len(o) > 2 && o[0] == '-' && o[1] != '-' {
			name, value, hasValue = o[:2], o[2:], true
		}
		takesValue, known := allowed[name]
		switch {
		case !strings.HasPrefix(o, "-"):
			return model.RefusedError(fmt.Sprintf("%q is not an option of pgbench's: write options with their values in one word", o), "such as --pgbench --protocol=prepared")
		case refused[name] != "":
			return refusedOption(o, refused[name])
		case !known:
			return refusedOption(o, "Loadline does not know it"+suggest.Question(name, slices.Sorted(maps.Keys(allowed))))
		case takesValue && value == "":
			return refusedOption(o, "it has no value, and takes one in the same word")
		case !takesValue && hasValue:
			return refusedOption(o, name+" takes no value")
		case name == "--max-tries" && strings.Trim(value, "0123456789") != "":
			return refusedOption(o, "its value is a number of tries, and pgbench would take any other for 0, without a limit")
		case (name == "-D" || name == "--define") && ownVariables[variable(value)]:
			return refusedOption(o, "pgbench itself sets that variable, by which its scripts choose their rows; a script's scale is --pgbench --scale=N")
		case strings.ContainsFunc(o, func(r rune) bool { return r < ' ' }):
			return refusedOption(fmt.Sprintf("%q", o), "it is more than one line")
		}
	}
	return nil
}

// ownVariables are those that pgbench sets itself: with another scale, the built-in scripts update rows that do not exist.
var ownVariables = map[string]bool{"scale": true, "client_id": true, "default_seed": true, "random_seed": true}

// variable returns the name in NAME=VALUE.
func variable(definition string) string {
	name, _, _ := strings.Cut(definition, "=")
	return name
}

func refusedOption(option, why string) error {
	return model.RefusedError(fmt.Sprintf("pgbench's option %s cannot be given: %s", option, why), "loadline app postgres --help")
}
