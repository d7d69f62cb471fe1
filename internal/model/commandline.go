package model

import (
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/model/safetext"
)

// CommandLine is a command in a form that can be changed and typed again: the program, the verb and the
// arguments as typed, then each flag as one word, "--name=value", or "--name" for a flag without a
// value.
type CommandLine []string

// Verb returns the verb of the command; "" if there is none.
func (c CommandLine) Verb() string {
	if len(c) < 2 {
		return ""
	}
	return c[1]
}

// Application returns the name of the application that the command measures, with "app NAME" or "compare app
// NAME"; "" if it measures none.
func (c CommandLine) Application() string {
	if at := c.verbEnd(); at > 2 {
		return c[at-1]
	}
	return ""
}

// verbEnd returns the number of words before the arguments: the program and its verb, which may be several words. A
// comparison of two paths called app and NAME has no further arguments, and that of an application has two.
func (c CommandLine) verbEnd() int {
	argument := func(i int) bool { return len(c) > i && !strings.HasPrefix(c[i], "-") }
	switch {
	case c.Verb() == "app":
		return min(len(c), 3)
	case c.Verb() == "compare" && argument(3) && c[2] == "app" && argument(4) && argument(5):
		return 4
	}
	return min(len(c), 2)
}

// Flags returns the words of c that are flags of these names, with their values.
func (c CommandLine) Flags(names ...string) CommandLine {
	return slices.DeleteFunc(slices.Clone(c), func(word string) bool { return !slices.Contains(names, flagName(word)) })
}

// With returns the command with flags added or replaced: words such as "--size", "4GiB", "--only=a,b"
// or "--check-cache"; empty words are ignored. Flags that contradict them are dropped, and so are those
// that only control how a run is shown.
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
	gone := flagtable.Names(flagtable.Display)
	for _, word := range added {
		flag, _ := flagtable.Lookup(flagName(word))
		gone = append(append(gone, flagName(word)), flag.Replaces...)
	}
	kept := slices.DeleteFunc(slices.Clone(c), func(word string) bool {
		return flagName(word) != "" && slices.Contains(gone, flagName(word)) || added.leavesOut(word)
	})
	return append(kept, added...)
}

// leavesOut reports whether a word is the goal of a workload that --only in c excludes: a goal for
// something that is not measured is rejected.
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

// Repeats reports whether the command repeats an experiment's file, which no flags change.
func (c CommandLine) Repeats() bool {
	return slices.ContainsFunc(c, func(word string) bool { return flagName(word) == "experiment" })
}

// As returns a command with another verb for the same place: the target and the flags for reaching it
// are kept, and the options say what to do there.
func (c CommandLine) As(verb string, options ...string) CommandLine {
	kept := slices.DeleteFunc(slices.Clone(c), func(word string) bool {
		return flagName(word) != "" && !flagtable.Is(flagName(word), flagtable.Placement)
	})
	if len(kept) > 1 {
		kept[1] = verb
	}
	return kept.With(options...)
}

// Against returns the command that compares two targets in the same way as the commands c and d, each
// of which measured one of them. It is nil if one of them is neither a run nor measured an application, or if they
// measured different things, so that no single command does the same as both.
func (c CommandLine) Against(d CommandLine, a, b string) CommandLine {
	both, alike := c.Common(d, a, b)
	if !alike {
		return nil
	}
	return both
}

// Common returns the command that compares two targets with what the commands c and d have in common, each of which
// measured one of them, and whether that is all that they measured. Where one of them was permitted to overwrite, so is the
// result. It is nil if one of them is neither a run nor measured an application.
func (c CommandLine) Common(d CommandLine, a, b string) (both CommandLine, alike bool) {
	flags := func(c CommandLine, side string) (what, where CommandLine) {
		for _, word := range c {
			switch name := flagName(word); {
			case name == "" || flagtable.Is(name, flagtable.SingleRun) || flagtable.Is(name, flagtable.Display):
			case flagtable.Is(name, flagtable.PerSide):
				where = append(where, "--"+side+strings.TrimPrefix(word, "--"))
			case flagtable.Is(name, flagtable.PerTarget):
				where = append(where, word)
			case !flagtable.Is(name, flagtable.Record):
				what = append(what, word)
			}
		}
		return what, where
	}
	whatC, whereC := flags(c, "baseline-")
	whatD, whereD := flags(d, "")
	app := c.Application()
	switch {
	case app != d.Application():
		return nil, false
	case app == "" && (c.Verb() != "run" || d.Verb() != "run"):
		return nil, false
	case app != "" && (c.Verb() != "app" || d.Verb() != "app" || len(c.Flags("baseline"))+len(d.Flags("baseline")) > 0):
		// It measured two sides, and which of them is meant here is not known.
		return nil, false
	}
	alike = slices.Equal(whatC, whatD)
	if !alike {
		whatC = whatC.shared(whatD)
	}
	both = CommandLine{c[0], "compare"}
	if app != "" {
		both = append(both, "app", app)
	}
	both = append(append(both, a, b), whatC...)
	for _, word := range append(whereC, whereD...) {
		if !slices.Contains(both, word) {
			both = append(both, word)
		}
	}
	return both, alike
}

