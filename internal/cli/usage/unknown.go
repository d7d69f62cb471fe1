package usage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/suggest"
)

// ForeignFlag maps a flag of another tool, or a common guess, to the flag here.
type ForeignFlag struct {
	// Here are flags with the same meaning, best first: the first that the command has is meant.
	Here []string
	// Words say what to do if the command has none of them.
	Words string
}

// App is the command that holds one for each application, and their section of the configuration.
const App = "app"

// targetHint is the hint for a flag that names what is measured.
const targetHint = "the target is an argument: loadline run TARGET"

// jobHint is the hint for a fio setting that has no flag.
const jobHint = "put it in a fio job and run that: loadline run TARGET --job FILE.fio"

// applicationHint is the hint for a flag that asks for a database.
const applicationHint = "databases have verbs of their own: loadline app postgres PLACE, and loadline compare app postgres A B for two places"

// ForeignFlags are flags of fio, Kbench, dbench, kubestr, kubectl, pgbench and hyperfine, with dashes
// instead of underscores. A single letter is a shorthand.
var ForeignFlags = map[string]ForeignFlag{
	"duration": {[]string{"time", "max-time", "within"}, ""}, "runtime": {[]string{"time", "max-time"}, ""},
	"seconds": {[]string{"time", "max-time"}, ""}, "t": {[]string{"time", "max-time"}, ""},
	"timeout": {[]string{"max-time", "ready-within", "wait"}, ""}, "max-duration": {[]string{"max-time"}, ""},
	"time-based": {[]string{"time"}, "measuring ends by time or precision: --max-time, --precision"},
	"warmup":     {[]string{"ramp-time"}, "each repeat has a ramp of its own"}, "ramp": {[]string{"ramp-time"}, ""},
	"runs": {[]string{"repeat"}, ""}, "loops": {[]string{"repeat"}, ""}, "iterations": {[]string{"repeat"}, ""}, "count": {[]string{"repeat", "cuts"}, ""},
	"repetitions": {[]string{"repeat"}, ""}, "min-runs": {[]string{"repeat"}, ""},
	"confidence": {[]string{"precision"}, ""}, "accuracy": {[]string{"precision"}, ""},
	"iodepth": {[]string{"depth"}, "loadline sweep TARGET --depth 1,4,16 measures depths; a profile of your own fixes one"},
	"depth":   {nil, "loadline sweep TARGET --depth 1,4,16 measures depths; a profile of your own fixes one"},
	"qd":      {[]string{"depth"}, "loadline sweep TARGET --depth 1,4,16 measures depths"}, "queue-depth": {[]string{"depth"}, "loadline sweep TARGET --depth 1,4,16 measures depths"},
	"blocksize": {[]string{"bs", "block-size"}, "loadline sweep TARGET --bs 4k,64k measures block sizes"}, "block-size": {[]string{"bs"}, "loadline sweep TARGET --bs 4k,64k measures block sizes"},
	"bs":      {[]string{"block-size"}, "loadline sweep TARGET --bs 4k,64k measures block sizes; a profile of your own fixes one"},
	"numjobs": {[]string{"jobs", "clients"}, "loadline sweep TARGET --jobs 1,4 measures numbers of jobs"}, "concurrency": {[]string{"jobs", "clients", "volumes"}, "loadline sweep TARGET --jobs 1,4 measures numbers of jobs"},
	"readwrite": {[]string{"rw"}, "choose workloads: --only 'rand-read-*'"}, "rw": {nil, "choose workloads: --only 'rand-read-*'; or loadline sweep TARGET --rw randread"}, "pattern": {[]string{"rw", "only"}, ""},
	"filesize": {[]string{"size"}, ""}, "file-size": {[]string{"size"}, ""}, "io-size": {[]string{"size"}, ""}, "z": {[]string{"size"}, ""}, "s": {[]string{"size"}, ""},
	"rate-iops": {[]string{"rate"}, "loadline sweep TARGET --load offers rates"}, "iops": {[]string{"rate"}, "loadline sweep TARGET --load offers rates; --cap iops=3000 declares a limit of the storage"},
	"filename": {nil, targetHint}, "directory": {nil, targetHint}, "dir": {nil, targetHint}, "path": {nil, targetHint}, "target": {nil, targetHint}, "mountpoint": {nil, targetHint}, "file": {nil, targetHint}, "disk": {[]string{"device"}, targetHint},
	"storageclass": {nil, "a StorageClass is a target: loadline run sc:NAME"}, "storage-class": {nil, "a StorageClass is a target: loadline run sc:NAME"}, "sc": {nil, "a StorageClass is a target: loadline run sc:NAME"}, "pvc": {nil, "a claim is a target: loadline run pvc:NAMESPACE/NAME"},
	"fiofile": {[]string{"job"}, ""}, "jobfile": {[]string{"job"}, ""}, "job-file": {[]string{"job"}, ""}, "testname": {[]string{"profile"}, ""}, "mode": {[]string{"profile"}, ""}, "test": {[]string{"profile"}, ""}, "p": {[]string{"profile"}, ""},
	"quick": {nil, "it is a profile: --profile quick"}, "name": {[]string{"note"}, jobHint},
	"ioengine": {nil, jobHint}, "direct": {nil, jobHint + "; direct I/O is the default"}, "buffered": {nil, jobHint}, "rwmixread": {nil, jobHint}, "group-reporting": {nil, jobHint}, "fsync": {nil, jobHint}, "randrepeat": {nil, jobHint},
	"out": {[]string{"output", "into"}, ""}, "outfile": {[]string{"output"}, ""}, "output-format": {[]string{"format"}, ""}, "e": {[]string{"format"}, ""}, "output-dir": {[]string{"results"}, ""},
	"threshold": {[]string{"margin", "goal"}, ""}, "fail": {[]string{"fail-on"}, ""}, "nodeselector": {[]string{"node-selector"}, ""}, "workloads": {[]string{"only"}, ""}, "include": {[]string{"only"}, ""}, "exclude": {[]string{"skip"}, ""},
	"dry-run": {nil, "loadline plan TARGET shows what run would do"}, "yes": {nil, "this command asks nothing; what may be overwritten is named with --destroy-data-on TARGET"}, "y": {nil, "this command asks nothing; what may be overwritten is named with --destroy-data-on TARGET"},
	"force": {nil, "name what may be overwritten: --destroy-data-on TARGET"}, "overwrite": {nil, "name what may be overwritten: --destroy-data-on TARGET"},
	"silent": {[]string{"quiet"}, ""}, "host": {[]string{"hosts"}, ""},
	"app": {nil, applicationHint}, "application": {nil, applicationHint}, "postgres": {nil, applicationHint}, "clients": {nil, applicationHint},
	"c": {[]string{"clients"}, ""}, "client": {[]string{"clients"}, ""}, "j": {[]string{"threads", "jobs"}, ""}, "builtin": {[]string{"load"}, applicationHint},
}

