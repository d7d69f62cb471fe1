package format

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// TestOneCountOfPassedChecks checks that text, Markdown, the page and the metrics show the same
// number of passed checks. The page counts the findings of its document, whose text is in it.
func TestOneCountOfPassedChecks(t *testing.T) {
	said := regexp.MustCompile(`(\d+) checks? passed`)
	metric := regexp.MustCompile(`(?m)^loadline_run_findings\{.*severity="passed".*\} (\d+)$`)
	for name, r := range reporttest.Reports() {
		want := 0
		for _, f := range r.Findings {
			if f.Severity == model.SeverityPassed {
				want++
			}
		}
		if want == 0 || r.Ranking != nil {
			continue
		}
		for _, form := range []string{"text", "markdown", "html", "prometheus"} {
			files := written(t, form, &Documents{Reports: []*model.Report{r}})
			var counts []string
			switch data := string(files[0].Data); form {
			case "prometheus":
				for _, m := range metric.FindAllStringSubmatch(data, -1) {
					counts = append(counts, m[1])
				}
			case "html":
				counts = []string{strconv.Itoa(strings.Count(data, `"severity":"passed"`))}
			default:
				for _, m := range said.FindAllStringSubmatch(data, -1) {
					counts = append(counts, m[1])
				}
			}
			if len(counts) == 0 {
				t.Errorf("%s of %s tells no number of checks that passed", form, name)
			}
			for _, n := range counts {
				if n != fmt.Sprint(want) {
					t.Errorf("%s of %s: %s checks passed, and %d did", form, name, n, want)
				}
			}
		}
	}
}
