// Command man writes Loadline's manual pages: one for the program and one for each verb.
// Its opinion: a manual page says what --help says, so it is made of the same commands and
// never by hand.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/loadline/loadline/internal/cli"
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

// write makes the pages in dir: loadline.1, loadline-run.1 and so on.
func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root := cli.Commands(env.OS())
	// A blank line between paragraphs of the help is one of the page; examples are shown as they are.
	each(root, func(c *cobra.Command) {
		c.DisableAutoGenTag = true
		c.Long = paragraphs(c.Long)
	})
	head := &doc.GenManHeader{Section: "1", Date: &epoch, Source: "Loadline " + worker.Version, Manual: "Loadline"}
	if err := doc.GenManTree(root, head, dir); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(dir, "loadline*.1"))
	if err == nil && len(pages) == 0 {
		err = errors.New("no page was written")
	}
	return err
}

func each(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, below := range c.Commands() {
		each(below, do)
	}
}

// paragraphs keeps what a manual page's Markdown would take for something else: a paragraph
// with a line that begins with blanks is laid out by hand, and is shown as it stands.
func paragraphs(long string) string {
	parts := strings.Split(long, "\n\n")
	for i, p := range parts {
		if strings.Contains("\n"+p, "\n  ") {
			parts[i] = "    " + strings.ReplaceAll(p, "\n", "\n    ")
		}
	}
	return strings.Join(parts, "\n\n")
}
