package usage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
)

// BadFlag explains a flag that exists but cannot be understood. The flag library's own words quote Go's
// functions.
func BadFlag(err error, help string) error {
	var refused *model.WorkerError
	var missing *pflag.ValueRequiredError
	var syntax *pflag.InvalidSyntaxError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &missing):
		return Error{fmt.Errorf("--%s needs a value", missing.GetFlag().Name), help}
	case errors.As(err, &syntax):
		return Error{fmt.Errorf("%q is not a flag: one is written --name, or --name=value", syntax.GetSpecifiedFlag()), help}
	case errors.As(err, &value):
		message, hint := badValue(value)
		return Error{errors.New(message), hint}
	}
	return Error{err, help}
}

// badValue says what a flag takes instead of the value that it was given.
func badValue(err *pflag.InvalidValueError) (message, hint string) {
	name, typed := "--"+err.GetFlag().Name, strconv.Quote(err.GetValue())
	switch err.GetFlag().Value.Type() {
	case "int", "uint64", "float64":
		if errors.Is(err, strconv.ErrRange) {
			return fmt.Sprintf("%s %s is larger than any number that it takes", name, typed), "write a smaller one, or leave it out"
		}
		return fmt.Sprintf("%s %s is not a whole number", name, typed), fmt.Sprintf("write one, such as %s 3, or leave it out", name)
	case "bool":
		return fmt.Sprintf("%s %s is neither true nor false", name, typed), fmt.Sprintf("write %s, or leave it out", name)
	case "stringToString":
		return fmt.Sprintf("%s %s is not a list of NAME=VALUE", name, typed), fmt.Sprintf("write it like %s a=1,b=2", name)
	case "stringSlice":
		return fmt.Sprintf("%s %s is not a list: a quotation mark in it is not closed, or in the middle of a word", name, typed), "separate the entries by commas, without quotation marks"
	}
	return fmt.Sprintf("%s %s is not what it takes: %v", name, typed, errors.Unwrap(err)), "leave it out"
}

// RefusedValue says what is wrong with the values of a flag of a command that is not run; nil if nothing is.
func RefusedValue(c *cobra.Command, flag string, values []string) error {
	f := c.Flags().Lookup(flag)
	_, list := f.Value.(pflag.SliceValue)
	if !list && f.Value.Type() != "stringToString" && len(values) != 1 {
		err := fmt.Errorf("%s takes one value", flag)
		if flags.TakesCommas(f) {
			return Error{err, fmt.Sprintf("write %s: %s", flag, strings.Join(values, ","))}
		}
		return err
	}
	for _, v := range values {
		if flag == "note" {
			// Any text is one, also none: it replaces that for all commands.
			continue
		}
		if f.Value.Type() != "bool" && strings.Trim(v, "\", \t\r\n") == "" {
			// It would stand for the default, or for nothing at all.
			return flags.Empty(flag)
		}
		err := checked(f, v)
		if err == nil {
			// The flag only checks the value's type.
			err = c.Flags().Set(flag, Quoted(f, v))
		}
		if err == nil {
			continue
		}
		if err = BadFlag(err, ""); f.Value.Type() == "stringSlice" && len(values) == 1 && strings.Contains(v, ",") {
			return Error{err, fmt.Sprintf("write a list: %s: [%s]", flag, strings.Join(strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' }), ", "))}
		}
		return err
	}
	if err := together(flag, values); err != nil {
		return BadFlag(err, "")
	}
	return nil
}

// RefusedFlags says what is wrong with the flags that were given to a command that is not run; nil if nothing is.
func RefusedFlags(c *cobra.Command) error {
	err := flags.RefuseEmpty(c)
	c.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, several := f.Value.(pflag.SliceValue); several {
			values = list.GetSlice()
		}
		for _, v := range values {
			if err == nil && v != "" {
				if err = checked(f, v); err != nil {
					err = BadFlag(err, c.CommandPath()+" --help")
				}
			}
		}
		if err == nil {
			err = together(f.Name, values)
		}
	})
	return err
}

// checked says what is wrong with a value of a flag that is read only when the command runs.
func checked(f *pflag.Flag, v string) (err error) {
	switch flag := f.Name; flag {
	case "headroom":
		_, err = flags.ParseHeadroom("--headroom", v)
	case "precision", "margin", "margin-p99":
		_, err = flags.ParseShare("--"+flag, v)
	case "max-time", "max-prefill", "time", "ramp-time", "within":
		_, err = flags.ParseSpan("--"+flag, v)
	case "size":
		_, err = flags.ParseData("--size", v)
	case "cap":
		_, err = model.ParseCap(v)
	case "goal":
		err = spec.CheckGoal(v)
	case "label":
		_, err = model.ParseLabels([]string{v})
	case "only", "skip":
		err = session.CheckPattern("--"+flag, v)
	case "progress":
		err = flags.OneOf("--progress", v, flags.ProgressForms)
	case "access-mode":
		_, err = session.AccessMode(v)
	case "spread":
		_, err = session.Spreading(v)
	default:
		err = flags.Check(f, v)
	}
	return err
}

// together says what is wrong with the values of a flag that are valid alone, but not with each other.
func together(flag string, values []string) (err error) {
	switch flag {
	case "label":
		_, err = model.ParseLabels(values)
	case "fail-on":
		err = flags.CheckFailOn(values)
	}
	return err
}

// Quoted is a value as a flag takes it: an element of a list may contain a comma.
func Quoted(f *pflag.Flag, value string) string {
	if f.Value.Type() == "stringSlice" && strings.ContainsAny(value, "\",") {
		return `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
	}
	return value
}
