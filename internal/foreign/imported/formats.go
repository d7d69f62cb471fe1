package imported

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/model/units"
)

// Format is a format of results that can be read.
type Format struct {
	// Name is the keyword for --as, Title the name for display.
	Name, Title string
	// Example is a line or two by which the format can be recognized.
	Example string
	// words are likely to occur in a line of the format: they determine the nearest format of a file
	// that matches none.
	words []string
	// read adds the runs that it finds, and returns the last line (from 1) of which it understood
	// something; 0 if there is none.
	read func(t *text, p *Part) (last int, err error)
	// sameAs is a format that describes the same runs better: if it is present in a file, this one is
	// not read.
	sameAs string
	// split reads a file with several systems; nil for formats with only one.
	split func(t *text) []*Part
}

// formats are in the order in which they are tried and listed.
var formats = []Format{
	formatFioJSON,
	formatFioText,
	formatKbench,
	formatKbenchComparison,
	formatDbench,
	formatPgbench,
	formatKafka,
	formatRally,
	formatBlockLatency,
	formatIotop,
}

// Formats lists the formats.
func Formats() []Format { return slices.Clone(formats) }

// Scenario is the scenario of a run that another tool has measured.
const Scenario = "import"

// Files can come from anywhere, and reading one must not use unlimited memory. Results are small: fio's
// states for one day, one every ten seconds, are 43 MB.
const (
	// Most is the maximum size of a file in bytes.
	Most = 128 << 20
	// mostLines is the maximum number of lines: fio prints one, of at least 20 bytes, for each bucket
	// of a histogram.
	mostLines = 6 << 20
	// longestLine is how much of a line is examined by line-based formats; JSON may be all on one line.
	longestLine = 64 << 10
	// mostHeadings is the maximum number of candidate headings: a document of a thousand pages has
	// fewer.
	mostHeadings = 100000
)

// text is part of a file, split into lines.
type text struct {
	// name is the name of the file.
	name string
	// body is the text, lines are its lines, each cut to longestLine.
	body  string
	lines []string
	// first is the number of the first line, from 1.
	first int
	// inside says for each line whether it is in a code block; computed on first use.
	inside []bool
}

// at returns the line number, counted from 1 in the file, of the line with that index.
func (t *text) at(i int) int { return t.first + i }

// from returns the text from line i on.
func (t *text) from(i int) string {
	_, rest := splitLines(t.body, i)
	return rest
}

// splitLines returns the first n lines of a text, and the rest.
func splitLines(s string, n int) (head, rest string) {
	at := 0
	for range n {
		next := strings.IndexByte(s[at:], '\n')
		if next < 0 {
			return s, ""
		}
		at += next + 1
	}
	return s[:at], s[at:]
}

// label returns the last line of prose before line i, which introduces what follows. In a document
// nothing inside a fenced block is prose.
func (t *text) label(i int) string {
	fenced := t.fenced()
	for i--; i >= 0; i-- {
		l := strings.TrimSpace(t.lines[i])
		if fenced[i] || strings.Trim(l, "-=*_ ") == "" {
			continue
		}
		l, _, _ = strings.Cut(l, "(")
		return strings.TrimSpace(strings.Trim(l, "*#: "))
	}
	return ""
}

// fenced returns for each line whether it is in a code block, or a fence.
func (t *text) fenced() []bool {
	if t.inside == nil {
		t.inside = make([]bool, len(t.lines))
		in := false
		for i, l := range t.lines {
			edge := fence(l)
			t.inside[i] = in || edge
			in = in != edge
		}
	}
	return t.inside
}

// fence reports whether a line begins or ends a code block in a document.
func fence(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "```") }

