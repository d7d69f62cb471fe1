package safetext

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"±5 % of 402 µs":                           "±5 % of 402 µs",
		"red \x1b[31mhot\x1b[0m":                   "red hot",
		"\x1b]0;title\x07":                         " ]0;title ",
		"\x1b]8;;http://b.example\x1b\\x\x1b]8;;":  " ]8;;http://b.example \\x ]8;;",
		"a\nloadline: all is well\r\b\t":           "a loadline: all is well   ",
		"a\u202eb\u2066c\u200bd\ufeff\u00ade":      "abcde",
		"\u009b31m\u009d0;x\u009c":                 " 31m 0;x ",
		"bad \xff\x9b31m":                          "bad \ufffd\ufffd31m",
		"a\u034fb\u115fc\u3164d\ufe0fe\U000e0041f": "abcdef",
		"one\u2028two\u2029three":                  "one two three",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanLines(t *testing.T) {
	if got, want := CleanLines("a\tb\n\x1b[1mc\u202e\r\n\xff"), "a\tb\nc \n\ufffd"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCleanLeavesNothingToATerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		got := Clean(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
			t.Fatalf("Clean(%q) = %q", s, got)
		}
		if again := Clean(got); again != got {
			t.Fatalf("cleaning twice: %q, then %q", got, again)
		}
	})
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "''",
		"/var/lib/postgresql":    "/var/lib/postgresql",
		"--only=a,b":             "--only=a,b",
		"/mnt/日本":                "/mnt/日本",
		"rand-*":                 "'rand-*'",
		"it's":                   `'it'\''s'`,
		"$(reboot)":              "'$(reboot)'",
		"~root":                  "'~root'",
		"=ls":                    "'=ls'",
		"a\nb":                   `$'a\012b'`,
		"\x1b]0;'\\\x07":         `$'\033]0;\'\\\007'`,
		"a\u202eb":               `$'a\342\200\256b'`,
		"nbd+unix:///?socket=/x": "'nbd+unix:///?socket=/x'",
	} {
		if got := ShellWord(in); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", in, got, want)
		}
	}
}

// A shell must parse the quoted word as the original, whatever it contains.
func TestShellWordInAShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash: apt install bash")
	}
	rapid.Check(t, func(t *rapid.T) {
		var words, script []string
		for range 20 {
			w := strings.ReplaceAll(string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))+rapid.String().Draw(t, "text"), "\x00", "")
			words, script = append(words, w), append(script, ShellWord(w))
		}
		out, err := exec.Command(bash, "-c", "printf '%s\\0' "+strings.Join(script, " ")).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(out), strings.Join(words, "\x00")+"\x00"; got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}
