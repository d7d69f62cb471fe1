package results

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/foreign/imported"
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/html"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/markdown"
	"github.com/loadline/loadline/internal/show/report/text"
)

// FuzzForeignReports: whatever another tool's file contains, if it can be read, it can be judged,
// ranked and shown, and none of its numbers is called valid.
func FuzzForeignReports(f *testing.F) {
	files, err := filepath.Glob("../../foreign/imported/testdata/*.*")
	if err != nil || len(files) < 10 {
		f.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
		f.Add(strings.ReplaceAll(string(data), "0", "99999"))
		f.Add(string(data[:len(data)*2/3]))
	}
	f.Fuzz(func(t *testing.T, data string) {
		parts, err := imported.Parse("file.txt", []byte(data), "")
		if err != nil {
			return
		}
		var sides []analyze.Measured
		for _, p := range parts {
			rec := imported.Assemble(imported.SystemName(p, "file.txt"), time.Unix(0, 0).UTC(), []*imported.Part{p})
			r := Assemble(rec)
			for _, res := range r.Results {
				if res.Verdict == model.Valid {
					t.Fatalf("%s is valid, and nobody measured it: %v", res.Workload, r.Findings)
				}
			}
			sides = append(sides, analyze.Measured{Recorded: rec, Report: r})
		}
		for _, r := range append([]*model.Report{rankingReport("dir", sides)}, sides[0].Report) {
			var doc bytes.Buffer
			for what, err := range map[string]error{
				"json": jsonout.Write(&doc, r), "text": text.Render(io.Discard, r, text.Options{Width: 80}),
				"markdown": markdown.Render(io.Discard, r), "page": html.Render(io.Discard, r)} {
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			}
			if _, err := jsonout.Read(doc.Bytes()); err != nil {
				t.Fatalf("the document cannot be read back: %v", err)
			}
		}
	})
}
