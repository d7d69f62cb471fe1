// Command man writes Loadline's manual pages: one for the program and one for each verb.
// Its assumptions: a manual page says what --help says, so it is generated from the same commands and
// never written by hand.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/worker"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./deploy/man DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// epoch is the date of every page, so that the same commands give the same pages.
var epoch = time.Unix(0, 0).UTC()

// write writes the pages into dir: loadline.1, loadline-run.1 and so on.
func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root := cli.Commands(env.OS())
	// A blank line between paragraphs of the help separates paragraphs of the page; preformatted text is
	// kept.
	each(root, func(c *cobra.Command) {
		c.DisableAutoGenTag = true
		c.Long = paragraphs(c.Long)
	})
	pages := 0
	var failed error
	each(root, func(c *cobra.Command) {
		if failed != nil || !c.IsAvailableCommand() && c.HasParent() {
			return
		}
		head := &doc.GenManHeader{Section: "1", Date: &epoch, Source: "Loadline " + worker.Version, Manual: "Loadline"}
		var page bytes.Buffer
		if failed = doc.GenMan(c, head, &page); failed == nil {
			pages++
			failed = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"), []byte(grouped(page.String(), flags.Groups(c))), 0o644)
		}
	})
	if failed == nil && pages == 0 {
		failed = errors.New("no page was written")
	}
	return failed
}

// grouped groups the flags of a page as --help does.
func grouped(page string, groups []flags.Group) string {
	const heading, own, inherited = ".SH ", ".SH OPTIONS\n", ".SH OPTIONS INHERITED FROM PARENT COMMANDS\n"
	at := strings.Index(page, own)
	if at < 0 {
		return page
	}
	before, list := page[:at], page[at+len(own):]
	list = strings.Replace(list, inherited, "", 1)
	list, after, _ := strings.Cut(list, heading)
	if after != "" {
		after = heading + after
	}
	entries := map[string]string{}
	for _, entry := range strings.SplitAfter(list, "\n\n") {
		// The first long name of an entry is that of the flag.
		if _, name, found := strings.Cut(entry, `\fB--`); found {
			name, _, _ = strings.Cut(name, `\fP`)
			entries[name] = strings.TrimRight(entry, "\n") + "\n\n"
		}
	}
	var b strings.Builder
	b.WriteString(before + own)
	for _, g := range groups {
		fmt.Fprintf(&b, ".SS %s\n", g.Title)
		for _, f := range g.Flags {
			b.WriteString(entries[f.Name])
			delete(entries, f.Name)
		}
	}
	return b.String() + after
}

func each(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, below := range c.Commands() {
		each(below, do)
	}
}

// paragraphs protects text that a manual page's Markdown would misinterpret: a paragraph
// with a line that begins with blanks is preformatted, and is shown unchanged.
func paragraphs(long string) string {
	parts := strings.Split(long, "\n\n")
	for i, p := range parts {
		if strings.Contains("\n"+p, "\n  ") {
			parts[i] = "    " + strings.ReplaceAll(p, "\n", "\n    ")
		}
	}
	return strings.Join(parts, "\n\n")
}
