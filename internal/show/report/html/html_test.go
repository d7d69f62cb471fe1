package html

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func page(t *testing.T, reports ...*model.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, reports...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// island returns the text of the page's data.
func island(t *testing.T, doc string) string {
	t.Helper()
	parts := strings.SplitN(doc, `id="loadline-data">`, 2)
	if len(parts) != 2 {
		t.Fatal("the page has no data")
	}
	text, _, _ := strings.Cut(parts[1], "</script>")
	return text
}

func TestNothingOfAReportIsMarkup(t *testing.T) {
	evil := `</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>&lt;`
	plain := page(t, &model.Report{})
	doc := page(t, &model.Report{
		Run:      model.RunInfo{Note: evil, Target: model.Target{Name: evil}, Jobs: map[string]string{evil: evil}, Command: []string{evil}},
		Results:  []model.Result{{Workload: evil, Description: evil}},
		Findings: []model.Finding{{Rule: evil, Message: evil, Evidence: map[string]any{evil: evil}}},
	})
	for _, sign := range []string{"<script", "<!--", "<img", "</"} {
		if a, b := strings.Count(plain, sign), strings.Count(doc, sign); a != b {
			t.Errorf("%q stands %d times in the page, %d times without the report's text", sign, b, a)
		}
	}
	var back struct{ Reports []model.Report }
	if err := json.Unmarshal([]byte(island(t, doc)), &back); err != nil {
		t.Fatal(err)
	}
	if got := back.Reports[0].Run.Note; got != evil {
		t.Errorf("the note came through as %q", got)
	}
}

// TestThePolicyFitsThePage computes the hashes of the actual content of the page.
func TestThePolicyFitsThePage(t *testing.T) {
	doc := page(t, &model.Report{})
	policy := regexp.MustCompile(`content="(default-src 'none';[^"]*)"`).FindStringSubmatch(doc)
	if policy == nil {
		t.Fatal("the page has no policy that forbids everything")
	}
	for _, tag := range []string{"script", "style"} {
		inline := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(doc, -1)
		if len(inline) != 1 || inline[0][1] == "" {
			t.Fatalf("%d inline elements %s, want 1 with something in it", len(inline), tag)
		}
		if want := tag + "-src '" + Hash(inline[0][1]) + "'"; !strings.Contains(policy[1], want) {
			t.Errorf("the policy %q lacks %s", policy[1], want)
		}
	}
	for _, never := range []string{"unsafe", "http:", "https:", "*"} {
		if strings.Contains(policy[1], never) {
			t.Errorf("the policy allows %q", never)
		}
	}
	if outside := regexp.MustCompile(`<(script|link|img|iframe)[^>]+(src|href)=`).FindString(doc); outside != "" {
		t.Errorf("the page asks for something outside of it: %s", outside)
	}
}

func TestComparisonsAndSeveralRunsAreInThePage(t *testing.T) {
	var b bytes.Buffer
	c := &model.Comparison{Rows: []model.Row{{Workload: "w", Ratio: model.Estimate{Value: math.Inf(1)}}}}
	if err := RenderComparison(&b, c, &model.Report{}, &model.Report{}); err != nil {
		t.Fatal(err)
	}
	text := island(t, b.String())
	var back struct {
		Reports     []json.RawMessage
		Comparisons []model.Comparison
	}
	if err := json.Unmarshal([]byte(text), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Reports) != 2 || len(back.Comparisons) != 1 || back.Comparisons[0].Rows[0].Workload != "w" {
		t.Errorf("%d reports, comparisons %+v", len(back.Reports), back.Comparisons)
	}
	if !strings.Contains(text, `"estimate":null`) {
		t.Error("a ratio that is not finite is no null")
	}
	if text := island(t, page(t)); text != `{"reports":[]}` {
		t.Errorf("a page of nothing holds %s", text)
	}
}

// TestThePageIsLight leaves room for the data: the page of an ordinary run may have 1.5 MB.
func TestThePageIsLight(t *testing.T) {
	if size := len(page(t, &model.Report{})); size > 850_000 {
		t.Errorf("the page without data weighs %d bytes", size)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestFailuresAreErrors(t *testing.T) {
	if Render(broken{}, &model.Report{}) == nil {
		t.Error("a broken stream is no error")
	}
	if Render(&bytes.Buffer{}, &model.Report{Findings: []model.Finding{{Evidence: map[string]any{"f": func() {}}}}}) == nil {
		t.Error("a function was written as JSON")
	}
}

// Every page includes the licenses of the code in its script.
func TestPageCarriesLicenses(t *testing.T) {
	doc := page(t)
	for _, text := range []string{"\necharts ", "\nzrender ", "\ntslib ", "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
		"This product includes software developed at\nThe Apache Software Foundation", "Copyright (c) 2017, Baidu Inc.", "Copyright 2010-2016 Mike Bostock", "Copyright (c) Microsoft Corporation."} {
		if !strings.Contains(doc, text) || !strings.Contains(Notices(), text) {
			t.Errorf("the page has no %q", text)
		}
	}
}
