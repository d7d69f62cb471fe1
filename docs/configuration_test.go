package docs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
)

// The file shown on the page can be read, and has the values that the page describes.
func TestTheConfigurationShownIsRead(t *testing.T) {
	_, rest, _ := strings.Cut(read(t, "configuration.md"), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("configuration.md shows no file")
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"config check " + file:                              ": fine, 8 set",
		"config --config " + file + " run":                  "--results ",
		"config --config " + file + " compare --margin 4%":  "--margin           4%",
		"config --config " + file + " trace":                "--time     30s",
		"config --config " + file + " compare --no-such-fl": "unknown flag",
	} {
		var out bytes.Buffer
		e := *env.OS()
		e.Args, e.Stdout, e.Stderr = strings.Fields(args), &out, &out
		if code := cli.Run(t.Context(), &e); (code != 0) != (want == "unknown flag") || !strings.Contains(out.String(), want) {
			t.Errorf("loadline %s: exit code %d, want %q:\n%s", args, code, want, &out)
		}
	}
}
