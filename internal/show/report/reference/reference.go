// Package reference writes a reference report: the document that a vendor or a project publishes
// about a system, based on what was measured. Its assumptions: every sentence follows from a number in
// it. A chapter without measurements is there and says so, because a reader would take what is left
// out for granted; an answer comes with its interval, or with a note that it has none.
package reference

import (
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/show/report/words"
)

// Build makes the document from a study and the runs it is based on, if any. sources name the runs
// and files.
func Build(st *study.Study, runs []*model.Report, sources []string) study.Reference {
	b := &builder{study: st, runs: runs}
	b.specification()
	b.design()
	b.direction("Read performance", model.Read)
	b.direction("Write performance", model.Write)
	b.together()
	b.control()
	b.rebuild()
	b.slips()
	b.answers()
	title := "Reference report"
	// Runs are named by what they measured, not by where they are saved.
	name := st.Name
	if name == strings.Join(sources, ", ") {
		name = b.found(func(r *model.Report) string { return r.Run.Target.Place() }, name)
	}
	title += words.Prefixed(": ", name)
	return study.Reference{Schema: study.ReferenceSchema, Title: title, Sources: sources, Chapters: b.chapters}
}

// builder collects the chapters.
type builder struct {
	study    *study.Study
	runs     []*model.Report
	chapters []study.Chapter
}

// chapter begins a chapter (level 1) or a section (level 2), to which the following parts are
// added.
func (b *builder) chapter(level int, title string) {
	id := identifier(title)
	for _, c := range b.chapters {
		if c.ID == id {
			id += "-" + words.Fixed(float64(len(b.chapters)), 0)
		}
	}
	b.chapters = append(b.chapters, study.Chapter{ID: id, Title: title, Level: level})
}

// identifier makes an identifier from a title's letters and digits.
func identifier(title string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(title))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	return strings.Trim(name, "-")
}

func (b *builder) add(p study.Part) {
	c := &b.chapters[len(b.chapters)-1]
	c.Parts = append(c.Parts, p)
}

func (b *builder) text(sentences ...string) {
	var said []string
	for _, s := range sentences {
		if s != "" {
			said = append(said, s)
		}
	}
	if len(said) > 0 {
		b.add(study.Part{Text: strings.Join(said, " ")})
	}
}

func (b *builder) items(list []string) {
	if len(list) > 0 {
		capital := make([]string, len(list))
		for i, s := range list {
			capital[i] = sentence(s)
		}
		b.add(study.Part{Items: capital})
	}
}

// sentence makes the text begin with a capital and end with a full stop. If it begins with a name
// that contains a punctuation mark, such as rand-read-iops, that stays unchanged.
func sentence(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if !strings.ContainsAny(first, "-_:") {
		for i, r := range s {
			s = strings.ToUpper(string(r)) + s[i+len(string(r)):]
			break
		}
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// table adds a table unless it has no rows; a title that ends with ":" marks a column of figures.
func (b *builder) table(titles []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	g := &study.Grid{Rows: rows}
	for _, t := range titles {
		name, numeric := strings.CutSuffix(t, ":")
		g.Titles, g.Numeric = append(g.Titles, name), append(g.Numeric, numeric)
	}
	b.add(study.Part{Table: g})
}

// missing notes what the chapter lacks.
func (b *builder) missing(why string) { b.chapters[len(b.chapters)-1].Missing = why }

// facts adds a table of two columns without empty rows, and reports whether it added one.
func (b *builder) facts(rows [][2]string) bool {
	var list [][]string
	for _, r := range rows {
		if r[1] != "" {
			list = append(list, []string{r[0], r[1]})
		}
	}
	b.table([]string{"what", "as given or found"}, list)
	return len(list) > 0
}
