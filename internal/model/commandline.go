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
var silent = []string{"quiet", "verbose", "child-worker", "progress", "junit", "annotations", "push"}

// excludes are the flags that contradict a flag, or that it makes pointless.
var excludes = map[string][]string{
	"only":         {"skip"},
	"time":         {"until-steady", "max-time", "repeat", "precision"},
	"until-steady": {"time", "ramp-time", "repeat"},
	"max-time":     {"time", "ramp-time"},
	"repeat":       {"time", "ramp-time", "until-steady"},
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
		return flagName(word) != "" && slices.Contains(gone, flagName(word)) || added.leavesOut(word)
	})
	return append(kept, added...)
}

// leavesOut reports whether a word is the goal of a workload that --only among the flags of c
// leaves out: a goal of what is not measured is refused.
func (c CommandLine) leavesOut(word string) bool {
	goal, ok := strings.CutPrefix(word, "--goal=")
	if !ok {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimSpace(goal), " ")
	for _, flag := range c {
		if list, only := strings.CutPrefix(flag, "--only="); only {
			return !slices.Contains(strings.Split(list, ","), name)
		}
	}
	return false
}

// places are the flags that say where and on how much data to measure, not what.
var places = []string{"destroy-data-on", "create", "hosts", "size", "namespace", "context", "kubeconfig", "access-mode", "node",
	"node-selector", "toleration", "resources", "image", "pull-secret", "ready-within", "run-as-user", "fs-group", "selinux-level", "as-root"}

// As is the command of another verb for the same place: its target and how that is reached
// stay, and the options say what is done there.
func (c CommandLine) As(verb string, options ...string) CommandLine {
	kept := slices.DeleteFunc(slices.Clone(c), func(word string) bool {
		return flagName(word) != "" && !slices.Contains(places, flagName(word))
	})
	if len(kept) > 1 {
		kept[1] = verb
	}
	return kept.With(options...)
}

// alone are the flags of a run of one target that a comparison of two does not take, and
// those of a Job or an experiment, which ask for it in another way.
var alone = []string{"goal", "baseline", "trace", "time", "ramp-time", "until-steady",
	"in-cluster", "detach", "hold", "service-account", "experiment", "allow-programs"}

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
			case name == "destroy-data-on" || name == "create" || name == "yes" || name == "hosts":
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

// Placed is the command with its targets named as Place names them, so that it
// measures the same from any directory; it may be one that was recorded as it was typed. A word that may as well be something else, such as the
// value of a flag, stays as it was typed; of two targets of one name the first is meant.
func (c CommandLine) Placed(targets []Target) CommandLine {
	command := slices.Clone(c)
	done := map[string]bool{}
	for _, t := range targets {
		if at := c.argument(t.Name); at > 0 && !done[t.Name] {
			command[at], done[t.Name] = t.Place(), true
		}
	}
	return command
}

// argument is where in a command an argument stands: the word of that name behind the verb that
// follows no flag, else the one that follows a flag; -1 where several may be meant.
func (c CommandLine) argument(name string) int {
	verb := 1
	if len(c) > 1 && c[1] == "app" {
		verb = 2
	}
	var free, behind []int
	for i := verb + 1; i < len(c); i++ {
		switch {
		case c[i] != name:
		case strings.HasPrefix(c[i-1], "-"):
			behind = append(behind, i)
		default:
			free = append(free, i)
		}
	}
	switch {
	case len(free) == 1:
		return free[0]
	case len(free) == 0 && len(behind) == 1:
		return behind[0]
	}
	return -1
}
