// Package notices contains the license texts of everything that is linked into Loadline's programs,
// so that they come with the program however it is copied: "loadline licenses" prints them, and the
// image contains them as a file.
//
// Its assumptions: a list kept by hand is wrong after the next new dependency. The file is generated
// from the linked modules ("go test ./internal/show/notices -update"), and the same test fails if
// they differ.
package notices

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed notices.txt
var text string

// Rule is the line between two notices.
const Rule = "================================================================"

// Notice is the license information of a module or a package.
type Notice struct {
	// Name and Version are the module's; Go's standard library has no version here.
	Name, Version string
	// License is an SPDX expression.
	License string
	// Text contains all licenses and notices of the module, as published.
	Text string
}

// Linked returns Loadline itself, Go's standard library, and the modules that are linked into the
// programs on any system for which they are built.
func Linked() []Notice { return Parse(text) }

// Parse splits a text at the rules: the text here and the one at the head of the page's scripts,
// which web/notices.mjs writes.
func Parse(text string) []Notice {
	var all []Notice
	// A text may contain longer rules: only a line that is exactly the rule separates two notices.
	for part := range strings.SplitSeq("\n"+text, "\n"+Rule+"\n") {
		head, rest, ok := strings.Cut(part, "\nLicense: ")
		if !ok || strings.Contains(head, "\n") {
			continue
		}
		n := Notice{}
		n.Name, n.Version, _ = strings.Cut(head, " ")
		n.License, n.Text, _ = strings.Cut(rest, "\n")
		n.Text = strings.TrimSpace(n.Text) + "\n"
		all = append(all, n)
	}
	return all
}

// Format writes notices in the form that Parse reads.
func Format(all []Notice) string {
	var b strings.Builder
	for _, n := range all {
		b.WriteString(Rule + "\n" + strings.TrimSpace(n.Name+" "+n.Version) + "\nLicense: " + n.License + "\n\n" + strings.TrimSpace(n.Text) + "\n\n")
	}
	b.WriteString(Rule + "\n")
	return b.String()
}

// List returns the name and the license of each, one per line.
func List(all []Notice) string {
	var b strings.Builder
	for _, n := range all {
		fmt.Fprintf(&b, "%-72s %s\n", strings.TrimSpace(n.Name+" "+n.Version), n.License)
	}
	return b.String()
}
