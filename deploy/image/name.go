package main

import (
	"os/exec"
	"strings"
	"unicode"
)

// tagOf is the tag of "name:tag"; a colon before a slash belongs to a port.
func tagOf(name string) string {
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		return name[i+1:]
	}
	return "latest"
}

// described is the version of the sources: what git says of them, as in the Makefile.
func described() string {
	out, err := exec.Command("git", "describe", "--tags", "--always", "--dirty").Output()
	if version := strings.TrimSpace(string(out)); err == nil && version != "" {
		return version
	}
	return "unknown"
}

// tagFor is a version as a tag, which may hold less than a version.
func tagFor(version string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '_' {
			return '-'
		}
		return r
	}, version)
}

// canonical is the full name under which Kubernetes looks for an image: a name
// without a registry is one of docker.io, and one without a folder is in its
// "library".
func canonical(name string) string {
	if strings.LastIndexByte(name, ':') <= strings.LastIndexByte(name, '/') {
		name += ":latest"
	}
	first, _, folder := strings.Cut(name, "/")
	switch {
	case !folder:
		return "docker.io/library/" + name
	case strings.ContainsAny(first, ".:") || first == "localhost":
		return name
	}
	return "docker.io/" + name
}