// permits is the flag that permits overwriting, which only commands that write have.
const permits = "destroy-data-on"

// UnknownFlag explains a flag error; for a flag that does not exist it suggests what was
// probably meant.
func UnknownFlag(e *env.Env, cmd *cobra.Command, err error) error {
	help := cmd.CommandPath() + " --help"
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return BadFlag(err, help)
	}
	if args := e.Args; !cmd.HasParent() && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		// The flags of a command that does not exist are not known either.
		return UnknownCommand(cmd, args)
	}
	if err := unknownBelow(e, cmd); err != nil {
		return err
	}
	name, typed := missing.GetSpecifiedName(), "--"+missing.GetSpecifiedName()
	if missing.GetSpecifiedShortnames() != "" {
		typed = "-" + name
	}
	unknownErr := fmt.Errorf("unknown flag %s", typed)
	if name == "baseline" && compares(cmd) {
		return Error{fmt.Errorf("%w: the baseline is the first of the two arguments", unknownErr), cmd.CommandPath() + " A B"}
	}
	own := flags.Names(cmd)
	foreign, known := ForeignFlags[strings.ToLower(strings.ReplaceAll(name, "_", "-"))]
	instead := ""
	if i := slices.IndexFunc(foreign.Here, func(f string) bool { return slices.Contains(own, f) }); i >= 0 {
		instead = foreign.Here[i]
	} else if known && foreign.Words != "" && (slices.Contains(own, permits) || !strings.Contains(foreign.Words, permits)) {
		return Error{unknownErr, foreign.Words}
	}
	if instead == "" {
		// A shorthand is too short to suggest a similar name.
		instead = suggest.Nearest(strings.ReplaceAll(name, "_", "-"), own)
		if others := commandsWith(cmd, name); len(others) > 0 && !nearlyEqual(name, instead) {
			return Error{fmt.Errorf("%w; it is a flag of loadline %s", unknownErr, strings.Join(others, ", ")), help}
		}
	}
	if instead == "" {
		return Error{unknownErr, help}
	}
	unknownErr = fmt.Errorf("%w; did you mean --%s?", unknownErr, instead)
	if flags.GroupOf(instead) == flagtable.Safety {
		// A guess must not permit damage: the user has to type such a flag.
		return Error{unknownErr, help}
	}
	if err := refusedTyped(cmd, e.Args, typed, instead); err != nil {
		// A command with that value would be refused as well.
		message := err.Error()
		if strings.HasPrefix(message, instead+" ") {
			message = "--" + message
		}
		return Error{fmt.Errorf("%w %s", unknownErr, message), Hint(err)}
	}
	return Error{unknownErr, replaceFlag(e.Args, typed, "--"+instead)}
}

