package notices

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write notices.txt anew")

// legal matches the names of license files and the like.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|copyright|patents)([-._].*)?$`)

// linkedPackage contains the fields requested from go list.
type linkedPackage struct {
	ImportPath, Dir string
	Standard        bool
	Module          *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// TestNoticesAreThoseOfWhatIsLinked regenerates the file from the modules that the programs link on
// each system for which they are built.
func TestNoticesAreThoseOfWhatIsLinked(t *testing.T) {
	found := map[Notice]map[string]string{}
	for _, system := range []string{"linux/amd64", "linux/arm64", "darwin/arm64"} {
		for _, p := range linked(t, system) {
			if p.Module == nil || p.Module.Main {
				continue
			}
			n := Notice{Name: p.Module.Path, Version: p.Module.Version}
			if found[n] == nil {
				found[n] = map[string]string{}
			}
			// Code that a module has copied from elsewhere has its license next to it.
			for dir := p.Dir; ; dir = filepath.Dir(dir) {
				maps.Copy(found[n], texts(t, dir, p.Module.Dir))
				if dir == p.Module.Dir {
					break
				}
			}
		}
	}
	all := []Notice{
		whole(t, Notice{Name: "github.com/loadline/loadline"}, texts(t, "../../..", "../../..")),
		whole(t, Notice{Name: "std"}, texts(t, goroot(t), goroot(t))),
	}
	for _, n := range slices.SortedFunc(maps.Keys(found), func(a, b Notice) int { return strings.Compare(a.Name, b.Name) }) {
		all = append(all, whole(t, n, found[n]))
	}
	if len(all) < 10 {
		t.Fatalf("only %d modules are linked: this test does not look where it should", len(all))
	}
	want := Format(all)
	if *update {
		if err := os.WriteFile("notices.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("notices.txt is not that of the linked modules (go test ./internal/show/notices -update):\n%s", diff)
	}
	if diff := cmp.Diff(all, Linked()); diff != "" {
		t.Errorf("what was written is not what is read:\n%s", diff)
	}
}

func TestTextsMayHoldRules(t *testing.T) {
	want := []Notice{
		{Name: "a", Version: "1.2", License: "MIT", Text: "one\n\n========" + Rule + "\nLicense: none\n" + Rule + "==\n"},
		{Name: "b", License: "ISC", Text: "two\n"},
	}
	if diff := cmp.Diff(want, Parse("before\n"+Format(want)+"after\n")); diff != "" {
		t.Error(diff)
	}
}

// linked asks go list what the programs link on a system.
func linked(t *testing.T, system string) []linkedPackage {
	t.Helper()
	goos, goarch, _ := strings.Cut(system, "/")
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Standard,Module", "./cmd/loadline", "./cmd/loadline-agent")
	cmd.Dir = "../../.."
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []linkedPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p linkedPackage
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// goroot returns Go's root directory.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// texts returns the legal files of one directory, by their path relative to the module.
func texts(t *testing.T, dir, top string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		if e.Type() != fs.FileMode(0) || !legal.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(top, filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.ToSlash(name)] = strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n"))
	}
	return found
}

// whole combines the files of a module and determines its licenses.
func whole(t *testing.T, n Notice, files map[string]string) Notice {
	t.Helper()
	licenses := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.Contains(files[name]+"\n", "\n"+Rule+"\n") {
			t.Fatalf("%s of %s holds the rule that parts two notices", name, n.Name)
		}
		n.Text += "--- " + name + "\n\n" + files[name] + "\n\n"
		for _, id := range identify(files[name]) {
			licenses[id] = true
		}
	}
	if len(licenses) == 0 {
		t.Fatalf("nobody knows the license of %s %s: its files are %q", n.Name, n.Version, slices.Sorted(maps.Keys(files)))
	}
	n.License = strings.Join(slices.Sorted(maps.Keys(licenses)), " AND ")
	n.Text = strings.TrimSpace(n.Text) + "\n"
	return n
}

// identify recognises the licenses of Go modules by sentences that occur in no other license.
func identify(text string) []string {
	text = strings.Join(strings.Fields(text), " ")
	var ids []string
	for id, known := range map[string]bool{
		"Apache-2.0": strings.Contains(text, "Apache License Version 2.0, January 2004"),
		"MIT":        strings.Contains(text, "Permission is hereby granted, free of charge, to any person obtaining a copy"),
		"ISC":        strings.Contains(text, "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided"),
		"MPL-2.0":    strings.Contains(text, "Mozilla Public License Version 2.0"),
	} {
		if known {
			ids = append(ids, id)
		}
	}
	if strings.Contains(text, "Redistribution and use in source and binary forms") {
		id := "BSD-2-Clause"
		if regexp.MustCompile(`(?i)neither the names? of|may not be used to endorse`).MatchString(text) {
			id = "BSD-3-Clause"
		}
		ids = append(ids, id)
	}
	return ids
}
