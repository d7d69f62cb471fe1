package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/show/notices"
	"github.com/loadline/loadline/internal/show/report/html"
)

// The paths of the documents about the image's contents: as in Debian, so that scanners and people
// find them.
const (
	statusPath   = "var/lib/dpkg/status"
	infoPath     = "var/lib/dpkg/info"
	releasePath  = "usr/lib/os-release"
	docPath      = "usr/share/doc"
	commonPath   = "usr/share/common-licenses"
	ownPath      = docPath + "/loadline"
	billPath     = ownPath + "/sbom.spdx.json"
	licencesPath = ownPath + "/licenses"
	sourcesPath  = ownPath + "/SOURCES"
	noticesPath  = ownPath + "/NOTICES"
)

// papers adds the required documents about the files in the tree: licences, sources, and
// the packages that they belong to.
func (c *closure) papers(bin, version string) error {
	d, err := readDpkg(c.root, c.arch)
	if err != nil {
		return err
	}
	packs, err := c.packs(d)
	if err != nil {
		return err
	}
	for _, p := range packs {
		if err := c.copyright(d, p); err != nil {
			return err
		}
	}
	release, err := os.ReadFile(filepath.Join(c.root, releasePath))
	if err != nil {
		return fmt.Errorf("nobody can tell which Debian %s is: %w", c.root, err)
	}
	c.tree.add("etc/os-release", node{link: "../" + releasePath})
	modules, err := linkedInto(bin)
	if err != nil {
		return err
	}
	page := notices.Parse(html.Notices())
	b := bill{version: version, arch: c.arch, release: control(strings.ReplaceAll(strings.ReplaceAll(string(release), `"`, ""), "=", ":")), packs: packs, modules: modules, page: page}
	document, expression, err := b.write()
	if err != nil {
		return err
	}
	c.tree.add(billPath, node{mode: 0o644, text: document})
	c.tree.add(licencesPath, node{mode: 0o644, text: expression + "\n"})
	c.tree.add(sourcesPath, node{mode: 0o644, text: sources(packs)})
	linked := notices.Linked()
	c.tree.add(noticesPath, node{mode: 0o644, text: notices.Format(slices.Concat(linked, page))})
	c.tree.add(ownPath+"/copyright", node{mode: 0o644, text: linked[0].Text})

	var status strings.Builder
	for _, p := range packs {
		status.WriteString(p.stanza() + "\n")
		slices.Sort(p.files)
		c.tree.add(infoPath+"/"+p.name+".list", node{mode: 0o644, text: "/" + strings.Join(p.files, "\n/") + "\n"})
	}
	c.tree.add(statusPath, node{mode: 0o644, text: status.String()})
	return nil
}

// packs finds the packages of the files that come from the Debian root.
func (c *closure) packs(d *dpkg) ([]*pack, error) {
	// base-files contains the licences that many packages share, and the release of Debian.
	base := d.byName["base-files"]
	if base == nil {
		return nil, fmt.Errorf("%s has no base-files, where Debian's packages have their licences", c.root)
	}
	from, err := c.find(releasePath)
	if err != nil {
		return nil, fmt.Errorf("nobody can tell which Debian %s is: %w", c.root, err)
	}
	c.tree.add(releasePath, node{mode: 0o644, from: from})
	found := map[string]*pack{}
	for _, name := range c.tree.names() {
		n := c.tree[name]
		if n.from == "" || slices.Contains(own, strings.TrimPrefix(name, "usr/bin/")) {
			continue
		}
		p, err := d.of(n.from)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, name)
		found[p.name] = p
	}
	found[base.name] = base
	var all []*pack
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[name])
	}
	return all, nil
}

// shared matches the licences that a copyright file refers to in base-files.
var shared = regexp.MustCompile(`/usr/share/common-licenses/([A-Za-z][A-Za-z0-9.+-]*[A-Za-z0-9])`)

// copyright adds Debian's copyright file of a package, and the licence texts that it
// refers to.
func (c *closure) copyright(d *dpkg, p *pack) error {
	name := docPath + "/" + p.name + "/copyright"
	from, err := c.find(name)
	if err != nil {
		return fmt.Errorf("%s has no /%s: an image without the licence of its files is not to be given away (some images of Debian leave it out)", c.root, name)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	c.tree.add(name, node{mode: 0o644, from: from})
	p.files, p.copyright = append(p.files, name), string(text)
	base := d.byName["base-files"]
	for _, m := range shared.FindAllStringSubmatch(p.copyright, -1) {
		name := commonPath + "/" + m[1]
		if _, known := c.tree[name]; known {
			continue
		}
		from, err := c.find(name)
		if err != nil {
			return fmt.Errorf("the copyright of %s refers to /%s, which is not in %s", p.name, name, c.root)
		}
		c.tree.add(name, node{mode: 0o644, from: from})
		base.files = append(base.files, name)
	}
	return nil
}

// sources returns the text that says where the source of Debian's programs is, and offers it.
func sources(packs []*pack) string {
	list := map[string]bool{}
	for _, p := range packs {
		name, version := p.source()
		list[name+" "+version] = true
		for _, other := range p.builtIn() {
			list[other] = true
		}
	}
	text := `The source of what is in this image

Loadline and loadline-agent: https://github.com/loadline/loadline, at the version that
"loadline --version" prints. The Go modules in them, with versions and licences: NOTICES.

All other programs and libraries are those of Debian's binary packages, unchanged. They
were built from the source packages below. Debian keeps every version of every source
package that it has published at https://snapshot.debian.org, free of charge:

    https://snapshot.debian.org/package/NAME/VERSION/

On a Debian whose package sources name that archive (deb-src), the same without a browser:

    apt-get source --download-only NAME=VERSION

Offer: to anybody who has this image from the Loadline project, the project gives, for
three years from the day on which it published the image, a complete copy of the source
of those parts whose licence asks for it (GPL, LGPL), at no more than the cost of the
copying. Ask in an issue of https://github.com/loadline/loadline and name the image's
version and digest. Whoever passes this image on, or an image made from it, does so under the
same licences and has to provide the source themselves.

`
	for _, line := range slices.Sorted(maps.Keys(list)) {
		text += line + "\n"
	}
	return text
}
