package flags

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/model"
)

// typedKey is the context key of the flags that were typed.
type typedKey struct{}

// StoreTyped stores which flags were typed. It must run before values from the configuration are applied: these are for
// the commands that they concern, and not a mistake in the others.
func StoreTyped(cmd *cobra.Command) {
	var names []string
	cmd.Flags().Visit(func(f *pflag.Flag) { names = append(names, f.Name) })
	cmd.SetContext(context.WithValue(cmd.Context(), typedKey{}, names))
}

// Typed returns the flags that were typed.
func Typed(cmd *cobra.Command) []string {
	names, _ := cmd.Context().Value(typedKey{}).([]string)
	return names
}

// commandLineKey is the context key of the command as it was understood.
type commandLineKey struct{}

// StoreCommandLine stores the command as it was understood for later recording. noConfig is the value of --config that
// names no file.
func StoreCommandLine(cmd *cobra.Command, args []string, noConfig string) {
	cmd.SetContext(WithCommandLine(cmd.Context(), Normalized(cmd, args, noConfig)))
}

// WithCommandLine returns a context in which a command is the one that was understood.
func WithCommandLine(ctx context.Context, c model.CommandLine) context.Context {
	return context.WithValue(ctx, commandLineKey{}, c)
}

// CommandLine returns the command as it was understood; nil outside of a command.
func CommandLine(ctx context.Context) model.CommandLine {
	c, _ := ctx.Value(commandLineKey{}).(model.CommandLine)
	return c
}

// absoluteFile returns the value of a flag with the path of the file that it names: the command may be typed again in
// another directory. A profile's name is not that of a file, and neither is what does not exist.
func absoluteFile(flag, value, noConfig string) string {
	if value == "" || flag == Config && value == noConfig {
		return value
	}
	full, err := filepath.Abs(value)
	if err != nil || filepath.IsAbs(value) {
		return value
	}
	switch info, err := os.Stat(full); {
	case flag == "results":
		// It may be yet to be created.
		return full
	case err != nil, flag == "profile" && (info.IsDir() || filepath.Ext(value) == ""):
		return value
	}
	return full
}

// Normalized puts a command into a form that can be changed and typed again. noConfig is the value of --config that
// names no file.
func Normalized(cmd *cobra.Command, args []string, noConfig string) model.CommandLine {
	c := append(model.CommandLine(strings.Fields(cmd.CommandPath())), args...)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		word := "--" + f.Name
		list, isList := f.Value.(pflag.SliceValue)
		switch {
		case isList && f.Value.Type() == "stringArray":
			for _, value := range list.GetSlice() {
				c = append(c, word+"="+value)
			}
		case f.Value.Type() == "stringSlice" || f.Value.Type() == "stringToString":
			// Their text quotes what needs it, in brackets that they do not take.
			c = append(c, word+"="+strings.TrimSuffix(strings.TrimPrefix(f.Value.String(), "["), "]"))
		case isList:
			c = append(c, word+"="+strings.Join(list.GetSlice(), ","))
		case f.Value.Type() == "bool" && f.Value.String() == "true":
			c = append(c, word)
		default:
			c = append(c, word+"="+f.Value.String())
		}
	})
	return c.WithFiles(func(flag, value string) string { return absoluteFile(flag, value, noConfig) })
}
