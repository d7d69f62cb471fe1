package conventions

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/loadline/loadline"

func TestEveryPackageHasImportRules(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, ".depguard.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages(t) {
		top, below, _ := strings.Cut(p.path(), "/")
		if top != "internal" {
			continue
		}
		// A list is for a folder of the flow, or for one subfolder of it.
		names := strings.SplitN(below, "/", 3)
		if !regexp.MustCompile(`(?m)^(` + strings.Join(names[:min(len(names), 2)], "|") + `):$`).Match(text) {
			t.Errorf("internal/%s has no list in .depguard.yml: say there what it may import", below)
		}
	}
}

// TestImportsFollowTheFlow checks that what is asked, planned, measured, judged and shown imports only
// the steps before it. Imports of a later step are listed here with their reasons, and the list
// should become shorter.
func TestImportsFollowTheFlow(t *testing.T) {
	climbs := map[string]string{
		"measure/session judge/analyze": "whether a workload has been measured enough is asked while it is measured",
	}
	steps := []string{"cluster", "ask", "plan", "measure", "judge", "show", "cli"}
	// What other tools measured stands beside what we measure; Kbench's session does all steps, up to showing.
	beside := map[string]string{"foreign/imported": "measure", "foreign/kbench": "show"}
	step := func(path string) (name string, at int) {
		name, ours := strings.CutPrefix(path, module+"/internal/")
		first, _, _ := strings.Cut(name, "/")
		if first == "foreign" && ours {
			parts := strings.SplitN(name, "/", 3)
			if first = beside[strings.Join(parts[:min(len(parts), 2)], "/")]; first == "" {
				t.Errorf("internal/%s belongs to no step of the flow: say here to which", name)
			}
		}
		return name, slices.Index(steps, first)
	}
	for _, p := range packages(t) {
		from, at := step(p.ImportPath)
		for _, path := range p.Imports {
			to, above := step(path)
			if at < 0 || above <= at {
				continue
			}
			if pair := from + " " + to; climbs[pair] == "" {
				t.Errorf("internal/%s imports internal/%s, which is a later step: turn the call round, or pass what it needs", from, to)
			} else {
				delete(climbs, pair)
			}
		}
	}
	for pair := range climbs {
		t.Errorf("%s is gone: take it from the list", pair)
	}
}

// TestThePodsProgramIsSmall checks what loadline-agent links, because that is its memory in each of many
// pods. The rules above check each package's own imports; this test includes what they
// import in turn.
func TestThePodsProgramIsSmall(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "./cmd/loadline-agent")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	linked := strings.Fields(string(out))
	for _, path := range linked {
		first, _, _ := strings.Cut(path, "/")
		switch {
		case strings.HasPrefix(path, module):
			below := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(path, module+"/"), "internal/"), "measure/")
			below = strings.TrimPrefix(below, "cluster/")
			if name, _, _ := strings.Cut(below, "/"); !slices.Contains([]string{"worker", "agent", "link", "load", "volume", "procfs", "observe", "model", "env", "cmd"}, name) {
				t.Errorf("loadline-agent links %s, which a worker does not need", path)
			}
		case strings.HasPrefix(path, "golang.org/x/"):
		case strings.Contains(first, "."):
			t.Errorf("loadline-agent links %s: it stands beside the load in every pod, so it does without libraries", path)
		case path == "net/http", path == "crypto/tls", path == "text/template", path == "html/template", path == "go/parser":
			t.Errorf("loadline-agent links %s, which weighs more than all that a worker does", path)
		}
	}
	if !slices.Contains(linked, module+"/internal/measure/agent") {
		t.Error("no agent is linked: this test does not look where it should")
	}
}

// TestImportRulesBite runs the rules on a small module that breaks them: exactly
// the forbidden imports are refused.
func TestImportRulesBite(t *testing.T) {
	dir := t.TempDir()
	depguard, tree := filepath.Join(dir, "depguard"), filepath.Join(dir, "tree")
	build := exec.Command("go", "build", "-o", depguard, "github.com/OpenPeeDeeP/depguard/v2/cmd/depguard")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	rules, err := os.ReadFile(filepath.Join(root, ".depguard.yml"))
	if err != nil {
		t.Fatal(err)
	}
	// Together they must not form a cycle, which Go itself would refuse.
	forbidden := []string{"model env", "judge/stats model", "measure/engine measure/load/fio", "measure/agent cluster/kube", "measure/agent show/report/text", "measure/load measure/volume",
		"measure/volume measure/engine", "measure/observe measure/volume", "measure/place measure/agent", "judge/analyze measure/store", "judge/trust env", "show/report/text cluster/kube", "show/report/text judge/stats",
		"measure/store judge/stats", "ask/spec plan/profile", "measure/worker cluster/kube", "measure/volume testing", "judge/trust lab", "lab model"}
	allowed := []string{"measure/engine model", "measure/agent measure/load/fio", "judge/analyze judge/stats", "show/report/text show/report/term", "measure/place cluster/kube", "cli cluster/kube"}
	imports := map[string][]string{}
	for _, pair := range append(append([]string{}, forbidden...), allowed...) {
		from, to, _ := strings.Cut(pair, " ")
		imports[from] = append(imports[from], to)
		if to != "testing" && imports[to] == nil {
			imports[to] = []string{}
		}
	}
	write(t, filepath.Join(tree, ".depguard.yml"), string(rules))
	write(t, filepath.Join(tree, "go.mod"), "module "+module+"\n\ngo 1.26\n")
	for from, targets := range imports {
		text := "package " + filepath.Base(from) + "\n"
		for _, to := range targets {
			text += `import _ "` + importPath(to) + "\"\n"
		}
		write(t, filepath.Join(tree, strings.TrimPrefix(importPath(from), module), "file.go"), text)
	}
	cmd := exec.Command(depguard, "./...")
	cmd.Dir = tree
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("depguard ends with 0 on a module that breaks the rules")
	}
	refused := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^(\S+)/file\.go:\d+:\d+: import '(\S+)' is not allowed`).FindAllStringSubmatch(string(out), -1) {
		from, err := filepath.Rel(tree, match[1])
		if err != nil {
			t.Fatal(err)
		}
		refused[shortName(module+"/"+from)+" "+shortName(match[2])] = true
	}
	want := map[string]bool{}
	for _, pair := range forbidden {
		want[pair] = true
	}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Errorf("refused imports (-want +got):\n%s\n%s", diff, out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// importPath returns the import path of one of the short names above; shortName is the inverse.
func importPath(name string) string {
	switch name {
	case "testing":
		return name
	case "lab":
		return module + "/test/lab"
	}
	return module + "/internal/" + name
}

func shortName(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(path, module), "/internal/"), "/test/")
}
