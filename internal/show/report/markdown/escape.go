package markdown

import (
	"regexp"
	"strings"

	"github.com/loadline/loadline/internal/show/report/term"
)

// plain removes what no text should contain: control characters, invisible ones, line breaks.
func plain(s string) string { return strings.TrimSpace(term.Style{Unicode: true}.Text(s)) }

// special are the characters with a meaning in Markdown, its tables, HTML, or the sites that show
// it (formulas). A backslash, or an entity where renderers treat the backslash differently, turns
// them into plain text.
var special = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "~", "\\~",
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;", "$", "&#36;")

// Sites look for a mention, an issue number or an address in the text after rendering Markdown:
// only a zero-width character between the sign and the word prevents that.
var (
	mention = regexp.MustCompile(`@([\pL\pN_])`)
	issue   = regexp.MustCompile(`([#!])(\d)`)
	github  = regexp.MustCompile(`(?i)\b(GH-)(\d)`)
	scheme  = regexp.MustCompile(`(?i)\b(https?|ftp|mailto|xmpp):`)
	www     = regexp.MustCompile(`(?i)\bwww\.`)
)

const nothing = "\u200b"

// inline makes any text a literal part of a line.
func inline(s string) string {
	s = plain(s)
	s = mention.ReplaceAllString(s, "@"+nothing+"$1")
	s = issue.ReplaceAllString(s, "$1"+nothing+"$2")
	s = github.ReplaceAllString(s, "$1"+nothing+"$2")
	s = scheme.ReplaceAllString(s, "$1"+nothing+":")
	s = www.ReplaceAllString(s, "www"+nothing+".")
	// Last, because an entity looks like an issue number.
	return special.Replace(s)
}

// code shows a name or a command as code, in which only a backtick has a meaning (and a bar in a
// table); text that contains one of these is shown as text.
func code(s string) string {
	s = plain(s)
	if s == "" || strings.ContainsAny(s, "`|") {
		return inline(s)
	}
	return "`" + s + "`"
}

// codes returns words as code, one after the other.
func codes(words []string) string {
	shown := make([]string, len(words))
	for i, w := range words {
		shown[i] = code(w)
	}
	return strings.Join(shown, " ")
}

// block shows text of several lines as code, between fences that are longer than any sequence of
// backticks in it.
func block(s, language string) string {
	var lines []string
	longest := 2
	for line := range strings.Lines(strings.ReplaceAll(s, "\r", "\n")) {
		line = term.Style{Unicode: true}.Text(strings.TrimRight(line, "\n"))
		lines = append(lines, strings.TrimRight(line, " "))
		for _, run := range ticks.FindAllString(line, -1) {
			longest = max(longest, len(run))
		}
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.Join(lines, "\n") + "\n" + fence
}

var ticks = regexp.MustCompile("`+")
