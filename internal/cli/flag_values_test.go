package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model/units"
)

// Every value that a flag cannot have is answered in our words: what, why, what to type next.
func TestBadValuesOfFlagsAreAnsweredInASentence(t *testing.T) {
	for args, want := range map[string]string{
		"plan . --repeat 99999999999":             `--repeat "99999999999" is not a whole number from 2 to 10000`,
		"plan . --repeat 99999999999999999999999": "from 2 to 10000\n  next: write one, such as --repeat 3, or leave it out",
		"plan . --repeat 0":                       "from 2 to 10000: without a second repeat there is no interval",
		"plan . --repeat -3":                      "from 2 to 10000: without a second repeat there is no interval",
		"plan . --repeat x":                       `--repeat "x" is not a whole number`,
		"plan . --seed -1":                        `--seed "-1" is not a whole number from 1 to 18446744073709551615` + "\n  next: write one, such as --seed 42",
		"plan . --seed 0":                         `--seed "0" is not`,
		"plan . --max-time 2589999999975s":        "is longer than a year (8760h), the longest time that Loadline takes\n  next: write at most 8760h",
		"plan . --max-time 999999999h":            "is longer than a year",
		"plan . --max-time 99999999999999999h9m":  "is longer than a year",
		"plan . --max-prefill 1e9":                "is longer than a year",
		"plan . --max-time soon":                  `"soon" is not a duration`,
		"plan . --max-time -5s":                   "must be longer than 0",
		"plan . --max-time 0":                     "must be longer than 0",
		"plan . --only=":                          "--only is given, but empty\n  next: write a value after --only, or leave it out",
		"plan . --only=,":                         "--only is given, but empty",
		"plan . --skip=":                          "--skip is given, but empty",
		"plan . --max-time=":                      "--max-time is given, but empty",
		"plan . --size=":                          "--size is given, but empty",
		"plan . --replicas 0":                     `--replicas "0" is not a whole number from 1 to 1000`,
		`plan . --only=a"b`:                       "is not a list: a quotation mark in it",
		"plan . --resources x":                    `--resources "x" is not a list of NAME=VALUE`,
		"plan . --create=maybe":                   `--create "maybe" is neither true nor false` + "\n  next: write --create, or leave it out",
		"plan . --size":                           "--size needs a value",
		"plan . --size 1EiB":                      `the unit "EiB" is unknown; write it like 4k, 512M or 20GiB` + "\n  next: give a size, such as --size 20GiB, or leave --size out to have it chosen\n",
		"durability . --size 1EiB":                "\n  next: give a size, such as --size 1GiB\n",
		"durability . --block-size 1EiB":          "\n  next: give a size, such as --block-size 4k\n",
		"plan . --=x":                             `"--=x" is not a flag`,
		"run sc:x --in-cluster --hold 99999999h":  "is longer than a year",
		"run sc:x --ready-within 0":               "must be longer than 0",
		"scale . --volumes 0":                     "next: list numbers from 1 up, such as --volumes 1,2,3,6",
		"scale . --volumes 99999999999999999999":  "is too large a number",
		"sweep . --depth=":                        "--depth is given, but empty",
		"trace --pid 0":                           `--pid "0" is not a whole number from 1`,
		"size --from x --nodes 0":                 `--nodes "0" is not a whole number from 1`,
		"predict postgres --scale -1":             `--scale "-1" is not a whole number from 1`,
		"durability . --cuts 0":                   `--cuts "0" is not a whole number from 1`,
		"durability . --blocks x":                 `--blocks "x" is not a whole number`,
		"app postgres . --threads 0":              `--threads "0" is not a whole number from 1`,
		"app postgres . --scale 0":                `--scale "0" is not a whole number from 1`,
	} {
		code, out, errs := runLoadline(t, strings.Fields(args)...)
		if code != exitUsage || !strings.Contains(errs, want) || !strings.Contains(errs, "\n  next: ") || out != "" || isGo(errs) {
			t.Errorf("loadline %s: exit code %d, want %q:\n%s%s", args, code, want, errs, out)
		}
	}
}

