package cli

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// decimal is the value of a flag that is a whole number, written as people write one: 010 would be 8 in the notation of
// programs, which nobody means here.
type decimal struct{ pflag.Value }

// asDecimal matches a whole number without a base or separators.
var asDecimal = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*)$`)

func (d decimal) Set(text string) error {
	if !asDecimal.MatchString(text) {
		return fmt.Errorf("%q is no whole number in decimal notation", text)
	}
	return d.Value.Set(text)
}

// takeDecimals has all flags of a command and of those below it take whole numbers in decimal notation only.
func takeDecimals(cmd *cobra.Command) {
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			switch _, done := f.Value.(decimal); f.Value.Type() {
			case "int", "int64", "uint64":
				if !done {
					f.Value = decimal{f.Value}
				}
			}
		})
	}
	for _, c := range cmd.Commands() {
		takeDecimals(c)
	}
}