// Parse parses a file. as forces a format; "" detects it from the content. There is one Part for each
// system in the file; there is at least one, and each has a run. The error is of class Refused and says
// up to which line the file was understood.
func Parse(name string, data []byte, as string) ([]*Part, error) {
	try := formats
	if as != "" {
		f, err := lookup(as)
		if err != nil {
			return nil, err
		}
		try = []Format{f}
	}
	if err := readable(name, data); err != nil {
		return nil, err
	}
	body := strings.ReplaceAll(string(data), "\r\n", "\n")
	whole := &text{name: name, body: body, lines: strings.Split(body, "\n"), first: 1}
	for i, l := range whole.lines {
		whole.lines[i] = l[:min(len(l), longestLine)]
	}
	if n := len(whole.lines); whole.lines[n-1] == "" {
		whole.lines = whole.lines[:n-1]
	}
	if len(headings(whole)) > mostHeadings {
		return nil, model.RefusedError(fmt.Sprintf("%s has more than %d headings, as no document with results has", name, mostHeadings),
			"name the tool's summary, not its log of single I/Os")
	}
	var parts []*Part
	tried := &trial{}
	for _, section := range divide(whole) {
		p := section.part(parts)
		for _, f := range try {
			if f.sameAs != "" && slices.Contains(p.Source.Formats, f.sameAs) {
				continue
			}
			before := len(p.runs)
			last, err := f.read(section.text, p)
			tried.note(f, last, err, len(p.runs) > before)
			if len(p.runs) > before && !slices.Contains(p.Source.Formats, f.Name) {
				p.Source.Formats = append(p.Source.Formats, f.Name)
			}
		}
		if !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	parts = slices.DeleteFunc(parts, func(p *Part) bool { return len(p.runs) == 0 })
	parts = append(parts, pairs(whole, try)...)
	if len(parts) == 0 || tried.broken != nil {
		return nil, tried.refusal(whole, as)
	}
	for _, p := range parts {
		p.Source.Name, p.Source.As, p.Source.Lines = name, as, len(whole.lines)
		if len(parts) > 1 && p.Source.Own == "" {
			p.Source.Own = "(no heading)"
		}
	}
	return parts, nil
}

// pairs returns the parts found by formats that have several systems in one file.
func pairs(t *text, try []Format) (parts []*Part) {
	for _, f := range try {
		if f.split == nil {
			continue
		}
		for _, p := range f.split(t) {
			p.Source.Formats = []string{f.Name}
			parts = append(parts, p)
		}
	}
	return parts
}

// readable refuses data that cannot be a text file with results.
func readable(name string, data []byte) error {
	switch {
	case len(data) == 0:
		return model.RefusedError(name+" is empty: there is nothing to import", "")
	case len(data) > Most:
		return model.RefusedError(fmt.Sprintf("%s has %s: no result is that large (the limit is %s)", name, units.FormatSize(int64(len(data))), units.FormatSize(Most)),
			"name the tool's summary, not its log of single I/Os")
	}
	if n := bytes.Count(data, []byte("\n")); n > mostLines {
		return model.RefusedError(fmt.Sprintf("%s has %d lines: no result has that many (the limit is %d)", name, n, mostLines),
			"name the tool's summary, not its log of single I/Os")
	}
	head := data[:min(len(data), 64<<10)]
	for i, b := range head {
		if b == 0 {
			return model.RefusedError(fmt.Sprintf("%s is binary (a zero byte at %d), and results are text", name, i), "unpack it first if it is compressed")
		}
	}
	// The head may end in the middle of a character.
	if !utf8.Valid(head[:max(0, len(head)-4)]) {
		return model.RefusedError(name+" is not text (it is not UTF-8), and results are text", "unpack it first if it is compressed")
	}
	return nil
}

// lookup returns the format of a name.
func lookup(name string) (Format, error) {
	var names []string
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	message := fmt.Sprintf("there is no format %q", name) + suggest.Question(name, names)
	return Format{}, model.RefusedError(message, "choose one of "+strings.Join(names, ", ")+", or leave --as out")
}

// trial is the outcome of trying the formats on a file.
type trial struct {
	// format is the one that understood most, up to line last.
	format *Format
	last   int
	// broken is the error of a format that is certainly the right one.
	broken error
}

func (t *trial) note(f Format, last int, err error, found bool) {
	if err != nil && t.broken == nil {
		t.broken = err
		t.format, t.last = &f, last
		return
	}
	if !found && t.broken == nil && last > t.last {
		t.format, t.last = &f, last
	}
}

// refusal returns an error saying why a file cannot be imported.
func (t *trial) refusal(whole *text, as string) error {
	count := fmt.Sprintf("%d lines", len(whole.lines))
	if len(whole.lines) == 1 {
		count = "only line"
	}
	hint := "loadline import --help lists the formats"
	switch {
	case t.broken != nil:
		return model.RefusedError(fmt.Sprintf("%s looks like %s, understood up to line %d, but %v", whole.name, t.format.Title, t.last, t.broken), hint)
	case t.format != nil:
		return model.RefusedError(fmt.Sprintf("%s looks like %s and was understood up to line %d (%s), but no result follows in its %s",
			whole.name, t.format.Title, t.last, excerpt(whole.lines[t.last-whole.first]), count), hint)
	case terse(whole) > 0:
		return model.RefusedError(fmt.Sprintf("%s is fio's terse output (line %d): its fields have no names, and which ones there are depends on fio's version", whole.name, terse(whole)),
			"let fio write --output-format=json+, which holds the histograms too")
	case as != "":
		return model.RefusedError(fmt.Sprintf("%s is not %s: nothing in its %s is of that format", whole.name, as, count), "leave --as out to have the format found")
	}
	message := fmt.Sprintf("%s is not a result that Loadline can read: nothing in its %s was recognized", whole.name, count)
	if near, line := nearest(whole); near != nil {
		message += fmt.Sprintf("; the nearest format is %s (line %d: %s)", near.Title, line, excerpt(whole.lines[line-whole.first]))
	}
	return model.RefusedError(message, hint)
}

var terseLine = regexp.MustCompile(`^\d;fio-\d`)

// terse returns the first line (from 1) of fio's terse output; 0 if there is none.
func terse(t *text) int {
	return 1 + slices.IndexFunc(t.lines, terseLine.MatchString)
}

// excerpt returns the beginning of a line, for a message.
func excerpt(line string) string {
	line = strings.TrimSpace(line)
	if runes := []rune(line); len(runes) > 40 {
		line = string(runes[:40]) + "…"
	}
	return fmt.Sprintf("%q", line)
}

// nearest returns the format with the most of its words in the text, and the last line with one of
// them; nil if there is none.
func nearest(t *text) (*Format, int) {
	type score struct {
		format *Format
		hits   int
		line   int
	}
	var scores []score
	for i := range formats {
		s := score{format: &formats[i]}
		for _, word := range formats[i].words {
			for k, l := range t.lines {
				if strings.Contains(l, word) {
					s.hits++
					s.line = max(s.line, t.at(k))
					break
				}
			}
		}
		if s.hits > 0 {
			scores = append(scores, s)
		}
	}
	slices.SortStableFunc(scores, func(a, b score) int { return b.hits - a.hits })
	if len(scores) == 0 {
		return nil, 0
	}
	return scores[0].format, scores[0].line
}

// slug converts text for use in file names and workload names.
func slug(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '.':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-.")
}
