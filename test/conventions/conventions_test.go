// Package conventions checks the rules of the repository. Its assumptions: a rule that is not checked
// is not kept, so whatever CONTRIBUTING.md demands and a program can check is a test here.
package conventions

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the top of the repository.
const root = "../.."

// notOurs are the directories without sources: those that .gitignore lists.
var notOurs = map[string]bool{".git": true, ".cache": true, "bin": true, "artifacts": true,
	"loadline-results": true, "node_modules": true}

// sources calls visit for every file of the tree.
func sources(t *testing.T, visit func(path string, text []byte)) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && notOurs[entry.Name()] {
			return filepath.SkipDir
		}
		// In a linked worktree .git is a file.
		if !entry.Type().IsRegular() || entry.Name() == ".git" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		seen++
		visit(name, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Fatalf("only %d files seen: this test does not look where it should", seen)
	}
}

// goPackage is the part of go list's output that these tests need.
type goPackage struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports                            []string
}

// path returns the directory of the package, relative to the root.
func (p goPackage) path() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "github.com/loadline/loadline"), "/")
}

// packages returns all packages of the module, by go list.
func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p goPackage
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func TestFilesAreSmall(t *testing.T) {
	sources(t, func(path string, text []byte) {
		if lines := bytes.Count(text, []byte("\n")); strings.HasSuffix(path, ".go") && lines > 600 {
			t.Errorf("%s has %d lines; a reader should find a thing by the name of its file: split it (600 is the limit, 350 is usual)", path, lines)
		}
	})
}

// TestFunctionsAreShort does not count tests: their tables are long.
func TestFunctionsAreShort(t *testing.T) {
	const most = 80
	sources(t, func(path string, text []byte) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				if lines := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1; lines > most {
					t.Errorf("%s: %s has %d lines; split it (%d is the limit)", path, f.Name.Name, lines, most)
				}
			}
		}
	})
}

// TestNoTracesOfABuildMachine also keeps out package registries: the mirror or
// proxy that one machine uses is not part of the project.
func TestNoTracesOfABuildMachine(t *testing.T) {
	// They are assembled here so that this file does not contain them.
	hosts := []string{"proxy.golang" + ".org", "sum.golang" + ".org", "pypi" + ".org", "files.pythonhosted" + ".org",
		"registry.npmjs" + ".org", "repo1.maven" + ".org", "repo.maven.apache" + ".org", "deb.debian" + ".org", "crates" + ".io"}
	traces := []*regexp.Regexp{regexp.MustCompile(`(^|[^\w/.-])/work` + `/(main|shared)\b`)}
	for _, h := range hosts {
		traces = append(traces, regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(h)))
	}
	if top, err := filepath.Abs(root); err == nil && strings.Count(top, "/") > 1 {
		traces = append(traces, regexp.MustCompile(regexp.QuoteMeta(top)+`\b`))
	}
	sources(t, func(path string, text []byte) {
		for _, trace := range traces {
			if found := trace.Find(text); found != nil {
				t.Errorf("%s mentions %q", path, found)
			}
		}
	})
}

// TestOnlyMeasuringIsRepeated checks the use of the word: a repeat is a stretch of measuring
// (docs/glossary.md). A callback for each of many elements is called visit, and the reader of a page,
// or an engine that connects to a worker, is a visitor.
func TestOnlyMeasuringIsRepeated(t *testing.T) {
	other := regexp.MustCompile(`\brepeat ` + `func\(|\bcalls ` + `repeat\b|\bis told ` + `repeat\b|// \w+ repeats ` + `the \w+s\b|// repeat ` + `is (what|an) `)
	sources(t, func(path string, text []byte) {
		if found := other.Find(text); found != nil && strings.HasSuffix(path, ".go") {
			t.Errorf("%s says %q, where it means a visit", path, found)
		}
	})
}

// mostNames is a screenful: what a reader can scan to find a name. Two packages
// have more, because they are vocabularies that others share and that are read by file.
const mostNames = 64

var manyNames = map[string]int{
	// The vocabulary of the flow, from experiment to report, with one file for each step; four in ten
	// are the values of enumerations. A report contains the findings of every capability, so the types of
	// its parts are beside it.
	"internal/model": 240,
	// One function for each phrase that all renderers share.
	"internal/show/report/words": 82,
}

func TestPackagesSayWhatTheyThink(t *testing.T) {
	for _, p := range packages(t) {
		documented, exported := false, 0
		for _, name := range append(append(p.GoFiles, p.TestGoFiles...), p.XTestGoFiles...) {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			documented = documented || file.Doc != nil
			if !strings.HasSuffix(name, "_test.go") {
				exported += exportedNames(file)
			}
		}
		if !documented {
			t.Errorf("%s has no doc comment: say in it what the package is for and what it assumes", p.path())
		}
		if most := cmp.Or(manyNames[p.path()], mostNames); exported > most {
			t.Errorf("%s exports %d names, and %d is the most: split it, or unexport what nobody needs outside", p.path(), exported, most)
		}
	}
}

// exportedNames counts the exported functions, types, variables and constants at
// the top level of a file; methods are part of their type.
func exportedNames(file *ast.File) int {
	count := 0
	add := func(names ...*ast.Ident) {
		for _, n := range names {
			if n.IsExported() {
				count++
			}
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add(s.Name)
				case *ast.ValueSpec:
					add(s.Names...)
				}
			}
		}
	}
	return count
}

// onePage is the maximum number of lines of CONTRIBUTING.md: it is the map of the code, for
// newcomers to read in one go. Details are in docs/development.md.
const onePage = 90

// TestContributingKnowsEveryPackage compares the table of CONTRIBUTING.md with the
// packages, both ways: each package is in a folder that has a row, and each step of the
// flow and each test suite is named.
func TestContributingKnowsEveryPackage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(text, []byte("\n")); lines > onePage {
		t.Errorf("CONTRIBUTING.md has %d lines, more than %d: move details to docs/development.md", lines, onePage)
	}
	rows := map[string]string{}
	for _, match := range regexp.MustCompile("(?m)^\\| `([a-z0-9/-]+)` \\| (.*) \\|$").FindAllStringSubmatch(string(text), -1) {
		rows[match[1]] = match[2]
		if info, err := os.Stat(filepath.Join(root, match[1])); err != nil || !info.IsDir() {
			t.Errorf("CONTRIBUTING.md has a row for %s, which is no folder", match[1])
		}
	}
	for _, p := range packages(t) {
		folder := p.path()
		for folder != "." && rows[folder] == "" {
			folder = filepath.Dir(folder)
		}
		// The next folder below, for a row that names its subfolders.
		below, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(p.path(), folder), "/"), "/")
		switch {
		case folder == ".":
			t.Errorf("CONTRIBUTING.md has no row for %s, nor for a folder that it is in", p.path())
		case below != "" && (folder == "internal/measure" || folder == "internal/judge" || folder == "internal/show" || folder == "test") && !strings.Contains(rows[folder], "`"+below+"`"):
			t.Errorf("the row of %s in CONTRIBUTING.md does not name %s", folder, below)
		}
	}
}

func TestNothingIsLeftOpen(t *testing.T) {
	open := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)
	sources(t, func(path string, text []byte) {
		if !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".sh") {
			return
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, len(text)+1)
		for number := 1; lines.Scan(); number++ {
			if open.Match(lines.Bytes()) {
				t.Errorf("%s:%d: what is open belongs into an issue", path, number)
			}
		}
	})
}
