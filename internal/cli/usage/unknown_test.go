package usage_test

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
)

func TestForeignFlagsAreAnsweredWithFlagsThatExist(t *testing.T) {
	all := map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, name := range flags.Names(c) {
			all[name] = true
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(cli.Commands(env.OS()))
	for name, f := range usage.ForeignFlags {
		if len(f.Here) == 0 && f.Words == "" || name != strings.ToLower(name) || strings.Contains(name, "_") {
			t.Errorf("--%s: %+v", name, f)
		}
		for _, here := range f.Here {
			if !all[here] {
				t.Errorf("--%s is answered with --%s, which no command has", name, here)
			}
		}
	}
}
