// Package notices holds the licence texts of what is linked into Loadline's programs, so
// that they travel with the program however it is copied: "loadline licenses" prints
// them, and the image has them as a file.
//
// Its opinion: a list that people keep by hand is wrong after the next dependency. The
// file is written from the modules that are linked ("go test ./internal/show/notices -update"),
// and the same test fails when they differ.
package notices

import (
	_ "embed" // the texts
	"strings"
)

//go:embed notices.txt
var text string

// Rule is the line between two notices.
const Rule = "================================================================"

// Notice is what a module or a package says of its licence.
type Notice struct {
	// Name and Version are the module's; Go's own standard library has no version here.
	Name, Version string
	// License is an SPDX expression.
	License string
	// Text is every licence and notice of the module, as it publishes them.
	Text string
}

// Linked are Loadline itself, Go's standard library, and the modules that are linked into
// the programs on any system that they are built for.
func Linked() []Notice { return Parse(text) }

// Parse reads what stands between the rules: here and at the head of the page's scripts,
// which web/notices.mjs writes.
func Parse(text string) []Notice {
	var all []Notice
	// A text may hold longer rules of its own: only a whole line parts two notices.
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

// Format writes notices as Parse reads them.
func Format(all []Notice) string {
	var b strings.Builder
	for _, n := range all {
		b.WriteString(Rule + "\n" + strings.TrimSpace(n.Name+" "+n.Version) + "\nLicense: " + n.License + "\n\n" + strings.TrimSpace(n.Text) + "\n\n")
	}
	b.WriteString(Rule + "\n")
	return b.String()
}
