package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// The most that flags for numbers take: more than anybody needs, and little enough that nothing that is
// computed from them overflows or is refused in another command.
const (
	mostCopies = 1000
	mostNodes  = 100000
	mostScale  = 100000
	mostWrites = 1000000000
	// mostPID is what the kernel's type of a process ID holds.
	mostPID = math.MaxInt32
)

// count is the value of a flag that takes a whole number within bounds. A default outside of them, such
// as 0 for "not given", cannot be typed: who types it means something else.
type count struct {
	name        string
	to          *int
	least, most int
	// such is a number to suggest; 0 means 3.
	such int
	// why is added to the refusal of a number below the least; it may be empty.
	why string
}

// countVar adds such a flag with its default.
func countVar(f *pflag.FlagSet, c count, otherwise int, usage string) {
	*c.to = otherwise
	f.Var(&c, c.name, usage)
}

func (c *count) String() string { return strconv.Itoa(*c.to) }
func (c *count) Type() string   { return "int" }

func (c *count) Set(s string) error {
	n, err := units.ParseWhole(strings.TrimSpace(s))
	if (err == nil || errors.Is(err, strconv.ErrRange)) && n >= int64(c.least) && n <= int64(c.most) {
		*c.to = int(n)
		return nil
	}
	message := fmt.Sprintf("--%s %s is not a whole number from %d to %d", c.name, strconv.Quote(s), c.least, c.most)
	if c.why != "" && err == nil && n < int64(c.least) {
		message += ": " + c.why
	}
	if errors.Is(err, units.ErrNotPlain) {
		message += ": " + err.Error()
	}
	return model.RefusedError(message, fmt.Sprintf("write one, such as --%s %d, or leave it out", c.name, max(c.least, cmp.Or(c.such, 3))))
}

// repeatVar adds --repeat, of which 0 stands for the default.
func repeatVar(f *pflag.FlagSet, to *int, usage string) {
	countVar(f, count{name: "repeat", to: to, least: 2, most: units.MostRepeats, why: "without a second repeat there is no interval"}, 0, usage)
}

// seedValue is the value of --seed: 0 stands for one chosen at random.
type seedValue struct{ to *uint64 }

// seedVar adds --seed.
func seedVar(f *pflag.FlagSet, to *uint64) {
	f.Var(seedValue{to}, "seed", "fix the order of the repeats (default: random, and saved in the plan)")
}

func (v seedValue) String() string {
	if v.to == nil {
		return "0"
	}
	return strconv.FormatUint(*v.to, 10)
}

func (v seedValue) Type() string { return "uint" }

func (v seedValue) Set(s string) error {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 64)
	if _, other := units.ParseWhole(strings.TrimSpace(s)); errors.Is(other, units.ErrNotPlain) {
		err = other
	}
	if err != nil || n == 0 {
		message := fmt.Sprintf("--seed %s is not a whole number from 1 to %d", strconv.Quote(s), uint64(math.MaxUint64))
		if errors.Is(err, units.ErrNotPlain) {
			message += ": " + err.Error()
		}
		return model.RefusedError(message, "write one, such as --seed 42, or leave it out for a random one")
	}
	*v.to = n
	return nil
}

// spanValue is the value of a flag that takes a duration, like those that are read with parseSpan.
type spanValue struct {
	name string
	to   *time.Duration
}

// spanVar adds such a flag with its default.
func spanVar(f *pflag.FlagSet, to *time.Duration, name string, otherwise time.Duration, usage string) {
	*to = otherwise
	f.Var(spanValue{name, to}, name, usage)
}

func (v spanValue) String() string {
	if v.to == nil {
		return "0s"
	}
	return v.to.String()
}

func (v spanValue) Type() string { return "duration" }

func (v spanValue) Set(s string) error {
	seconds, err := parseSpan("--"+v.name, s)
	if err == nil && seconds == 0 {
		err = emptyValue(v.name)
	}
	if err == nil {
		*v.to = time.Duration(seconds * float64(time.Second))
	}
	return err
}

// spanWords matches what is a duration, however long.
var spanWords = regexp.MustCompile(`^\+?(\d+(\.\d*)?|\.\d+)(e\+?\d+)?$|^\+?((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$`)

// spansLike are what to suggest for flags whose durations are of another order than most.
var spansLike = map[string]string{
	"latency-limit": "20ms or 0.5s", "ramp-time": "5s or 30s", "time": "20s or 2m", "traced": "30s or 2m", "within": "8h or 24h", "hold": "1h or 24h",
}

// parseSpan reads "90s", "5m", "1h30m" or plain seconds, up to units.LongestTime; "" is 0.
func parseSpan(flag, s string) (float64, error) {
	if s == "" {
		return 0, nil
	}
	v, err := units.ParseDecimal(s)
	if err != nil {
		var d time.Duration
		d, err = time.ParseDuration(s)
		v = d.Seconds()
	}
	like := "write it like " + cmp.Or(spansLike[strings.TrimPrefix(flag, "--")], "90s or 5m")
	switch {
	case err == nil && v > 0 && v <= units.LongestTime:
		return v, nil
	case err == nil && v <= 0:
		return 0, model.RefusedError(fmt.Sprintf("%s %q must be longer than 0", flag, s), like)
	case spanWords.MatchString(s):
		return 0, model.RefusedError(fmt.Sprintf("%s %q is longer than a year (%s), the longest time that Loadline takes", flag, s, longestSpan), "write at most "+longestSpan)
	}
	return 0, model.RefusedError(fmt.Sprintf("%s %q is not a duration", flag, s), like)
}

// longestSpan is units.LongestTime as a flag takes it.
var longestSpan = strconv.Itoa(units.LongestTime/3600) + "h"

// badFlag explains a flag that exists but cannot be understood. The flag library's own words quote Go's
// functions.
func badFlag(err error, help string) error {
	var refused *model.WorkerError
	var missing *pflag.ValueRequiredError
	var syntax *pflag.InvalidSyntaxError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &missing):
		return usageError{fmt.Errorf("--%s needs a value", missing.GetFlag().Name), help}
	case errors.As(err, &syntax):
		return usageError{fmt.Errorf("%q is not a flag: one is written --name, or --name=value", syntax.GetSpecifiedFlag()), help}
	case errors.As(err, &value):
		message, hint := badValue(value)
		return usageError{errors.New(message), hint}
	}
	return usageError{err, help}
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

// emptyValue refuses a flag that was given nothing.
func emptyValue(name string) error {
	return model.RefusedError(fmt.Sprintf("--%s is given, but empty", name), fmt.Sprintf("write a value after --%s, or leave it out for the default", name))
}

// refuseEmpty refuses flags for what is measured, how long and by what it is judged, if they were typed
// with an empty value: that is usually a variable of a script without a value, and would silently
// measure something else.
func refuseEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err != nil || cmd.Hidden {
			return
		}
		switch groupOf(f.Name) {
		case groupWhat, groupHowLong, groupVerdict:
		default:
			if !ofApplication(f.Name) {
				return
			}
		}
		empty := f.Value.Type() == "string" && strings.TrimSpace(f.Value.String()) == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = strings.TrimSpace(strings.Join(list.GetSlice(), "")) == ""
		}
		if empty {
			err = emptyValue(f.Name)
		}
	})
	return err
}
