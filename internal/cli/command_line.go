package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/settings"
	"github.com/loadline/loadline/internal/model"
)

// commandLineKey is the context key of the command as it was understood.
type commandLineKey struct{}

// storeCommandLine stores the command as it was understood for later recording.
func storeCommandLine(cmd *cobra.Command, args []string) {
	cmd.SetContext(context.WithValue(cmd.Context(), commandLineKey{}, normalizedCommand(cmd, args)))
}

// commandLine returns the command as it was understood; nil outside of a command.
func commandLine(ctx context.Context) model.CommandLine {
	c, _ := ctx.Value(commandLineKey{}).(model.CommandLine)
	return c
}

// absoluteFile returns the value of a flag with the path of the file that it names: the command may be typed again in
// another directory. A profile's name is not that of a file, and neither is what does not exist.
func absoluteFile(flag, value string) string {
	if value == "" || flag == flags.Config && value == settings.NoFile {
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

// normalizedCommand puts a command into a form that can be changed and typed again.
func normalizedCommand(cmd *cobra.Command, args []string) model.CommandLine {
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
	return c.WithFiles(absoluteFile)
}
