package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/judge/trust"
)

func TestRulesAreListedAsTheyAre(t *testing.T) {
	generated(t, "rules.md", ruleTable(t))
}

// ruleTable lists every rule of the registry.
func ruleTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\n| rule | what is checked | evidence | if the check fails | what to do |\n|-|-|-|-|-|\n")
	for _, r := range trust.Rules() {
		for what, text := range map[string]string{"name": r.Name, "check": r.Checks, "evidence": r.Evidence, "severity": r.Severity, "advice": r.Advice} {
			if text == "" || strings.ContainsAny(text, "|\n") {
				t.Errorf("the %s of rule %q is empty, or breaks the table: %q", what, r.Name, text)
			}
		}
		if !strings.HasPrefix(r.Severity, "invalid") && !strings.HasPrefix(r.Severity, "warning") && !strings.HasPrefix(r.Severity, "note") {
			t.Errorf("rule %q does not say its severity first: %q", r.Name, r.Severity)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", r.Name, r.Checks, r.Evidence, r.Severity, r.Advice)
	}
	b.WriteString("\n")
	return b.String()
}
