package imported

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A document (a white paper, a README) has blocks of results under headings. A system is the innermost
// heading above a block whose words recur elsewhere in the document ("Longhorn" under "fio" and under
// "Kafka"); the heading above that is the section, because the same test in another section is another
// test. A label directly above a block ("Docker:") that names one of the systems takes precedence over
// the heading.

// section is a part of a document that is about one system.
type section struct {
	*text
	system, section string
}

// part returns the part of the section's system among parts, or a new one.
func (s section) part(parts []*Part) *Part {
	for _, p := range parts {
		if strings.EqualFold(p.Source.Own, s.system) {
			p.enter(s.section)
			return p
		}
	}
	p := &Part{}
	p.Source.Own = s.system
	p.enter(s.section)
	return p
}

// enter continues with another section of the document.
func (p *Part) enter(name string) { p.section = name }

// heading is a line that is a heading.
type heading struct {
	line, level int
	title       string
}

var (
	hashes  = regexp.MustCompile(`^(#{1,6})\s+(.+?)\s*#*$`)
	bold    = regexp.MustCompile(`^\s*(?:\*\*|__)([^*_]+)(?:\*\*|__):?\s*$`)
	ordinal = regexp.MustCompile(`^(?:\d+(?:\.\d+)*\.?|[-*])\s+`)
)

// headings returns the headings of a document outside of its fenced blocks. A line in bold counts as
// one if its words are those of another heading.
func headings(t *text) []heading {
	var list, bolds []heading
	known := map[string]int{}
	fenced := false
	for i, l := range t.lines {
		if fence(l) {
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		if len(list)+len(bolds) > mostHeadings {
			break
		}
		if !strings.Contains(l, "#") && !strings.Contains(l, "**") && !strings.Contains(l, "__") {
			continue
		}
		if m := hashes.FindStringSubmatch(l); m != nil {
			h := heading{line: i, level: len(m[1]), title: title(m[2])}
			known[h.title] = h.level
			list = append(list, h)
		} else if m := bold.FindStringSubmatch(l); m != nil {
			bolds = append(bolds, heading{line: i, title: title(m[1])})
		}
	}
	if len(list)+len(bolds) > mostHeadings {
		return append(list, bolds...)
	}
	for _, b := range bolds {
		if level, ok := known[b.title]; ok {
			b.level = level
			list = insert(list, b)
		}
	}
	return list
}

// insert inserts a heading, ordered by line.
func insert(list []heading, h heading) []heading {
	i := len(list)
	for i > 0 && list[i-1].line > h.line {
		i--
	}
	return append(list[:i:i], append([]heading{h}, list[i:]...)...)
}

// title returns the words of a heading without numbering and colon.
func title(s string) string {
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*_`: "))
	return strings.TrimSpace(ordinal.ReplaceAllString(s, ""))
}

// divide divides a document into sections by system. A text without recurring headings is one section,
// and so is a single JSON document.
func divide(t *text) []section {
	list := headings(t)
	count := map[string]int{}
	for _, h := range list {
		count[strings.ToLower(h.title)]++
	}
	labels := labelled(t, list)
	for _, b := range labels {
		count[strings.ToLower(b.system)]++
	}
	repeated := false
	for _, n := range count {
		repeated = repeated || n > 1
	}
	if !repeated {
		return []section{{text: t}}
	}
	var out []section
	var path []heading
	from, rest := 0, t.body
	system, under := "", ""
	emit := func(to int, system string) {
		if to > from {
			var body string
			body, rest = splitLines(rest, to-from)
			out = append(out, section{text: &text{name: t.name, body: body, lines: t.lines[from:to], first: t.at(from)}, system: system, section: under})
		}
		from = to
	}
	// until advances to a line, emitting labelled blocks on the way under the system of their label.
	until := func(to int) {
		for ; len(labels) > 0 && labels[0].from < to; labels = labels[1:] {
			emit(labels[0].from, system)
			emit(labels[0].to, labels[0].system)
		}
		emit(to, system)
	}
	for _, h := range list {
		until(h.line)
		for len(path) > 0 && path[len(path)-1].level >= h.level {
			path = path[:len(path)-1]
		}
		path = append(path, h)
		system, under = place(path, count)
	}
	until(len(t.lines))
	return out
}

// labelledBlock is a fenced block whose system is given by its label. It begins with the label's line
// and ends before line to.
type labelledBlock struct {
	from, to int
	system   string
}

// plainLabel matches a line that only introduces the block below it.
var plainLabel = regexp.MustCompile(`^\s*(?:[-*]\s+)?[*_]*([\pL\d][^:*_]{0,60}?)[*_]*:[*_]*\s*$`)

// labelled returns the blocks that the label directly above assigns to the system of a heading other
// than the one they are under.
func labelled(t *text, list []heading) (blocks []labelledBlock) {
	// label is the last line of prose, -1 if a block or a heading is nearer.
	label, fenced, owned := -1, false, false
	above, next := "", 0
	for i, l := range t.lines {
		switch {
		case next < len(list) && list[next].line == i:
			above, next, label = list[next].title, next+1, -1
		case !fence(l):
			if !fenced && strings.TrimSpace(l) != "" {
				label = i
			}
		case fenced:
			if owned {
				blocks[len(blocks)-1].to = i + 1
			}
			fenced, owned, label = false, false, -1
		default:
			fenced = true
			if label < 0 {
				continue
			}
			system := ""
			if m := plainLabel.FindStringSubmatch(t.lines[label]); m != nil {
				system = named(title(m[1]), above, list)
			}
			if owned = system != ""; owned {
				blocks = append(blocks, labelledBlock{from: label, to: len(t.lines), system: system})
			}
		}
	}
	return blocks
}

// named returns the title of the heading that a label refers to: one that equals the label, or begins
// with it ("Kubernetes" for "Kubernetes - Local-Path provider"); "" if that is the heading above the
// label, if there is none, or if there are several.
func named(label, above string, list []heading) (found string) {
	if label == "" || beginsWith(above, label) {
		return ""
	}
	for _, h := range list {
		switch {
		case strings.EqualFold(h.title, label):
			return h.title
		case !beginsWith(h.title, label) || strings.EqualFold(found, h.title):
		case found != "":
			return ""
		default:
			found = h.title
		}
	}
	return found
}

// beginsWith reports whether a title begins with the words of a label.
func beginsWith(title, label string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(title), strings.ToLower(label))
	r, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r))
}

// place returns the innermost repeated heading of a path, else the innermost one, and the heading above
// it.
func place(path []heading, count map[string]int) (system, under string) {
	for i := len(path) - 1; i >= 0; i-- {
		if count[strings.ToLower(path[i].title)] > 1 {
			if i > 0 {
				under = path[i-1].title
			}
			return path[i].title, under
		}
	}
	if n := len(path); n > 1 {
		return path[n-1].title, path[n-2].title
	}
	return path[0].title, ""
}
