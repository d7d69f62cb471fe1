package docs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/judge/trust"
)

func TestRulesAreListedAsTheyAre(t *testing.T) {
	text := read(t, "rules.md")
	head, rest, ok := strings.Cut(text, begin)
	listed, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("rules.md has lost its markers")
	}
	want := ruleTable(t)
	if *update {
		if err := os.WriteFile("rules.md", []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("rules.md is out of date; run go test ./docs -update (-want +got):\n%s", diff)
	}
}

// ruleTable lists every rule of the registry.
func ruleTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\n| rule | what is checked | evidence | when it is not so | what to do |\n|-|-|-|-|-|\n")
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
