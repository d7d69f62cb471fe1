package main

import (
	"fmt"
	"os/exec"
	"strings"
	"unicode"

	"github.com/google/go-containerregistry/pkg/name"
)

// described returns the version of the sources by git describe, as in the Makefile.
func described() string {
	out, err := exec.Command("git", "describe", "--tags", "--always", "--dirty").Output()
	if version := strings.TrimSpace(string(out)); err == nil && version != "" {
		return version
	}
	return "unknown"
}

// tagFor turns a version into a tag, which allows fewer characters.
func tagFor(version string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '_' {
			return '-'
		}
		return r
	}, version)
}

// parseTag parses "name:tag"; without a tag it is latest, as usual.
func parseTag(text string) (name.Tag, error) {
	tag, err := name.NewTag(text, name.WeakValidation)
	if err != nil {
		return tag, fmt.Errorf("%q cannot be the name of an image: %w", text, err)
	}
	return tag, nil
}

// canonical returns the full name under which Kubernetes looks for an image. Kubernetes and
// the library have different names for the default registry.
func canonical(tag name.Tag) string {
	return strings.Replace(tag.Name(), name.DefaultRegistry+"/", "docker.io/", 1)
}
