package checks

import (
	"fmt"
	"io"
	"strings"
)

// mostAnnotations is how many errors, and how many warnings, GitHub shows for a step.
const mostAnnotations = 10

// The special characters of a workflow command: in its message, and in its properties (the rules of
// @actions/core).
var (
	commandMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// WriteAnnotations writes GitHub workflow commands for the checks that did not pass: an error for
// one that failed or cannot be trusted, a warning for an undecided one; at most as many as GitHub
// shows, the last of which counts the others. It fails only when w does.
func WriteAnnotations(w io.Writer, suites []Suite) error {
	lines := map[string][]string{}
	for _, s := range suites {
		for _, c := range s.checks {
			level := map[outcome]string{failed: "error", broken: "error", skipped: "warning"}[c.outcome]
			if level == "" {
				continue
			}
			lines[level] = append(lines[level], command(level, "loadline: "+c.verdict+": "+c.name, s.name+": "+c.name+": "+c.message))
		}
	}
	for _, level := range []string{"error", "warning"} {
		list := lines[level]
		if more := len(list) - mostAnnotations; more > 0 {
			list = append(list[:mostAnnotations-1], command(level, "loadline", fmt.Sprintf("%d more are in the report", more+1)))
		}
		for _, line := range list {
			if _, err := io.WriteString(w, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// command returns a workflow command.
func command(level, title, message string) string {
	return "::" + level + " title=" + commandProperty.Replace(title) + "::" + commandMessage.Replace(message) + "\n"
}

// Summary says in a line of Markdown how many checks passed.
func Summary(suites []Suite) string {
	n := counts(suites...)
	var parts []string
	for _, p := range []struct {
		outcome outcome
		word    string
	}{{failed, "failed"}, {broken, "invalid"}, {skipped, "unclear"}, {passed, "passed"}} {
		if n[p.outcome] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[p.outcome], p.word))
		}
	}
	sign := map[bool]string{true: "✗", false: "✓"}[n[failed]+n[broken] > 0]
	if len(parts) == 0 {
		parts = []string{"nothing was measured"}
	}
	return "**Loadline " + sign + "** " + strings.Join(parts, ", ")
}
