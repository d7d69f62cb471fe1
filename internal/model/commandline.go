package model

import (
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model/safetext"
)

// CommandLine is a command in the form in which it can be changed and typed again: the
// program, the verb and the arguments as they were typed, then each flag as one word,
// "--name=value", or "--name" for one without a value.
type CommandLine []string

// silent are flags that say how a run is shown, not what is measured.
var silent = []string{"quiet", "child-worker", "progress", "junit", "annotations", "push"}

// excludes are the flags that contradict a flag, or that it makes pointless.
var excludes = map[string][]string{
	"only":         {"skip"},
	"time":         {"until-steady", "max-time", "repeat", "precision"},
	"until-steady": {"time", "ramp-time", "repeat"},
	"max-time":     {"time", "ramp-time"},
}

// Verb is the verb of the command; "" when there is none.
func (c CommandLine) Verb() string {
	if len(c) < 2 {
		return ""
	}
	return c[1]
}

// With is the command with flags added or replaced: words such as "--size", "4GiB",
// "--only=a,b" or "--check-cache", of which empty ones are left out. What contradicts them
// is dropped, and so is what only says how a run is shown.
func (c CommandLine) With(options ...string) CommandLine {
	var added CommandLine
	for _, word := range options {
		switch last := len(added) - 1; {
		case word == "":
		case !strings.HasPrefix(word, "--") && last >= 0:
			added[last] += "=" + word
		default:
			added = append(added, word)
		}
	}
	gone := slices.Clone(silent)
	for _, word := range added {
		gone = append(append(gone, flagName(word)), excludes[flagName(word)]...)
	}
	kept := slices.DeleteFunc(slices.Clone(c), func(word string) bool {
		return flagName(word) != "" && slices.Contains(gone, flagName(word))
	})
	return append(kept, added...)
}

// alone are the flags of a run of one target that a comparison of two does not take.
var alone = []string{"goal", "baseline", "time", "ramp-time", "until-steady",
	"in-cluster", "experiment"}

// aside are flags of a run that are its own: where it is kept and how it is shown.
var aside = []string{"seed", "note", "label", "results", "output", "format", "json", "config"}

// Against is the command that compares two targets in the way of the commands c and d, which
// measured one of them each; nil when one of them is no run, or they chose differently what
// to measure, so that no command does the same as both.
func (c CommandLine) Against(d CommandLine, a, b string) CommandLine {
	flags := func(c CommandLine) (what, where CommandLine) {
		for _, word := range c {
			switch name := flagName(word); {
			case name == "" || slices.Contains(alone, name) || slices.Contains(silent, name):
			case name == "destroy-data-on" || name == "create" || name == "hosts":
				where = append(where, word)
			case !slices.Contains(aside, name):
				what = append(what, word)
			}
		}
		return what, where
	}
	whatC, whereC := flags(c)
	whatD, whereD := flags(d)
	if c.Verb() != "run" || d.Verb() != "run" || !slices.Equal(whatC, whatD) {
		return nil
	}
	both := append(CommandLine{c[0], "compare", a, b}, whatC...)
	for _, word := range append(whereC, whereD...) {
		if !slices.Contains(both, word) {
			both = append(both, word)
		}
	}
	return both
}

// String is the command as one types it in a shell.
func (c CommandLine) String() string {
	words := make([]string, len(c))
	for i, word := range c {
		name, value, has := strings.Cut(word, "=")
		if flagName(word) == "" || !has {
			words[i] = safetext.ShellWord(word)
			continue
		}
		// A value that begins with a dash, and the lists of --only, stay one word.
		if strings.HasPrefix(value, "-") || value == "" || value == "true" || value == "false" {
			words[i] = safetext.ShellWord(word)
			continue
		}
		words[i] = name + " " + safetext.ShellWord(value)
	}
	return strings.Join(words, " ")
}

// flagName is the name of a word that is a flag; "" for another word.
func flagName(word string) string {
	flag, isFlag := strings.CutPrefix(word, "--")
	if !isFlag {
		return ""
	}
	name, _, _ := strings.Cut(flag, "=")
	return name
}
