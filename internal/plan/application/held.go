package application

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// CommandLine returns the application's own flags that a request stands for, as a command has them. A file is
// left out: only its text is known.
func (a Application) CommandLine(r *model.AppRequest) (words model.CommandLine) {
	for _, f := range slices.Concat(a.Flags, a.BaselineFlags) {
		for _, value := range f.held(r) {
			if value == "" {
				words = append(words, "--"+f.Name)
			} else {
				words = append(words, "--"+f.Name+"="+value)
			}
		}
	}
	return words
}

// LoadFlags names the flags with which users define a load of their own, of which there are at least two:
// "--clients and --rate".
func (a Application) LoadFlags() string {
	var names []string
	for _, f := range a.Flags {
		if f.Load {
			names = append(names, "--"+f.Name)
		}
	}
	return units.FormatList(names)
}

// held returns the values that a request holds of a flag, as they would be typed; the value of a flag
// without one is "".
func (f Flag) held(r *model.AppRequest) (values []string) {
	if f.Option != "" {
		for _, o := range r.Ask.Options {
			if value, ok := strings.CutPrefix(o, f.Option); ok {
				values = append(values, value)
			}
		}
		return values
	}
	switch to := f.To(r).(type) {
	case *bool:
		if *to {
			return []string{""}
		}
	case *[]string:
		return *to
	default:
		if text := f.Text(to); text != "" {
			return []string{text}
		}
	}
	return nil
}

// Text returns the value of a flag as it would be typed, from where a request holds it: a text, a number or a
// list of numbers. It is "" for none, and for the text of a file.
func (f Flag) Text(held any) string {
	switch to := held.(type) {
	case *string:
		if !f.File {
			return *to
		}
	case *int:
		if *to != 0 {
			return strconv.Itoa(*to)
		}
	case *[]int:
		words := make([]string, len(*to))
		for i, n := range *to {
			words[i] = strconv.Itoa(n)
		}
		return strings.Join(words, ",")
	case *float64:
		switch {
		case *to == 0:
		case f.Time:
			return strconv.FormatFloat(*to, 'f', -1, 64) + "s"
		default:
			return strconv.FormatFloat(*to, 'g', -1, 64)
		}
	}
	return ""
}
