package cli

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model/safetext"
)

// advised runs a command that was printed to be typed. If a placeholder occurs twice and stands for two things, it is
// given twice.
func advised(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 || neg {
		ts.Fatalf("usage: advised CODE FILE COMMAND [WORD=TEXT…]")
	}
	pattern, err := regexp.Compile(args[2])
	if err != nil {
		ts.Fatalf("advised: %v", err)
	}
	lines := pattern.FindAllString(ts.ReadFile(args[1]), -1)
	if len(lines) == 0 {
		ts.Fatalf("%s does not advise %q:\n%s", args[1], args[2], ts.ReadFile(args[1]))
	}
	command := lines[len(lines)-1]
	if !strings.HasPrefix(command, "loadline ") {
		ts.Fatalf("%q is no command of loadline", command)
	}
	for i, a := range args[3:] {
		word, text, ok := strings.Cut(a, "=")
		at := regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`)
		place := at.FindStringIndex(command)
		if !ok || place == nil {
			ts.Fatalf("%q has no %s to replace", command, word)
		}
		text = safetext.ShellWord(text)
		if slices.ContainsFunc(args[3+i+1:], func(later string) bool { return strings.HasPrefix(later, word+"=") }) {
			// Its next occurrence stands for something else.
			command = command[:place[0]] + text + command[place[1]:]
			continue
		}
		command = at.ReplaceAllLiteralString(command, text)
	}
	ts.Logf("advised: %s", command)
	exits(ts, false, []string{args[0], "sh", "-c", command})
}

// advice is a command in one of the program's messages, as its source has it: up to a verb of a format, or to
// where another string continues it.
type advice struct {
	at, command string
	// continued is set if another string continues the command.
	continued bool
}

// toType matches a command in a message, to the punctuation behind it.
var toType = regexp.MustCompile("\\bloadline (?:[a-z][a-z-]+)(?: [^;,()`\\n]*)?")

// adviceInSources returns the commands in messages. Help texts are not among them: test/truth executes their examples.
func adviceInSources(t *testing.T) []advice {
	t.Helper()
	root := Commands(env.OS())
	var list []advice
	textsInSources(t, []string{"Long", "Short", "Example"}, func(path, text string) {
		for _, place := range toType.FindAllStringIndex(text, -1) {
			command := text[place[0]:place[1]]
			if strings.HasSuffix(text[:place[0]], "\n  ") || strings.HasPrefix(text, "  "+command) {
				continue // an example of a help text
			}
			if c, _ := verbOf(root, strings.Fields(command)[1:]); c != root {
				continued := place[1] == len(text) && strings.ContainsRune(" /=", rune(text[len(text)-1]))
				list = append(list, advice{strings.TrimPrefix(path, "../"), strings.TrimRight(command, " .:'"), continued})
			}
		}
	})
	return list
}

// textsInSources visits the string literals of the program, except those in the named fields of structs.
func textsInSources(t *testing.T, except []string, visit func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "reporttest") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if field, ok := n.(*ast.KeyValueExpr); ok {
				if key, ok := field.Key.(*ast.Ident); ok && slices.Contains(except, key.Name) {
					return false
				}
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(lit.Value); err == nil {
				visit(path, text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// formatted matches what stands for a value in a format string or in a pattern.
var formatted = regexp.MustCompile(`%(\[\d+\])?[a-z]|\\S\+|\[\^[^\]]+\]\+|\.[*+]`)

// plain makes a command of a source and a pattern of a script comparable.
func plain(command string) string {
	return strings.ReplaceAll(formatted.ReplaceAllString(command, "…"), `\`, "")
}

// TestEveryAdvisedCommandIsExecuted compares the commands in the program's messages with those that tests execute: those
// of the scripts' "advised", unless they are refused there (exit code 2), and those of testdata/advice_elsewhere.txt, which
// names the test that executes a command, or says that a sentence is only about it. (The advice of rules is not in the
// sources as commands: TestAdvisedCommandsWork executes it.)
func TestEveryAdvisedCommandIsExecuted(t *testing.T) {
	executed, inScripts := map[string]bool{}, ""
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^advised (?:[013-9]|\d\d+) \S+ '((?:[^']|'')*)'`)
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		inScripts += string(text)
		for _, m := range line.FindAllSubmatch(text, -1) {
			executed[plain(strings.ReplaceAll(string(m[1]), "''", "'"))] = true
		}
	}
	if len(executed) < 30 {
		t.Fatalf("only %d commands are executed: this test does not look where it should", len(executed))
	}
	tests, elsewhere, root := testFiles(t), map[string]bool{}, Commands(env.OS())
	text, err := os.ReadFile("testdata/advice_elsewhere.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		where, command, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		c, _ := verbOf(root, strings.Fields(command)[1:])
		does := where == "sentence" || where == "TestScript" && strings.Contains(inScripts, command) || strings.Contains(tests[where], c.Name())
		if !ok || !does {
			t.Errorf("advice_elsewhere.txt: there is no test %q, or it does not execute %q", where, command)
		}
		elsewhere[command] = false
	}
	for _, a := range adviceInSources(t) {
		command := plain(a.command)
		if _, known := elsewhere[command]; known {
			elsewhere[command] = true
			continue
		}
		found := false
		for e := range executed {
			behind, longer := strings.CutPrefix(e, command)
			found = found || e == command || a.continued && longer || longer && strings.HasPrefix(behind, ",") || wordsBehind(command, e)
		}
		if !found {
			t.Errorf("%s: no test executes %q", a.at, command)
		}
	}
	for command, used := range elsewhere {
		if !used {
			t.Errorf("advice_elsewhere.txt: no message has %q", command)
		}
	}
}

// wordsBehind reports whether a message has a command and then words: "loadline compare A B for two places".
func wordsBehind(text, command string) bool {
	behind, found := strings.CutPrefix(text, command+" ")
	return found && behind != "" && unicode.IsLower(rune(behind[0]))
}

// testFiles returns the names of all tests of this repository, with the texts of their files.
func testFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, part := range bytes.Split(text, []byte("\nfunc "))[1:] {
			if name, _, ok := bytes.Cut(part, []byte("(t *testing.T)")); ok {
				files[string(name)] = string(text)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