// unknownBelow refuses the word that stands where a group of commands expects one of them. That is the mistake, not a
// flag behind it: which flags there are depends on the command.
func unknownBelow(e *env.Env, cmd *cobra.Command) error {
	if !isGroup(cmd) {
		return nil
	}
	found, rest, err := cmd.Root().Find(e.Args)
	if err != nil || found != cmd || len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return nil
	}
	return cmd.Args(cmd, rest[:1])
}

// isGroup reports whether a command does nothing but hold others.
func isGroup(cmd *cobra.Command) bool {
	return cmd.HasParent() && cmd.HasAvailableSubCommands() && cmd.Use == cmd.Name() && cmd.Args != nil
}

// refusedTyped says what is wrong with the value that was typed behind an unknown flag, for the flag that is meant: it may be
// missing. It is nil if nothing is wrong.
func refusedTyped(cmd *cobra.Command, args []string, typed, instead string) error {
	f := cmd.Flags().Lookup(instead)
	if f == nil {
		return nil
	}
	for i, a := range args {
		value, found := strings.CutPrefix(a, typed+"=")
		switch {
		case found:
		case a == typed && f.NoOptDefVal != "":
			continue // it takes none
		case a == typed && i+1 < len(args):
			value = args[i+1]
		case a == typed:
			return model.RefusedError("--"+instead+" needs a value", cmd.CommandPath()+" --help")
		default:
			continue
		}
		if strings.TrimSpace(value) == "" {
			return flags.Empty(instead)
		}
		err := checked(f, value)
		if err == nil {
			err = cmd.Flags().Set(instead, value)
		}
		if err != nil {
			return BadFlag(err, cmd.CommandPath()+" --help")
		}
	}
	return nil
}

// nearlyEqual reports whether two names differ by an ending or a dash only.
func nearlyEqual(a, b string) bool {
	plain := func(s string) string {
		return strings.TrimSuffix(strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(s)), "s")
	}
	return b != "" && plain(a) == plain(b)
}

// compares reports whether a command is compare, or one below it.
func compares(cmd *cobra.Command) bool {
	words := strings.Fields(cmd.CommandPath())
	return len(words) > 1 && words[1] == "compare"
}

// commandsWith returns the commands of cmd's program that have a flag, except plan, which has the flags of others.
func commandsWith(cmd *cobra.Command, flag string) (names []string) {
	if len(flag) < 2 {
		return nil
	}
	for _, c := range cmd.Root().Commands() {
		of := []*cobra.Command{c}
		if isGroup(c) {
			// A group has no flags of its own: they are those of app postgres, of predict postgres, …
			of = c.Commands()
		}
		if c.Name() == App {
			// A comparison of an application has them as well.
			if group, _, err := c.Root().Find([]string{"compare", App}); err == nil && compares(cmd) && len(having(group.Commands(), flag)) > 0 {
				of = group.Commands()
			}
		}
		if c.Name() != "plan" {
			names = append(names, having(of, flag)...)
		}
	}
	return names
}

// having returns those of the commands that have a flag.
func having(commands []*cobra.Command, flag string) (names []string) {
	for _, c := range commands {
		if c.IsAvailableCommand() && slices.Contains(flags.Names(c), flag) {
			names = append(names, strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" "))
		}
	}
	return names
}

// replaceFlag returns the command line with one flag replaced by another.
func replaceFlag(args []string, old, flag string) string {
	words := []string{"loadline"}
	done := false
	for _, a := range args {
		switch {
		case a == old:
			a, done = flag, true
		case strings.HasPrefix(a, old+"="):
			a, done = flag+strings.TrimPrefix(a, old), true
		}
		words = append(words, safetext.ShellWord(a))
	}
	if !done {
		return "write " + flag
	}
	return strings.Join(words, " ")
}
