package flags

import "github.com/spf13/pflag"

// verified is a value that its command reads only when it runs, but that can be checked before.
type verified struct {
	pflag.Value
	check func(string) error
}

// Verify says how a value of the flag is checked where its command does not run, as in a configuration file. The flag must
// not be one that can be repeated.
func Verify(f *pflag.FlagSet, name string, check func(string) error) {
	flag := f.Lookup(name)
	flag.Value = verified{flag.Value, check}
}

// Check says what is wrong with a value of a flag; nil if nothing is, or nobody said how it is checked.
func Check(f *pflag.Flag, value string) error {
	if v, ok := f.Value.(verified); ok {
		return v.check(value)
	}
	return nil
}

// TakesCommas reports whether a flag takes several entries in one text, separated by commas.
func TakesCommas(f *pflag.Flag) bool {
	value := f.Value
	if v, ok := value.(verified); ok {
		value = v.Value
	}
	_, ok := value.(listValue)
	return ok
}
