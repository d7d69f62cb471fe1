package docs_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// terms returns the words of the glossary's tables, in lower case, without remarks in brackets.
func terms(t *testing.T) []string {
	t.Helper()
	text, _, found := strings.Cut(read(t, "glossary.md"), "## Words that are not used")
	if !found {
		t.Fatal("the glossary has lost its list of words that are not used")
	}
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \|$`).FindAllStringSubmatch(text, -1) {
		for _, term := range strings.Split(m[1], ",") {
			word, remark, _ := strings.Cut(strings.TrimSpace(term), " (")
			for _, w := range []string{word, strings.TrimSuffix(remark, ")")} {
				if w = strings.ToLower(strings.Trim(w, "`")); w != "" {
					all = append(all, w)
				}
			}
		}
	}
	return all
}

// TestTheGlossaryKnowsWhatTheSchemasSay checks that the glossary has every verdict, severity, status,
// metric, direction and outcome that a document may contain.
func TestTheGlossaryKnowsWhatTheSchemasSay(t *testing.T) {
	known := terms(t)
	seen := 0
	names := []string{"verdict", "trust", "severity", "status", "metric", "direction", "outcome", "result", "lasting", "change"}
	var walk func(file, name string, node any)
	walk = func(file, name string, node any) {
		switch n := node.(type) {
		case map[string]any:
			if values, isEnum := n["enum"].([]any); isEnum && slices.Contains(names, strings.ToLower(name)) {
				for _, v := range values {
					word, isText := v.(string)
					if !isText || word == "" {
						continue
					}
					seen++
					if !slices.Contains(known, word) && !slices.Contains(known, strings.ReplaceAll(word, "-", " ")) {
						t.Errorf("%s: %s may be %q, which the glossary does not explain", file, name, word)
					}
				}
			}
			for key, below := range n {
				walk(file, key, below)
			}
		case []any:
			for _, below := range n {
				walk(file, name, below)
			}
		}
	}
	files, err := filepath.Glob("*.schema.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%v: %d schemas", err, len(files))
	}
	for _, file := range files {
		var schema any
		if err := json.Unmarshal([]byte(read(t, file)), &schema); err != nil {
			t.Fatal(err)
		}
		walk(file, "", schema)
	}
	if seen < 20 {
		t.Errorf("the schemas have only %d words", seen)
	}
}

