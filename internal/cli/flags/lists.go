package flags

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// listValue is the value of a flag that takes a list, whose text is stored if it can be read.
type listValue struct {
	to    *string
	check func(string) error
}

// ListVar adds a flag that takes a list, each entry of which can be read, with its default. The text is stored in to; ParseList
// returns the entries.
func ListVar[V any](f *pflag.FlagSet, to *string, name, otherwise string, read func(string) (V, error), usage string) {
	*to = otherwise
	f.Var(listValue{to, func(s string) error { _, err := ParseList("--"+name, s, read); return err }}, name, usage)
}

func (v listValue) String() string {
	if v.to == nil {
		return ""
	}
	return *v.to
}

func (v listValue) Type() string { return "string" }

func (v listValue) Set(s string) error {
	err := v.check(s)
	if err == nil {
		*v.to = s
	}
	return err
}

// OneLine makes the flags of a command and of those below it that take lists refuse line breaks: the flag library reads a list to
// the end of its first line, and drops the rest.
func OneLine(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		one := oneLine{f.Value, f.Name}
		list, isList := f.Value.(pflag.SliceValue)
		switch {
		case f.Value.Type() == "stringSlice" && isList:
			f.Value = oneLineList{one, list}
		case f.Value.Type() == "stringToString":
			f.Value = one
		default:
			return
		}
		if f.DefValue == "[]" {
			// Of its own lists the library knows that this is no default to show.
			f.DefValue = ""
		}
	})
	for _, below := range c.Commands() {
		OneLine(below)
	}
}

// oneLine is a value without line breaks, and oneLineList such a list.
type (
	oneLine struct {
		pflag.Value
		name string
	}
	oneLineList struct {
		oneLine
		pflag.SliceValue
	}
)

func (v oneLine) Set(s string) error {
	if strings.ContainsAny(s, "\r\n") {
		return model.RefusedError(fmt.Sprintf("--%s has a line break in its list", v.name), "separate the entries by commas, on one line")
	}
	return v.Value.Set(s)
}

// ReadWhole reads a whole number.
func ReadWhole(s string) (int, error) {
	if _, err := units.ParseWhole(s); err != nil {
		return 0, err
	}
	return strconv.Atoi(s)
}

// ParseList parses a comma-separated list; "" is an empty list.
func ParseList[V any](flag, s string, read func(string) (V, error)) ([]V, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	var values []V
	for word := range strings.SplitSeq(s, ",") {
		word = strings.TrimSpace(word)
		v, err := read(word)
		if err != nil {
			what := fmt.Sprintf("%s: %q is not a whole number", flag, word)
			if errors.Is(err, strconv.ErrRange) {
				what = fmt.Sprintf("%s: %s is too large a number", flag, word)
			}
			what += units.Plainly(err)
			if flag == "--bs" {
				what = fmt.Sprintf("%s: %v", flag, err)
			}
			return nil, model.RefusedError(what, "give a list separated by commas, such as "+flag+" "+map[bool]string{true: "4k,64k", false: "1,2,4"}[flag == "--bs"])
		}
		values = append(values, v)
	}
	return values, nil
}
