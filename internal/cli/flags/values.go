package flags

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/model/units"
)

// The most that flags for numbers take: more than anybody needs, and little enough that nothing that is
// computed from them overflows or is refused in another command.
const (
	MostCopies = 1000
	MostNodes  = 100000
	MostScale  = 100000
	MostWrites = 1000000000
	// MostPID is what the kernel's type of a process ID holds.
	MostPID = math.MaxInt32
)

// Count is the value of a flag that takes a whole number within bounds. A default outside of them, such
// as 0 for "not given", cannot be typed: who types it means something else.
type Count struct {
	// Name is that of the flag, without dashes.
	Name string
	To   *int
	// Least and Most are the bounds.
	Least, Most int
	// Such is a number to suggest; 0 means 3.
	Such int
	// Why is added to the refusal of a number below the least; it may be empty.
	Why string
}

// CountVar adds a flag that takes a whole number within bounds, with its default, which may be outside of them.
func CountVar(f *pflag.FlagSet, c Count, otherwise int, usage string) {
	*c.To = otherwise
	f.Var(&c, c.Name, usage)
}

func (c *Count) String() string { return strconv.Itoa(*c.To) }
func (c *Count) Type() string   { return "int" }

func (c *Count) Set(s string) error {
	n, err := units.ParseWhole(strings.TrimSpace(s))
	if (err == nil || errors.Is(err, strconv.ErrRange)) && n >= int64(c.Least) && n <= int64(c.Most) {
		*c.To = int(n)
		return nil
	}
	message := fmt.Sprintf("--%s %s is not a whole number from %d to %d", c.Name, strconv.Quote(s), c.Least, c.Most)
	if c.Why != "" && err == nil && n < int64(c.Least) {
		message += ": " + c.Why
	}
	message += units.Plainly(err)
	return model.RefusedError(message, fmt.Sprintf("write one, such as --%s %d, or leave it out", c.Name, max(c.Least, cmp.Or(c.Such, 3))))
}

// RepeatVar adds --repeat, of which 0 stands for the default.
func RepeatVar(f *pflag.FlagSet, to *int, usage string) {
	CountVar(f, Count{Name: "repeat", To: to, Least: 2, Most: units.MostRepeats, Why: "without a second repeat there is no interval"}, 0, usage)
}

// seedValue is the value of --seed: 0 stands for one chosen at random.
type seedValue struct{ to *uint64 }

// SeedVar adds --seed, a whole number from 1 on; to is 0 unless it is given.
func SeedVar(f *pflag.FlagSet, to *uint64) {
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
		message += units.Plainly(err)
		return model.RefusedError(message, "write one, such as --seed 42, or leave it out for a random one")
	}
	*v.to = n
	return nil
}

// spanValue is the value of a flag that takes a duration, like those that are read with ParseSpan.
type spanValue struct {
	name string
	to   *time.Duration
}

// SpanVar adds a flag that takes a duration longer than 0, as ParseSpan reads it, with its default.
func SpanVar(f *pflag.FlagSet, to *time.Duration, name string, otherwise time.Duration, usage string) {
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
	seconds, err := ParseSpan("--"+v.name, s)
	if err == nil && seconds == 0 {
		err = Empty(v.name)
	}
	if err == nil {
		*v.to = time.Duration(seconds * float64(time.Second))
	}
	return err
}

// spanWords matches what is a duration, however long.
var spanWords = regexp.MustCompile(`^(\d+(\.\d*)?|\.\d+)(e\+?\d+)?$|^((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$`)

// spansLike are what to suggest for flags whose durations are of another order than most.
var spansLike = map[string]string{
	"latency-limit": "20ms or 0.5s", "ramp-time": "5s or 30s", "time": "20s or 2m", "traced": "30s or 2m", "within": "8h or 24h", "hold": "1h or 24h",
}

// ParseSpan reads "90s", "5m", "1h30m" or plain seconds, up to units.LongestTime; "" is 0.
func ParseSpan(flag, s string) (float64, error) {
	if s == "" {
		return 0, nil
	}
	plain := units.CheckLead(s)
	v, err := units.ParseDecimal(s)
	if err != nil {
		var d time.Duration
		d, err = time.ParseDuration(s)
		v = d.Seconds()
	}
	like := "write it like " + cmp.Or(spansLike[strings.TrimPrefix(flag, "--")], "90s or 5m")
	switch {
	case plain != nil:
		return 0, model.RefusedError(fmt.Sprintf("%s %q is not a duration%s", flag, s, units.Plainly(plain)), like)
	case err == nil && v > 0 && v <= units.LongestTime:
		return v, nil
	case err == nil && v <= 0:
		return 0, model.RefusedError(fmt.Sprintf("%s %q must be longer than 0", flag, s), like)
	case spanWords.MatchString(s):
		return 0, model.RefusedError(fmt.Sprintf("%s %q is longer than a year (%s), the longest time that Loadline takes", flag, s, LongestSpan), "write at most "+LongestSpan)
	}
	return 0, model.RefusedError(fmt.Sprintf("%s %q is not a duration", flag, s), like)
}