// TestTheGlossaryKnowsTheColumnsOfThePage checks that the glossary has the headings of the page's tables.
func TestTheGlossaryKnowsTheColumnsOfThePage(t *testing.T) {
	known := terms(t)
	seen := 0
	for _, file := range []string{"results.ts", "comparison.ts", "ranking.ts"} {
		text, err := os.ReadFile(filepath.Join("../web/src/page", file))
		if err != nil {
			t.Fatal(err)
		}
		heads := regexp.MustCompile(`(?m)(?:const (?:head|numeric) = |return table\("[^"]+", )\[(.*)\]`).FindAllStringSubmatch(string(text), -1)
		if len(heads) == 0 {
			t.Errorf("%s has no heads of tables that this test finds", file)
		}
		for _, head := range heads {
			for _, m := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(head[1], -1) {
				seen++
				if !slices.Contains(known, strings.ToLower(m[1])) {
					t.Errorf("%s: the column %q is not in the glossary", file, m[1])
				}
			}
		}
	}
	text, err := os.ReadFile("../web/src/library/list.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\{ name: "([^"]+)", sort`).FindAllStringSubmatch(string(text), -1) {
		seen++
		if !slices.Contains(known, m[1]) {
			t.Errorf("the column %q of the list is not in the glossary", m[1])
		}
	}
	if seen < 20 {
		t.Errorf("the page has only %d columns", seen)
	}
}

// replaced returns the words that the glossary forbids, and what to say instead.
func replaced(t *testing.T) map[string]string {
	t.Helper()
	_, list, _ := strings.Cut(read(t, "glossary.md"), "## Words that are not used")
	words := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|$`).FindAllStringSubmatch(list, -1) {
		if m[1] == "not" {
			continue
		}
		for _, w := range strings.Split(m[1], ",") {
			words[strings.TrimSpace(w)] = m[2]
		}
	}
	if len(words) < 5 {
		t.Fatalf("the glossary replaces %v", words)
	}
	return words
}

// chosen are terms that the product uses as well as those that replace others.
var chosen = []string{"deferred work", "free space", "flush", "burst", "closed loop", "repeat"}

// TestTheChosenWordsAreUsed checks that the program's messages or the page say each term that replaces others: a
// glossary of words that nobody says is of no use.
func TestTheChosenWordsAreUsed(t *testing.T) {
	var all strings.Builder
	for path, text := range messages(t) {
		if !strings.Contains(path, "testdata") {
			all.WriteString(strings.ToLower(text) + "\n")
		}
	}
	sources, _ := filepath.Glob("../web/src/*/*.ts")
	for _, path := range sources {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(strings.ToLower(string(text)))
	}
	said := all.String()
	wanted := slices.Clone(chosen)
	for _, list := range replaced(t) {
		wanted = append(wanted, strings.Split(list, ", ")...)
	}
	for _, w := range wanted {
		// These three are words of the manual.
		if w != "flagged" && w != "working set" && w != "contain the true value" && !strings.Contains(said, strings.ToLower(w)) {
			t.Errorf("the glossary prefers %q, which nobody says", w)
		}
	}
}

// messages returns each string in the program's code, after its path.
func messages(t *testing.T) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		more := true
		for _, root := range []string{"../internal", "../cmd", "../deploy"} {
			err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
					return err
				}
				file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
				if err != nil {
					return err
				}
				ast.Inspect(file, func(n ast.Node) bool {
					if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && more {
						if text, err := strconv.Unquote(l.Value); err == nil {
							more = yield(path, text)
						}
					}
					return more
				})
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestNobodySaysAReplacedWord searches for them in the program's messages, in the page, the
// schemas, and in what is written for users.
func TestNobodySaysAReplacedWord(t *testing.T) {
	words := replaced(t)
	patterns := map[string]*regexp.Regexp{}
	for w := range words {
		end := `\b`
		if strings.HasSuffix(w, ":") {
			end = ""
		}
		patterns[w] = regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(w) + end)
		if w == strings.ToUpper(w) || w[0] >= 'A' && w[0] <= 'Z' {
			patterns[w] = regexp.MustCompile(`\b` + regexp.QuoteMeta(w) + end)
		}
	}
	// "There is no number" is plain English, and "x is no number" is not.
	existence := regexp.MustCompile(`(?i)\bthere is no\b`)
	look := func(where, text string) {
		text = existence.ReplaceAllString(text, "")
		for w, p := range patterns {
			if p.MatchString(text) {
				t.Errorf("%s says %q; the glossary says %q", where, w, words[w])
			}
		}
	}
	for _, text := range []string{"next: mend the link", "LIES: 3", "size=big is no size"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(patterns)), func(w string) bool { return patterns[w].MatchString(text) }) {
			t.Errorf("this test does not notice %q", text)
		}
	}
	seen := 0
	for path, text := range messages(t) {
		seen++
		look(path, text)
	}
	if seen < 5000 {
		t.Errorf("only %d strings were looked at", seen)
	}
	files := []string{"../README.md", "../CONTRIBUTING.md", "../SECURITY.md"}
	for _, pattern := range []string{"*.md", "*.yaml", "*.schema.json", "../examples/*.md", "../examples/*/*", "../web/*.md", "../web/src/*.ts", "../web/src/*/*.ts", "../deploy/*/*.md", "../deploy/*/*.json"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Errorf("%s: no files, %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// Names in JSON consist of words as well.
		shown := strings.ReplaceAll(string(text), "_", " ")
		if path == "glossary.md" {
			shown, _, _ = strings.Cut(shown, "## Words that are not used")
		}
		look(path, shown)
	}
}
