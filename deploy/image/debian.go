package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pack is a Debian package that is installed in the root that the image is made of.
type pack struct {
	name string
	// fields are those of dpkg's control data.
	fields map[string]string
	// copyright is Debian's copyright file of the package.
	copyright string
	// files are its files in the image, by their path there.
	files []string
}

// source returns the source package that it was built from, with its version.
func (p *pack) source() (name, version string) {
	name, rest, _ := strings.Cut(p.fields["Source"], " ")
	if name == "" {
		name = p.name
	}
	if version = strings.Trim(rest, "()"); version == "" {
		version = p.fields["Version"]
	}
	return name, version
}

// builtIn returns the sources of other packages whose code is linked into it, as "name version".
func (p *pack) builtIn() []string {
	var all []string
	for _, field := range []string{"Built-Using", "Static-Built-Using"} {
		for _, m := range regexp.MustCompile(`(\S+) \(= ([^)]+)\)`).FindAllStringSubmatch(p.fields[field], -1) {
			all = append(all, m[1]+" "+m[2])
		}
	}
	return all
}

// shown are the fields in the image's own dpkg status, for scanners. Dependencies
// are left out, because most of them are not in the image.
var shown = []string{"Package", "Status", "Priority", "Section", "Installed-Size", "Maintainer", "Architecture", "Multi-Arch", "Source", "Version", "Built-Using", "Static-Built-Using", "Description", "Homepage"}

// stanza returns the package's entry in dpkg's status.
func (p *pack) stanza() string {
	var b strings.Builder
	for _, field := range shown {
		if value := p.fields[field]; value != "" {
			fmt.Fprintf(&b, "%s: %s\n", field, value)
		}
	}
	return b.String()
}

// dpkg is the package database of a Debian root: which package owns which file.
type dpkg struct {
	root   string
	byName map[string]*pack
	owner  map[string]*pack
}

// readDpkg reads the database for one architecture.
func readDpkg(root, arch string) (*dpkg, error) {
	text, err := os.ReadFile(filepath.Join(root, statusPath))
	if err != nil {
		return nil, fmt.Errorf("%s has no list of its Debian packages, so nobody can tell the licences of its files (%w): take a Debian, or make one with deploy/image/debian", root, err)
	}
	d := &dpkg{root: root, byName: map[string]*pack{}, owner: map[string]*pack{}}
	for stanza := range strings.SplitSeq(string(text), "\n\n") {
		fields := control(stanza)
		if a := fields["Architecture"]; (a != arch && a != "all") || fields["Status"] != "install ok installed" {
			continue
		}
		p := &pack{name: fields["Package"], fields: fields}
		d.byName[p.name] = p
		if err := d.own(p, arch); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// own records the files of a package.
func (d *dpkg) own(p *pack, arch string) error {
	for _, name := range []string{p.name + ":" + arch, p.name} {
		list, err := os.ReadFile(filepath.Join(d.root, infoPath, name+".list"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for file := range strings.Lines(string(list)) {
			d.owner[merged(strings.TrimSpace(file))] = p
		}
		return nil
	}
	return nil
}

// control parses the fields of a stanza; continuation lines are dropped, which leaves
// the short description.
func control(stanza string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(stanza) {
		if name, value, ok := strings.Cut(line, ":"); ok && line[0] != ' ' && line[0] != '\t' {
			fields[name] = strings.TrimSpace(value)
		}
	}
	return fields
}

// merged returns a path with the prefix /usr removed from bin, lib and sbin, which may be links:
// packages use one form, and files are found by the other.
func merged(path string) string {
	path = strings.TrimPrefix(path, "/")
	if rest, ok := strings.CutPrefix(path, "usr/"); ok {
		if top, _, _ := strings.Cut(rest, "/"); slices.Contains([]string{"bin", "sbin", "lib", "lib32", "lib64", "libx32"}, top) {
			return rest
		}
	}
	return path
}

// of returns the package that owns a file of the root.
func (d *dpkg) of(file string) (*pack, error) {
	name, err := filepath.Rel(d.root, file)
	if err != nil {
		return nil, err
	}
	p := d.owner[merged(name)]
	if p == nil {
		return nil, fmt.Errorf("%s belongs to no Debian package, so nobody can tell its licence and source: take a root whose programs are Debian's", file)
	}
	return p, nil
}
