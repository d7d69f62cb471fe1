package main

import (
	"fmt"
	"os/exec"
	"strings"
	"unicode"

	"github.com/google/go-containerregistry/pkg/name"
)

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

// parseTag reads "name:tag"; without a tag it is the latest, as everywhere.
func parseTag(text string) (name.Tag, error) {
	tag, err := name.NewTag(text, name.WeakValidation)
	if err != nil {
		return tag, fmt.Errorf("%q cannot be the name of an image: %w", text, err)
	}
	return tag, nil
}

// canonical is the full name under which Kubernetes looks for an image. The registry
// that is meant where none is named has another name for Kubernetes than for the library.
func canonical(tag name.Tag) string {
	return strings.Replace(tag.Name(), name.DefaultRegistry+"/", "docker.io/", 1)
}
