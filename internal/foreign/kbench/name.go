package kbench

import "strings"

// Identity is what the name of a job says about it.
type Identity struct {
	// Pattern is "random" or "sequential", Type "read" or "write".
	Pattern, Type string
	Aspect        Aspect
}

// Identify parses a job's name such as "rand-read-bw"; false for any other.
func Identify(name string) (Identity, bool) {
	parts := strings.Split(name, "-")
	if len(parts) != 3 || parts[1] != "read" && parts[1] != "write" {
		return Identity{}, false
	}
	id := Identity{Type: parts[1], Aspect: aspectOf(name)}
	for pattern, short := range patterns {
		if short == parts[0] {
			id.Pattern = pattern
		}
	}
	return id, id.Pattern != "" && id.Aspect != ""
}
