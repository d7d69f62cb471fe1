package conventions

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinksLeadSomewhere follows the links between the manuals, and to files in
// the tree.
func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	reached, seen := map[string]bool{}, 0
	sources(t, func(path string, text []byte) {
		if filepath.Ext(path) != ".md" || strings.Contains(path, "testdata") {
			return
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			to, _, _ := strings.Cut(m[1], "#")
			if to == "" || strings.Contains(to, "://") {
				continue
			}
			seen++
			name := filepath.Join(filepath.Dir(path), to)
			reached[name] = true
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s leads to %s, which is not there", path, m[1])
			}
		}
	})
	if seen < 30 {
		t.Fatalf("only %d links seen: this test does not look where it should", seen)
	}
	for _, name := range []string{"SECURITY.md", "docs/security.md"} {
		if !reached[name] {
			t.Errorf("nothing leads to %s", name)
		}
	}
}