// shared returns the flags that c and d have in common. Of the same profile or job, no more workloads are measured than both
// measured: one that only reads must not become one that writes.
func (c CommandLine) shared(d CommandLine) (common CommandLine) {
	for _, word := range c {
		if slices.Contains(d, word) {
			common = append(common, word)
		}
	}
	sources := []string{"profile", "job"}
	if !slices.Equal(c.Flags(sources...), d.Flags(sources...)) {
		return common
	}
	onlyC, hasC := c.only()
	onlyD, hasD := d.only()
	switch {
	case hasC && hasD:
		onlyC = slices.DeleteFunc(onlyC, func(name string) bool { return !slices.Contains(onlyD, name) })
	case hasD:
		onlyC = onlyD
	}
	if len(onlyC) == 0 {
		return common
	}
	return common.With("--only=" + strings.Join(onlyC, ","))
}

// only returns the workloads that the command selects with --only.
func (c CommandLine) only() (names []string, selects bool) {
	for _, word := range c.Flags("only") {
		return strings.Split(strings.TrimPrefix(word, "--only="), ","), true
	}
	return nil, false
}

// Comparing returns the command that compares a and b in the way in which c, a run with a baseline, would have measured them.
func (c CommandLine) Comparing(a, b string) CommandLine {
	if len(c) < 2 {
		return CommandLine{"loadline", "compare", a, b}
	}
	both := CommandLine{c[0], "compare"}
	if app := c.Application(); app != "" {
		both = append(both, "app", app)
	}
	both = append(both, a, b)
	for _, word := range c {
		if name := flagName(word); name != "" && !flagtable.Is(name, flagtable.SingleRun) {
			both = append(both, word)
		}
	}
	return both
}

// String returns the command as typed in a shell.
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

// flagName returns the name of the flag if the word is one; "" otherwise.
func flagName(word string) string {
	flag, isFlag := strings.CutPrefix(word, "--")
	if !isFlag {
		return ""
	}
	name, _, _ := strings.Cut(flag, "=")
	return name
}

// Placed returns the command with its targets named by InCommand, so that it measures the same from any
// directory; c may have been recorded as typed. A word that could be something else, such as the value
// of another flag, stays as typed; if two targets have the same name, the first is meant.
func (c CommandLine) Placed(targets []Target) CommandLine {
	command := slices.Clone(c)
	done := map[string]bool{}
	for _, t := range targets {
		if t.Name == "" || done[t.Name] {
			continue
		}
		done[t.Name] = true
		if at := c.argument(t.Name); at > 0 && !takesTarget(c[at-1]) {
			command[at] = t.InCommand()
		}
		for i, word := range c {
			flag, value, joined := strings.Cut(word, "=")
			switch {
			case joined && value == t.Name && takesTarget(flag):
				command[i] = flag + "=" + t.InCommand()
			case i > 0 && word == t.Name && takesTarget(c[i-1]):
				command[i] = t.InCommand()
			}
		}
	}
	return command
}

// takesTarget reports whether a word is a flag without its value, which is a target.
func takesTarget(word string) bool {
	name, isFlag := strings.CutPrefix(word, "--")
	return isFlag && flagtable.Is(name, flagtable.NamesTarget)
}

// WithFiles returns the command with the values of the flags that may name a file replaced by what absolute returns for
// the flag's name and its value, so that a command that is advised finds its files from any directory.
func (c CommandLine) WithFiles(absolute func(flag, value string) string) CommandLine {
	command := slices.Clone(c)
	for i, word := range c {
		name := flagName(word)
		if !flagtable.Is(name, flagtable.NamesFile) {
			continue
		}
		if flag, value, joined := strings.Cut(word, "="); joined {
			command[i] = flag + "=" + absolute(name, value)
		} else if i+1 < len(c) {
			command[i+1] = absolute(name, c[i+1])
		}
	}
	return command
}

// argument returns the index of an argument in a command: the word of that name after the verb that
// follows no flag, else the one that follows a flag; -1 if ambiguous.
func (c CommandLine) argument(name string) int {
	var free, behind []int
	for i := c.verbEnd(); i < len(c); i++ {
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
