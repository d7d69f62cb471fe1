package markdown

import (
	"bytes"
	"errors"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	unsafe "github.com/yuin/goldmark/renderer/html"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

func TestGolden(t *testing.T) {
	for name, r := range reporttest.Reports() {
		reporttest.Golden(t, name+".md", reporttest.Written(t, func(w io.Writer) error { return Render(w, r) }))
	}
	for name, c := range reporttest.Comparisons() {
		reporttest.Golden(t, "compare-"+name+".md", reporttest.Written(t, func(w io.Writer) error { return RenderComparison(w, c) }))
	}
	for name, d := range reporttest.Durabilities() {
		reporttest.Golden(t, "durability-"+name+".md", reporttest.Written(t, func(w io.Writer) error { return RenderDurability(w, d) }))
	}
	all := reporttest.Reports()
	reporttest.Golden(t, "several.md", reporttest.Written(t, func(w io.Writer) error { return Render(w, all["quick"], all["mixed"], all["interrupted"]) }))
	reporttest.Golden(t, "none.md", reporttest.Written(t, func(w io.Writer) error { return Render(w) }))
}

// rendered renders Markdown in GitHub's dialect, including raw HTML.
func rendered(t testing.TB, markdown []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(unsafe.WithUnsafe())).Convert(markdown, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	tag      = regexp.MustCompile(`</?([a-zA-Z0-9]+)[^>]*>`)
	codeSpan = regexp.MustCompile(`(?s)<code.*?</code>`)
	summons  = regexp.MustCompile(`@\w|#\d|\bwww\.|https?:`)
)

// shape returns the sequence of the tags of a page, without code, because whether a name is shown
// as code depends on its content.
func shape(page string) []string {
	var tags []string
	for _, m := range tag.FindAllStringSubmatch(page, -1) {
		if m[1] != "code" {
			tags = append(tags, m[0])
		}
	}
	return tags
}

// documents writes every kind of document with the text in place of every string that comes from
// outside.
func documents(t testing.TB, text string) map[string]string {
	r := reporttest.Hostile(text)
	pages := map[string]string{
		"report":     rendered(t, reporttest.Written(t, func(w io.Writer) error { return Render(w, r) })),
		"several":    rendered(t, reporttest.Written(t, func(w io.Writer) error { return Render(w, r, r) })),
		"comparison": rendered(t, reporttest.Written(t, func(w io.Writer) error { return RenderComparison(w, reporttest.HostileComparison(text)) })),
		"durability": rendered(t, reporttest.Written(t, func(w io.Writer) error { return RenderDurability(w, reporttest.HostileDurability(text)) })),
	}
	return pages
}

// TestTextCannotBreakOut renders the documents with text that has a special meaning somewhere, and
// with a plain word: the pages have the same tags, mention nobody, and show the text unchanged.
func TestTextCannotBreakOut(t *testing.T) {
	calm := documents(t, "word")
	for name, page := range documents(t, reporttest.Nasty) {
		if diff := cmp.Diff(shape(calm[name]), shape(page)); diff != "" {
			t.Errorf("%s: the text changes the page (-calm +nasty):\n%s", name, diff)
		}
		if found := summons.FindString(tag.ReplaceAllString(codeSpan.ReplaceAllString(page, ""), "")); found != "" {
			t.Errorf("%s: %q would become a link or a mention", name, found)
		}
		text := strings.ReplaceAll(html.UnescapeString(tag.ReplaceAllString(page, "")), nothing, "")
		if !strings.Contains(text, plain(reporttest.Nasty)) {
			t.Errorf("%s does not show the text as it is:\n%s", name, text)
		}
	}
}

// TestAnyTextIsText does the same for texts composed of Markdown syntax.
func TestAnyTextIsText(t *testing.T) {
	calm := documents(t, "word")
	pieces := rapid.SampledFrom([]string{"|", "`", "``", "```", "\n", "\n\n", "*", "**", "_", "~~", "[", "](", ")", "!", "<", ">", "</details>", "<!--", "-->", "\\", "&", "&lt;", "#", "# ", "- ", "1. ", "@", "a", "7", " ", "$", "http://b", "www.", ":", "=", "---", "\t", "é", "東", "~"})
	rapid.Check(t, func(rt *rapid.T) {
		text := "x" + strings.Join(rapid.SliceOfN(pieces, 1, 12).Draw(rt, "pieces"), "") + "y"
		for name, page := range documents(t, text) {
			if diff := cmp.Diff(shape(calm[name]), shape(page)); diff != "" {
				rt.Fatalf("%s: %q changes the page (-calm +this):\n%s", name, text, diff)
			}
			got := strings.ReplaceAll(html.UnescapeString(tag.ReplaceAllString(page, "")), nothing, "")
			if squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }; !strings.Contains(squeeze(got), squeeze(plain(text))) {
				rt.Fatalf("%s does not show %q as it is", name, text)
			}
		}
	})
}

// TestInvalidNumbersAreCrossedOut checks the row of an invalid result.
func TestInvalidNumbersAreCrossedOut(t *testing.T) {
	r := reporttest.Report("invalid")
	want := "~~" + r.Results[0].Metric.Format(r.Results[0].Value) + "~~"
	out := string(reporttest.Written(t, func(w io.Writer) error { return Render(w, r) }))
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "| `"+r.Results[0].Workload+"`") && strings.Contains(line, want) && strings.Contains(line, "✗ invalid") {
			return
		}
	}
	t.Errorf("no row with %s:\n%s", want, out)
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestABrokenStreamIsAnError(t *testing.T) {
	if Render(broken{}, reporttest.Report("quick")) == nil || RenderComparison(broken{}, &model.Comparison{}) == nil || RenderDurability(broken{}, &model.Durability{}) == nil {
		t.Error("a full disk goes unnoticed")
	}
}
