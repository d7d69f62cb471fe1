package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSettingsAreReadWithTheirPlaces(t *testing.T) {
	may := Settable{Flags: []string{"profile", "only", "size"}, Commands: map[string][]string{"run": {"profile", "size"}}, Refused: []string{"create"},
		Check: func(command, flag string, values []string) (string, string) {
			if flag == "create" {
				return "create is refused in " + command, "leave it out"
			}
			return "", ""
		}}
	got, err := ParseSettings("f.yaml", []byte("# first\nprofile: quick\nonly: [a, \"b,c\"]\ncommands:\n  run:\n    size: 4GiB\n"), may)
	want := []Setting{{"", "profile", []string{"quick"}, 2, 1}, {"", "only", []string{"a", "b,c"}, 3, 1}, {"run", "size", []string{"4GiB"}, 6, 5}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	// However far to the right a field is, it comes before the next line.
	if got, err := ParseSettings("f.yaml", []byte("{"+strings.Repeat(" ", 1200)+"size: 1,\nprofile: x}"), may); err != nil || len(got) != 2 || got[0].Flag != "size" {
		t.Errorf("%v, %v", got, err)
	}
	for text, words := range map[string]string{
		"profil: x":                          `f.yaml:1:1: unknown field "profil"; did you mean "profile"?`,
		"size: 1\nsize: 2":                   "f.yaml:2:1: ",
		"create: true":                       "f.yaml:1:9: create is refused in ",
		"commands:\n  run:\n    create: yes": "f.yaml:3:13: create is refused in run",
		"commands:\n  run: {only: x}":        `f.yaml:2:9: unknown field "only"`,
		"commands:\n  rnu: {size: 1}":        `f.yaml:2:3: unknown field "rnu"; did you mean "run"?`,
		"run: {size: 4GiB}":                  `f.yaml:1:1: "run" is a command, whose flags are written below "commands"`,
		"size: 1\nrun:\n  size: 4GiB":        `f.yaml:2:1: "run" is a command`,
		"profile: {a: b}":                    "f.yaml:1:",
		"profile:":                           "has no value",
		"profile: x\ncommands:":              "f.yaml:2:1: commands is written as fields",
		"commands:\nprofile: x":              "f.yaml:1:1: commands is written as fields",
		"commands:\n  run:\nprofile: x":      "f.yaml:2:3: run is written as fields",
		"profile: &x quick":                  "anchors",
		"- profile":                          "f.yaml:1:1: a configuration is written as fields",
		"profile: [":                         "f.yaml:1:",
		"profile: a\n---\nprofile: b":        "a second document",
	} {
		if got, err := ParseSettings("f.yaml", []byte(text), may); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v, %v; want %q", text, got, err, words)
		}
	}
	for _, text := range []string{"", "\n", "# nothing\n", "\ufeff# nothing\r\n"} {
		if got, err := ParseSettings("f.yaml", []byte(text), may); err != nil || got != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func FuzzParseSettings(f *testing.F) {
	f.Add("profile: quick\ncommands: {run: {size: [1, 2]}}\n")
	may := Settable{Flags: []string{"profile"}, Commands: map[string][]string{"run": {"size"}}, Check: func(string, string, []string) (string, string) { return "", "" }}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := ParseSettings("f.yaml", []byte(text), may); err != nil && got != nil {
			t.Errorf("%q: %v beside %v", text, got, err)
		}
	})
}
