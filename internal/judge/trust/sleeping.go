package trust

import (
	"regexp"

	"github.com/loadline/loadline/internal/model"
)

var (
	// scriptComments matches the comments of a script, as far as they are not nested.
	scriptComments = regexp.MustCompile(`(?s)/\*.*?\*/|--[^\n]*`)
	// scriptSleeps matches what makes a client wait for nothing but time: pgbench's command, between whose
	// backslash and word there may be blanks and line continuations, and the server's functions.
	scriptSleeps = regexp.MustCompile(`(?i)\\(?:[ \t\r\f\v]|\\\r*\n)*(sleep)\b|\b(pg_sleep(?:_for|_until)?)\s*\(`)
)

// sleeping returns what makes the clients of a workload sleep, as its script has it; "" if nothing does. For how
// long, and whether it is reached, is not known.
func sleeping(w model.Workload) string {
	m := scriptSleeps.FindStringSubmatch(scriptComments.ReplaceAllString(w.App.Script, ""))
	switch {
	case m == nil:
		return ""
	case m[1] != "":
		return `\` + m[1]
	}
	return m[2]
}