// ParseShare reads "5%" or "0.05".
func ParseShare(flag, s string) (float64, error) {
	v, err := parsePercentage(flag, s)
	if err == nil && !(v > 0 && v < 1) {
		err = model.RefusedError(fmt.Sprintf("%s %q must be more than 0 and less than 100 %%", flag, s), likeShare)
	}
	return v, err
}

// ParseHeadroom reads a share, which may be 0.
func ParseHeadroom(flag, s string) (float64, error) {
	v, err := parsePercentage(flag, s)
	if err == nil && !(v >= 0 && v < 1) {
		err = model.RefusedError(fmt.Sprintf("%s %q must be at least 0 and less than 100 %%", flag, s), likeShare)
	}
	return v, err
}

// likeShare says how to write a share.
const likeShare = "write it like 5% or 0.05"

// parsePercentage reads a percentage as a share, whatever its size.
func parsePercentage(flag, s string) (float64, error) {
	t, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := units.ParseDecimal(strings.TrimSpace(t))
	if err != nil {
		return 0, model.RefusedError(fmt.Sprintf("%s %q is not a percentage%s", flag, s, units.Plainly(err)), likeShare)
	}
	if percent {
		v /= 100
	}
	return v, nil
}

// ParseData reads how much data is measured on; there must be some.
func ParseData(flag, s string) (int64, error) {
	n, err := units.ParseSize(s)
	switch {
	case err != nil:
		return 0, model.RefusedError(flag+": "+err.Error(), "give a size, such as "+flag+" 20GiB, or leave "+flag+" out to have it chosen")
	case n == 0:
		return 0, model.RefusedError(flag+" 0 leaves nothing to measure", "leave "+flag+" out to have it chosen")
	}
	return n, nil
}

// WordsVar adds a flag that takes a list of words, each of which must be known.
func WordsVar(f *pflag.FlagSet, to *[]string, name string, otherwise, known []string, usage string) {
	f.StringSliceVar(to, name, slices.Clone(otherwise), usage)
	flag := f.Lookup(name)
	flag.Value = wordsValue{flag.Value, flag.Value.(pflag.SliceValue), "--" + name, known}
}

// wordsValue is the value of such a flag.
type wordsValue struct {
	pflag.Value
	pflag.SliceValue
	name  string
	known []string
}

func (v wordsValue) Set(s string) error {
	before := v.GetSlice()
	if err := v.Value.Set(s); err != nil {
		return err
	}
	for _, word := range v.GetSlice() {
		if err := OneOf(v.name, word, v.known); err != nil {
			return errors.Join(err, v.Replace(before))
		}
	}
	return nil
}

// CheckFailOn refuses values of --fail-on that contradict each other.
func CheckFailOn(words []string) error {
	if len(words) > 1 && slices.Contains(words, "none") {
		return model.RefusedError("--fail-on none cannot be combined with other verdicts", "use none, or the others")
	}
	return nil
}

// CheckFormat refuses --json beside another --format; format is "" if none was given.
func CheckFormat(format string, json bool) error {
	if json && format != "" && format != "json" {
		return model.RefusedError(fmt.Sprintf("--json means --format json, but --format %s was given", format), "leave one of them out")
	}
	return nil
}

// ProgressForms are the values of --progress, the default first.
var ProgressForms = []string{"text", "json"}

// OneOf refuses a flag value that is not among the known words.
func OneOf(flag, word string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s %q is not known", flag, word)+suggest.Question(word, known), "choose among "+strings.Join(known, ", "))
}

// LongestSpan is units.LongestTime as a flag takes it.
var LongestSpan = strconv.Itoa(units.LongestTime/3600) + "h"

// Empty refuses a flag that was given nothing.
func Empty(name string) error {
	return model.RefusedError(fmt.Sprintf("--%s is given, but empty", name), fmt.Sprintf("write a value after --%s, or leave it out for the default", name))
}

// RefuseEmpty refuses flags for what is measured, how long, by what it is judged and where it goes, if they
// were typed with an empty value: that is usually a variable of a script without a value, and would silently
// measure something else, or leave the result nowhere.
func RefuseEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err != nil || cmd.Hidden {
			return
		}
		switch GroupOf(f.Name) {
		case flagtable.What, flagtable.HowLong, flagtable.Verdict:
		default:
			if !flagtable.Is(f.Name, flagtable.NeverEmpty) && !ofApplication(f.Name) {
				return
			}
		}
		empty := f.Value.Type() == "string" && strings.TrimSpace(f.Value.String()) == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = strings.TrimSpace(strings.Join(list.GetSlice(), "")) == ""
		}
		if empty {
			err = Empty(f.Name)
		}
	})
	return err
}
