package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Several results of a Job go into one file that is still a valid document: a single
// page, or a single JSON document.
func TestSeveralThatWereFetchedAreOneDocument(t *testing.T) {
	var dirs []string
	for _, iops := range []string{"3000", "4000"} {
		dir, _ := measuredOnce(t, "run", "fake:?cv=0.01&iops="+iops, "--profile", "quick", "--only", "rand-read-iops")
		dirs = append(dirs, dir)
	}
	for _, name := range []string{"both.json", "both.html", ""} {
		e, stdout, stderr := world("fetch")
		output := outputFlags{}
		if name != "" {
			output.file = filepath.Join(t.TempDir(), name)
		}
		if err := output.choose(); err != nil {
			t.Fatal(err)
		}
		if err := output.into(e, func() error { return printFetched(e, dirs, &output) }); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if n := strings.Count(stderr.String(), "fetched "); n != 2 {
			t.Errorf("%q: %s", name, stderr)
		}
		if name == "" {
			if n := strings.Count(stdout.String(), "target  "); n != 2 {
				t.Errorf("%d reports in the text:\n%s", n, stdout)
			}
			continue
		}
		data, err := os.ReadFile(output.file)
		if err != nil {
			t.Fatal(err)
		}
		if name == "both.json" && !json.Valid(data) {
			t.Errorf("this is no JSON document: %.200s", data)
		}
		if n := strings.Count(string(data), "<!doctype html>") + strings.Count(string(data), "<!DOCTYPE html>"); name == "both.html" && n != 1 {
			t.Errorf("the file holds %d pages", n)
		}
	}
}