// isGo reports whether a message has words of Go's or of the flag library's.
func isGo(message string) bool {
	for _, words := range []string{"strconv", "invalid argument", "invalid syntax", "parsing ", "parse error", "flag needs", "time: ", "value out of range"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// No flag of any command answers in Go's words, whatever it is given; a value of the configuration is
// answered like that of the command line.
func TestNoFlagAnswersInGosWords(t *testing.T) {
	everyCommand(func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			for _, value := range []string{"", "x", "-1", "0.5", "99999999999999999999", `a"b`} {
				if err := c.Flags().Set(f.Name, value); err != nil && isGo(usage.BadFlag(err, "").Error()) {
					t.Errorf("%s --%s %q: %v", c.CommandPath(), f.Name, value, usage.BadFlag(err, ""))
				}
			}
		})
	})
	t.Setenv("LOADLINE_SEED", "-1")
	refused(t, "$LOADLINE_SEED: --seed \"-1\" is not a whole number from 1", "plan", ".")
}

// A gate is not switched off by a word that is none, wherever it is written, or by an empty one; and no list ends at a line break.
func TestAGateIsNotSwitchedOffByMistake(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const experiment = "scenario: compare\ntarget: \"fake:?iops=500\"\nbaseline: \"fake:?iops=1000\"\nprofile: quick\nfail_on: "
	for _, words := range []string{"[wrose]", "[Worse]", "[\"worse,unclear\"]", "[\"\"]", "[1]"} {
		for _, verb := range []string{"compare", "run", "plan"} {
			refused(t, "unknown value of fail_on", verb, "--experiment", file("x.yaml", experiment+words+"\n"))
		}
	}
	compare := []string{"compare", "fake:?iops=1000", "fake:?iops=500", "--profile", "quick"}
	refused(t, "--fail-on has a line break in its list", append(compare, "--fail-on", "unclear\nworse")...)
	refused(t, "--only has a line break in its list", append(compare, "--only", "rand-read-iops\nseq-read-bw")...)
	for _, text := range []string{"fail-on: \"\"", "fail-on: [\"\"]", "only: [\"\"]", "time: \"\"", "profile: \" \""} {
		refused(t, "is given, but empty", append(compare, "--config", file("c.yaml", text+"\n"))...)
	}
	refused(t, "--only has a line break in its list", append(compare, "--config", file("c.yaml", "only: |\n  rand-read-iops\n  seq-read-bw\n"))...)
	for _, name := range []string{"LOADLINE_FAIL_ON", "LOADLINE_ONLY"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, ",")
			refused(t, "$"+name+": ", compare...)
		})
	}
}

// What is advised is accepted when it is typed.
func TestTheLongestTimeIsTaken(t *testing.T) {
	for _, s := range []string{flags.LongestSpan, "365h", "31536000", "31536000s", "1.5h", "500ms"} {
		if v, err := flags.ParseSpan("--max-time", s); err != nil || v <= 0 || v > units.LongestTime {
			t.Errorf("%s: %g, %v", s, v, err)
		}
	}
	_, _, errs := runLoadline(t, "plan", ".", "--repeat", "10000", "--size", "16MiB")
	_, advice, found := strings.Cut(errs, "next: use --max-time ")
	if !found {
		t.Fatal(errs)
	}
	if v, err := flags.ParseSpan("--max-time", strings.Fields(advice)[0]); err != nil {
		t.Errorf("%g, %v", v, err)
	}
}

// A number for which 0 has a meaning of its own takes it.
func TestZeroIsTakenWhereItMeansSomething(t *testing.T) {
	for _, args := range [][]string{{"size", "--survive", "0"}} {
		cmd, rest, err := newRoot(env.OS()).Find(args)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
}
