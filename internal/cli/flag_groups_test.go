package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model/flagtable"
)

// everyCommand visits the commands of the program.
func everyCommand(visit func(*cobra.Command)) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		visit(c)
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(Commands(env.OS()))
}

// Each flag has one line in the table, and each line is of a flag. Of an application's own flags, those that are like most
// need none.
func TestEveryFlagStandsInTheTable(t *testing.T) {
	own := map[string]bool{}
	for _, app := range session.Applications() {
		for _, f := range slices.Concat(app.Flags, app.BaselineFlags) {
			own[f.Name] = true
		}
	}
	seen := map[string]bool{}
	everyCommand(func(c *cobra.Command) {
		c.InitDefaultVersionFlag()
		shown := map[string]bool{}
		for _, g := range flags.Groups(c) {
			for _, f := range g.Flags {
				shown[f.Name] = true
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			seen[f.Name] = true
			known, found := flagtable.Lookup(f.Name)
			switch {
			case !found && !own[f.Name]:
				t.Errorf("--%s of %s has no line in internal/model/flagtable/table.go", f.Name, c.CommandPath())
			case found && known.Group == flagtable.Internal && !f.Hidden && !c.Hidden:
				t.Errorf("--%s of %s is for users, and in no group of the help", f.Name, c.CommandPath())
			}
			if shown[f.Name] == f.Hidden {
				t.Errorf("--%s of %s: hidden %v, shown %v", f.Name, c.CommandPath(), f.Hidden, shown[f.Name])
			}
		})
	})
	for _, f := range flagtable.All() {
		if !seen[f.Name] {
			t.Errorf("no command has the flag --%s that stands in the table", f.Name)
		}
	}
	if len(seen) < 100 {
		t.Errorf("%d flags", len(seen))
	}
}

// What the table says of an application's flags agrees with what the application says.
func TestTheTableAgreesWithTheApplications(t *testing.T) {
	for _, app := range session.Applications() {
		for _, f := range slices.Concat(app.Flags, app.BaselineFlags) {
			if f.Load && !flagtable.Is(f.Name, flagtable.Load) {
				t.Errorf("--%s defines a load of %s, and is no such flag in the table", f.Name, app.Title)
			}
			if f.File && !flagtable.Is(f.Name, flagtable.NamesFile) {
				t.Errorf("--%s of %s names a file, and is no such flag in the table", f.Name, app.Title)
			}
		}
		for _, f := range app.BaselineFlags {
			if name, of := strings.CutPrefix(f.Name, "baseline-"); !of || !flagtable.Is(name, flagtable.PerSide) {
				t.Errorf("--%s of %s is for one side of a comparison, and its twin is no such flag in the table", f.Name, app.Title)
			}
		}
	}
}

// helped returns what a command prints.
func helped(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	e := *env.OS()
	e.Args, e.Stdout, e.Stderr, e.Output = args, &out, &out, env.Terminal{Interactive: true, Width: 80}
	if code := Run(t.Context(), &e); code != exitOK {
		t.Fatalf("%v: exit code %d: %s", args, code, &out)
	}
	return out.String()
}

func TestHelpFoldsTheFlagsForKubernetes(t *testing.T) {
	folded, whole, fetch := helped(t, "run", "--help"), helped(t, "run", "--help-all"), helped(t, "fetch", "--help")
	last := -1
	for _, title := range []string{"\nWhat:\n", "\nHow long:\n", "\nVerdict:\n", "\nSafety:\n", "\nOutput:\n", "\nKubernetes:\n"} {
		for _, text := range []string{folded, whole} {
			if !strings.Contains(text, title) {
				t.Errorf("no %q in\n%s", title, text)
			}
		}
		at := strings.Index(folded, title)
		if at < last {
			t.Errorf("%q is in the wrong place", title)
		}
		last = at
	}
	if strings.Contains(whole, "(default [])") {
		t.Errorf("an empty list is shown as a default:\n%s", whole)
	}
	if strings.Contains(folded, "--namespace") || !strings.Contains(folded, "flags for sc: and pvc: targets: loadline run --help-all") {
		t.Errorf("the flags for Kubernetes are not folded:\n%s", folded)
	}
	if !strings.Contains(whole, "--namespace") || !strings.Contains(whole, "--service-account") {
		t.Errorf("--help-all shows less than all:\n%s", whole)
	}
	if !strings.Contains(fetch, "--namespace") || strings.Contains(fetch, flags.HelpAll) {
		t.Errorf("few flags are folded:\n%s", fetch)
	}
	if !strings.Contains(fetch, "6 unclear") {
		t.Errorf("not all exit codes of a Job:\n%s", fetch)
	}
	for i, line := range strings.Split(strings.SplitAfter(whole, "\nWhat:\n")[1], "\n") {
		if len([]rune(line)) > 86 {
			t.Errorf("line %d of the flags has %d columns: %s", i, len([]rune(line)), line)
		}
	}
}

func TestTheHelpNamesEveryCommand(t *testing.T) {
	text := helped(t, "--help")
	for _, c := range Commands(env.OS()).Commands() {
		if c.IsAvailableCommand() != strings.Contains(text, "\n  "+c.Name()+" ") {
			t.Errorf("%s: available %v:\n%s", c.Name(), c.IsAvailableCommand(), text)
		}
	}
	for _, g := range commandGroups {
		for _, name := range g.Names {
			if c, _, err := Commands(env.OS()).Find([]string{name}); err != nil || c.Name() != name {
				t.Errorf("%s lists %s, which is no command", g.Title, name)
			}
		}
	}
}
