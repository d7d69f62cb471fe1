package e2e

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The README's walkthrough from a StorageClass to a result is run as it is printed, except for the names of the classes,
// and how much is measured, and for how long.
func TestTheWalkInTheReadme(t *testing.T) {
	t.Parallel()
	diskOf(t, "node2")
	ns := namespace(t, "walk", "restricted")
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(readme), "<!-- begin walk class -->\n")
	block, _, _ := strings.Cut(after, "<!-- end walk -->")
	names := strings.NewReplacer("sc:fast", "sc:csi?size=96Mi", "sc:local-path", "sc:local-path?size=96Mi", "'", "")
	var done []string
	for _, m := range regexp.MustCompile(`(?m)^\$ loadline (.*)$`).FindAllStringSubmatch(block, -1) {
		args := append(strings.Fields(names.Replace(m[1])), "--node", "node2", "--size", "48Mi")
		kind := args[0]
		switch {
		case slices.Contains(args, "--baseline"):
			kind = "baseline"
			args = append(args, "--repeat", "2", "--max-time", "60s", "--quiet", "--format", "json")
		case kind == "run":
			args = append(args, "--max-time", "40s", "--quiet", "--format", "json")
		}
		done = append(done, kind)
		o := run(t, ns, args...)
		switch kind {
		case "plan":
			if o.code != 0 || !strings.Contains(o.stdout, "sc:csi?size=96Mi") {
				t.Errorf("%q: exit code %d: %s%s", args, o.code, o.stdout, o.stderr)
			}
		case "run":
			r := measured(t, o)
			r.carries(t, 1000)
			if len(r.Results) != 6 {
				t.Errorf("%q: %d results of quick", args, len(r.Results))
			}
		case "baseline":
			var r struct{ Comparison comparison }
			decode(t, o, &r)
			// Both classes are on one disk, but the latencies of one are those of a loop device as well.
			if o.code != 0 && o.code != 4 || len(r.Comparison.Rows) < 4 || r.Comparison.A.Environment.Cluster.Class != "local-path" || r.Comparison.B.Environment.Cluster.Class != "csi" {
				t.Errorf("%q: exit code %d, %+v: %s", args, o.code, r.Comparison, o.stderr)
			}
		}
		nothingLeft(t, ns)
	}
	if want := []string{"plan", "run", "baseline"}; !slices.Equal(done, want) {
		t.Errorf("the walk has %q, want %q", done, want)
	}
}
