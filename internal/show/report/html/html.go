// Package html writes reports as one page: a file that needs no network, no server and no
// installation, and that will look the same in ten years. Its assumptions: the page is a fixed shell,
// script and style sheet, and one island of data. No part of a report is ever written as HTML: the
// island is JSON in which <, > and & are escaped, and the script makes text nodes from it. The
// page's policy allows nothing else to run, and nothing to be fetched.
//
// The script and the style sheet are built from web/ by "make web" and embedded.
package html

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // the built page
	"encoding/base64"
	"io"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

//go:embed assets/report.js
var script string

//go:embed assets/report.css
var style string

// Script returns the script that draws the page, from the embedded data or on request of the served
// library's own script.
func Script() string { return script }

// Style is the page's style sheet.
func Style() string { return style }

// Notices returns the licenses of the code in the script: the comment at its beginning, which every
// page contains.
func Notices() string {
	head, _, _ := strings.Cut(script, "*/")
	return head
}

// Render writes a page with one report, or with several side by side. It fails only when w does, or
// if a finding's evidence contains something that JSON cannot represent.
func Render(w io.Writer, reports ...*model.Report) error {
	return RenderAll(w, jsonout.Page{Reports: reports})
}

// RenderComparison writes a page with a comparison, and the available reports of its sides in the
// order A, B.
func RenderComparison(w io.Writer, c *model.Comparison, reports ...*model.Report) error {
	return RenderAll(w, jsonout.Page{Comparisons: []*model.Comparison{c}, Reports: reports})
}

// RenderAll writes a page with everything in p.
func RenderAll(w io.Writer, p jsonout.Page) error {
	island, err := jsonout.Island(p)
	if err != nil {
		return err
	}
	return shell(w, island)
}

// RenderReference writes a reference report as a page.
func RenderReference(w io.Writer, r *study.Reference) error {
	island, err := jsonout.ReferenceIsland(r)
	if err != nil {
		return err
	}
	return shell(w, island)
}

// RenderTraces writes traces as a page.
func RenderTraces(w io.Writer, traces ...*iotrace.Report) error {
	island, err := jsonout.TraceIsland(traces)
	if err != nil {
		return err
	}
	return shell(w, island)
}

// RenderTraceComparison writes a comparison of two traces as a page.
func RenderTraceComparison(w io.Writer, c *iotrace.Comparison) error {
	island, err := jsonout.TraceComparisonIsland(c)
	if err != nil {
		return err
	}
	return shell(w, island)
}

// shell writes the page around its data.
func shell(w io.Writer, island []byte) error {
	out := bufio.NewWriter(w)
	for _, s := range []string{
		"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		`<meta http-equiv="Content-Security-Policy" content="`, policy(), "\">\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
		"<meta name=\"generator\" content=\"loadline\">\n<title>Loadline</title>\n<style>", style, "</style>\n</head>\n<body>\n",
		"<div id=\"loadline\"><noscript>The tables and charts of this page are made by its script, which this browser does not run. ",
		"The file summary.txt beside it holds the same in plain text.</noscript></div>\n",
		`<script type="application/json" id="loadline-data">`, string(island), "</script>\n<script>", script, "</script>\n</body>\n</html>\n",
	} {
		if _, err := out.WriteString(s); err != nil {
			return err
		}
	}
	return out.Flush()
}

// policy returns the page's Content-Security-Policy: it allows our script and our style sheet by
// their hashes, and nothing else.
func policy() string {
	return "default-src 'none'; script-src '" + Hash(script) + "'; style-src '" + Hash(style) +
		"'; connect-src 'none'; base-uri 'none'; form-action 'none'"
}

// Hash returns the hash of a script or a style sheet for a Content-Security-Policy.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
