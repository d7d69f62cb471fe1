package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestRecipes runs the scripts that the manual offers for copying, unchanged.
func TestRecipes(t *testing.T) {
	var text []byte
	for _, page := range []string{"compare", "ci"} {
		more, err := os.ReadFile("../../docs/" + page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, more...)
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/recipe",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits},
		Setup: func(e *testscript.Env) error {
			for _, name := range []string{"gate", "goals", "ci-gate"} {
				_, after, _ := strings.Cut(string(text), "<!-- begin "+name+" -->\n```sh\n")
				script, _, found := strings.Cut(after, "```\n<!-- end "+name+" -->")
				if !found {
					t.Fatalf("the manual has lost its script %s", name)
				}
				if err := os.WriteFile(filepath.Join(e.WorkDir, name+".sh"), []byte(script), 0o600); err != nil {
					return err
				}
			}
			return nil
		},
	})
}
