package markdown

import (
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/words"
)

// costs writes what a transaction of each workload cost the application and its storage.
func (p *page) costs(r *model.Report) {
	var rows [][]string
	known := map[string]bool{}
	for i := range r.Results {
		for _, c := range words.Costs(r.Results[i].App) {
			known[c.Name] = known[c.Name] || c.Value != nil
		}
	}
	titles := []string{"per transaction"}
	for i := range r.Results {
		res := &r.Results[i]
		list := words.Costs(res.App)
		if list == nil {
			continue
		}
		row := []string{code(words.ResultName(r, *res))}
		for _, c := range list {
			if c.Rare && !known[c.Name] {
				continue
			}
			if len(rows) == 0 {
				titles = append(titles, c.Title+":")
			}
			row = append(row, c.String())
		}
		rows = append(rows, row)
	}
	p.table(titles, rows)
	if len(rows) > 0 {
		p.para(inline(words.Server(&r.Run)))
	}
	var lines []string
	for _, c := range r.Saturation {
		lines = append(lines, "- "+inline(c.Says))
	}
	p.para(strings.Join(lines, "\n"))
}
