package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/env"
)

// Every verb that --help shows has a page with its flags and its exit codes.
func TestEveryVerbHasAPage(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	seen := 0
	each(cli.Commands(env.OS()), func(c *cobra.Command) {
		if c.Hidden || !c.IsAvailableCommand() || c.HasParent() && c.Parent().Hidden {
			return
		}
		seen++
		page, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		if err != nil {
			t.Error(err)
			return
		}
		text := strings.ReplaceAll(string(page), `\-`, "-")
		if !strings.HasPrefix(strings.TrimPrefix(text, ".nh\n"), ".TH") || !strings.Contains(text, "SYNOPSIS") || !strings.Contains(text, c.Short) && !strings.Contains(text, "DESCRIPTION") {
			t.Errorf("%s: %.300s", c.CommandPath(), text)
		}
		if flag := c.Flags().Lookup("profile"); flag != nil && !strings.Contains(text, "--profile") {
			t.Errorf("the page of %s does not have its flags", c.CommandPath())
		}
		if strings.Contains(c.Long, "Exit codes:") && !strings.Contains(text, "Exit codes:") {
			t.Errorf("the page of %s has lost its exit codes", c.CommandPath())
		}
	})
	if seen < 15 {
		t.Errorf("%d pages", seen)
	}
	first, err := os.ReadFile(filepath.Join(dir, "loadline-run.1"))
	if err != nil {
		t.Fatal(err)
	}
	// Flags are in groups, each of them once.
	for _, g := range flags.Groups(find(t, "run")) {
		_, section, found := strings.Cut(string(first), "\n.SS "+g.Title+"\n")
		section, _, _ = strings.Cut(section, "\n.S")
		for _, f := range g.Flags {
			if !found || !strings.Contains(section, `\fB--`+f.Name+`\fP`) || strings.Count(string(first), `\fB--`+f.Name+`\fP`) != 1 {
				t.Errorf("--%s is not once on the page, under %s", f.Name, g.Title)
			}
		}
	}
	// Preformatted text stays so: a target on the second line is not joined to the first.
	if !strings.Contains(string(first), "\n         nbd://host/export") && !strings.Contains(string(first), "\n         nbd:") {
		t.Errorf("the list of targets has lost its lines:\n%.1500s", first)
	}
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(filepath.Join(dir, "loadline-run.1")); err != nil || string(again) != string(first) {
		t.Errorf("the same commands give another page: %v", err)
	}
}

// find returns a command of the program.
func find(t *testing.T, name string) *cobra.Command {
	t.Helper()
	c, _, err := cli.Commands(env.OS()).Find([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
