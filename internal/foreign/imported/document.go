package imported

import (
	"regexp"
	"strings"
)

// A document (a white paper, a README) holds blocks of results under headings. A
// system is the innermost heading above a block whose words come back elsewhere in
// the document ("Longhorn" under "fio" and under "Kafka"); the heading above that is
// the section, because the same test in another section is another test.

// section is a stretch of a document that speaks of one system.
type section struct {
	*text
	system, section string
}

// part is the part of the section's system among parts, or a new one.
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

// enter goes on in another section of the document.
func (p *Part) enter(name string) { p.section = name }

// heading is a line that heads what follows.
type heading struct {
	line, level int
	title       string
}

var (
	hashes  = regexp.MustCompile(`^(#{1,6})\s+(.+?)\s*#*$`)
	bold    = regexp.MustCompile(`^\s*(?:\*\*|__)([^*_]+)(?:\*\*|__):?\s*$`)
	ordinal = regexp.MustCompile(`^(?:\d+(?:\.\d+)*\.?|[-*])\s+`)
)

// headings finds the headings of a document outside of its fenced blocks. A line in
// bold is one when its words are those of another heading.
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

// insert puts a heading into its place by line.
func insert(list []heading, h heading) []heading {
	i := len(list)
	for i > 0 && list[i-1].line > h.line {
		i--
	}
	return append(list[:i:i], append([]heading{h}, list[i:]...)...)
}

// title is a heading's words without numbering and colon.
func title(s string) string {
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*_`: "))
	return strings.TrimSpace(ordinal.ReplaceAllString(s, ""))
}

// divide cuts a document into the stretches of its systems. A text in which no
// heading comes back is one stretch, and so is a single JSON document.
func divide(t *text) []section {
	list := headings(t)
	count := map[string]int{}
	for _, h := range list {
		count[strings.ToLower(h.title)]++
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
	emit := func(to int) {
		if to > from {
			var body string
			body, rest = splitLines(rest, to-from)
			out = append(out, section{text: &text{name: t.name, body: body, lines: t.lines[from:to], first: t.at(from)}, system: system, section: under})
		}
		from = to
	}
	for _, h := range list {
		emit(h.line)
		for len(path) > 0 && path[len(path)-1].level >= h.level {
			path = path[:len(path)-1]
		}
		path = append(path, h)
		system, under = place(path, count)
	}
	emit(len(t.lines))
	return out
}

// place is the innermost repeated heading of a path, else the innermost one, and the
// one above it.
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
