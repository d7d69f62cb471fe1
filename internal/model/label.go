package model

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loadline/loadline/internal/model/safetext"
)

// Labels are the user's labels for a run: values by name, such as env=staging. Names follow the rules
// of Prometheus.
type Labels map[string]string

// The limits on labels: each becomes a column, a label of every metric and a search term.
const (
	mostLabels        = 32
	longestLabelName  = 64  // bytes
	longestLabelValue = 256 // bytes
)

// labelName is a Prometheus label name without the colon, which is reserved for recording rules.
var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// ParseLabels parses labels written as "name=value". The error says what to type instead.
func ParseLabels(words []string) (Labels, error) {
	if len(words) > mostLabels {
		return nil, RefusedError(fmt.Sprintf("%d labels are too many: a run has %d at most", len(words), mostLabels), "leave some out; --note takes a longer remark")
	}
	var labels Labels
	for _, word := range words {
		name, value, found := strings.Cut(word, "=")
		if why := badLabel(name, value, found); why != "" {
			return nil, RefusedError(fmt.Sprintf("the label %s %s", quoted(word), why), "write it like --label env=staging")
		}
		if _, twice := labels[name]; twice {
			return nil, RefusedError(fmt.Sprintf("the label %s is given twice, as %q and as %q", name, labels[name], value), "give each label once")
		}
		if labels == nil {
			labels = Labels{}
		}
		labels[name] = value
	}
	return labels, nil
}

// quoted quotes what was typed, of a long word only the beginning: that is enough to find it.
func quoted(word string) string {
	const most = 80
	if len(word) <= most {
		return strconv.Quote(word)
	}
	return strconv.Quote(strings.ToValidUTF8(word[:most], "")) + "…"
}

// badLabel says what is wrong with a label; "" if nothing is.
func badLabel(name, value string, found bool) string {
	switch {
	case !found:
		return "has no value: a label is NAME=VALUE"
	case !labelName.MatchString(name):
		return "has a name that is not allowed: a label's name consists of letters, digits and _, and does not begin with a digit"
	case strings.HasPrefix(name, "__"):
		return "has a name that begins with __, which Prometheus keeps for itself"
	case len(name) > longestLabelName:
		return fmt.Sprintf("has a name of %d bytes, and %d are the most", len(name), longestLabelName)
	case value == "":
		return "has an empty value, which for Prometheus is the same as no label"
	case len(value) > longestLabelValue:
		return fmt.Sprintf("has a value of %d bytes, and %d are the most", len(value), longestLabelValue)
	case !utf8.ValidString(value) || safetext.Clean(value) != value || strings.TrimSpace(value) != value:
		return "has a value that is not one line of visible text"
	}
	return ""
}

// Names returns the names in alphabetical order. A foreign document may contain names that are not
// allowed and would not be valid as a column or metric label: they are left out.
func (l Labels) Names() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(l)), func(name string) bool {
		return !labelName.MatchString(name) || strings.HasPrefix(name, "__")
	})
}

// Words returns the labels as "name=value", sorted by name.
func (l Labels) Words() []string {
	words := make([]string, 0, len(l))
	for _, name := range l.Names() {
		words = append(words, name+"="+l[name])
	}
	return words
}

// With returns a copy of the labels with others added, which replace those of the same name.
func (l Labels) With(others Labels) Labels {
	if len(others) == 0 {
		return l
	}
	all := maps.Clone(l)
	if all == nil {
		all = Labels{}
	}
	maps.Copy(all, others)
	return all
}
