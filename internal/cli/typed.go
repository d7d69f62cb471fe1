package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/model"
)

// typedKey is the context key of the command as it was understood.
type typedKey struct{}

// keepTyped stores the command as it was understood for later recording.
func keepTyped(cmd *cobra.Command, args []string) {
	cmd.SetContext(context.WithValue(cmd.Context(), typedKey{}, understood(cmd, args)))
}

// typed returns the command as it was understood; nil outside of a command.
func typed(ctx context.Context) model.CommandLine {
	c, _ := ctx.Value(typedKey{}).(model.CommandLine)
	return c
}

// understood puts a command into a form that can be changed and typed again.
func understood(cmd *cobra.Command, args []string) model.CommandLine {
	c := append(model.CommandLine(strings.Fields(cmd.CommandPath())), args...)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		word := "--" + f.Name
		list, isList := f.Value.(pflag.SliceValue)
		switch {
		case isList && f.Value.Type() == "stringArray":
			for _, value := range list.GetSlice() {
				c = append(c, word+"="+value)
			}
		case isList:
			c = append(c, word+"="+strings.Join(list.GetSlice(), ","))
		case f.Value.Type() == "bool" && f.Value.String() == "true":
			c = append(c, word)
		default:
			c = append(c, word+"="+f.Value.String())
		}
	})
	return c
}
