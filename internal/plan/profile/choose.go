package profile

import (
	"fmt"
	"path"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/suggest"
)

// Choose keeps the workloads that match a pattern in only (all, if only is empty) and drops those that
// match a pattern in skip, in the profile's order. A pattern is an exact name or a glob such as
// "rand-*". A pattern without a match is refused, suggesting the nearest name, because a typo must not
// result in measuring less than requested. A selection that leaves nothing is refused as well.
func Choose(p Profile, only, skip []string) (Profile, error) {
	keep, err := matches(p, "--only", only)
	if err != nil {
		return Profile{}, err
	}
	drop, err := matches(p, "--skip", skip)
	if err != nil {
		return Profile{}, err
	}
	chosen := make([]model.Workload, 0, len(p.Workloads))
	for _, w := range p.Workloads {
		if (len(only) == 0 || keep[w.Name]) && !drop[w.Name] {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return Profile{}, model.RefusedError(
			fmt.Sprintf("no workload of profile %q is left after --only and --skip", p.Name),
			"it has "+strings.Join(p.names(), ", "))
	}
	p.Workloads = chosen
	return p, nil
}

// matches returns the names that match the patterns.
func matches(p Profile, flag string, patterns []string) (map[string]bool, error) {
	found := map[string]bool{}
	for _, pattern := range patterns {
		if err := CheckPattern(flag, pattern); err != nil {
			return nil, err
		}
		any := false
		for _, w := range p.Workloads {
			if ok, _ := path.Match(pattern, w.Name); ok || pattern == w.Name {
				found[w.Name], any = true, true
			}
		}
		if any {
			continue
		}
		message := fmt.Sprintf("profile %q has no workload %q", p.Name, pattern) + suggest.Question(pattern, p.names())
		return nil, model.RefusedError(message, "it has "+strings.Join(p.names(), ", "))
	}
	return found, nil
}

// CheckPattern refuses a malformed pattern, whatever the profile.
func CheckPattern(flag, pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return model.RefusedError(
			fmt.Sprintf("%s %q is not a pattern: a bracket is open or empty", flag, pattern),
			"write a name, or a pattern such as 'rand-*'")
	}
	return nil
}
