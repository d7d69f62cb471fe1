package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"

	"github.com/loadline/loadline/internal/show/notices"
)

// modules are the modules linked into one of our programs.
type modules struct {
	program string
	linked  []notices.Notice
}

// linkedInto reads the modules of each of our programs from the program itself, and
// finds the licence of each module.
func linkedInto(bin string) ([]modules, error) {
	known := map[string]notices.Notice{}
	for _, n := range notices.Linked() {
		known[n.Name+" "+n.Version] = n
	}
	var all []modules
	for _, name := range own {
		info, err := buildinfo.ReadFile(filepath.Join(bin, name))
		if err != nil {
			return nil, fmt.Errorf("what %s is linked of cannot be read: %w", name, err)
		}
		std := known["std "]
		std.Version = strings.TrimPrefix(strings.Fields(info.GoVersion + " unknown")[0], "go")
		m := modules{program: name, linked: []notices.Notice{std}}
		for _, dep := range info.Deps {
			if dep.Replace != nil {
				dep = dep.Replace
			}
			n, ok := known[dep.Path+" "+dep.Version]
			if !ok {
				return nil, fmt.Errorf("%s is linked with %s %s, whose licence is not in internal/show/notices: build it from these sources, or write the list anew (go test ./internal/show/notices -update)", name, dep.Path, dep.Version)
			}
			m.linked = append(m.linked, n)
		}
		all = append(all, m)
	}
	return all, nil
}

// bill is the input of a bill of materials.
type bill struct {
	version, arch string
	release       map[string]string
	packs         []*pack
	modules       []modules
	page          []notices.Notice

	document spdx.Document
	terms    []string
	texts    map[string]string
}

// write returns the document (SPDX 2.3), and the expression of all licences in the image.
func (b *bill) write() (document, licences string, err error) {
	b.texts = map[string]string{}
	b.document = spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT", DocumentName: "loadline " + b.version + " linux/" + b.arch,
		CreationInfo: &spdx.CreationInfo{Creators: []common.Creator{{CreatorType: "Tool", Creator: "loadline-deploy-image"}}, Created: epoch.Format(time.RFC3339)},
	}
	image := &spdx.Package{PackageName: "loadline-image", PackageSPDXIdentifier: "Image", PackageVersion: b.version, PackageDownloadLocation: "NOASSERTION",
		PackageLicenseConcluded: "NOASSERTION", PackageCopyrightText: "NOASSERTION", PrimaryPackagePurpose: "CONTAINER"}
	b.document.Packages = append(b.document.Packages, image)
	b.relate("DOCUMENT", common.TypeRelationshipDescribe, "Image")
	for _, p := range b.packs {
		b.debian(p)
	}
	b.programs()
	image.PackageLicenseDeclared = expression(b.terms)
	for _, id := range slices.Sorted(maps.Keys(b.texts)) {
		b.document.OtherLicenses = append(b.document.OtherLicenses, &spdx.OtherLicense{LicenseIdentifier: id, LicenseName: id, ExtractedText: b.texts[id]})
	}
	var out bytes.Buffer
	// A document is named by its content, so that equal images have equal names.
	if err := spdxjson.Write(&b.document, &out); err != nil {
		return "", "", err
	}
	b.document.DocumentNamespace = fmt.Sprintf("https://github.com/loadline/loadline/spdx/%x", sha256.Sum256(out.Bytes()))
	out.Reset()
	if err := spdxjson.Write(&b.document, &out, spdxjson.Indent(" ")); err != nil {
		return "", "", err
	}
	return out.String(), image.PackageLicenseDeclared, nil
}

// relate adds a relationship.
func (b *bill) relate(from, how, to string) {
	b.document.Relationships = append(b.document.Relationships, &spdx.Relationship{
		RefA: common.MakeDocElementID("", from), Relationship: how, RefB: common.MakeDocElementID("", to)})
}

// add adds a part once, and returns its identifier.
func (b *bill) add(kind string, p spdx.Package, terms []string, purl string) string {
	id := regexp.MustCompile(`[^A-Za-z0-9.]+`).ReplaceAllString(kind+"-"+p.PackageName+"-"+p.PackageVersion, "-")
	for _, have := range b.document.Packages {
		if string(have.PackageSPDXIdentifier) == id {
			return id
		}
	}
	p.PackageSPDXIdentifier = common.ElementID(id)
	if p.PackageDownloadLocation == "" {
		p.PackageDownloadLocation = "NOASSERTION"
	}
	p.PackageLicenseConcluded, p.PackageLicenseDeclared = "NOASSERTION", expression(terms)
	if p.PackageCopyrightText == "" {
		p.PackageCopyrightText = "NOASSERTION"
	}
	p.PackageExternalReferences = []*spdx.PackageExternalReference{{Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: purl}}
	b.terms = append(b.terms, terms...)
	b.document.Packages = append(b.document.Packages, &p)
	return id
}

// debian adds a Debian package.
func (b *bill) debian(p *pack) {
	source, version := p.source()
	terms := termsOf(source)
	if ref := reference(source); slices.Contains(terms, ref) && b.texts[ref] == "" {
		b.texts[ref] = strings.ToValidUTF8(p.copyright, "\uFFFD")
	}
	vendor := b.release["ID"]
	purl := fmt.Sprintf("pkg:deb/%s/%s@%s?arch=%s&distro=%s-%s&upstream=%s", vendor, p.name, url.QueryEscape(p.fields["Version"]),
		p.fields["Architecture"], vendor, b.release["VERSION_ID"], url.QueryEscape(source+"@"+version))
	part := spdx.Package{PackageName: p.name, PackageVersion: p.fields["Version"], PackageHomePage: p.fields["Homepage"],
		PackageSourceInfo: "built from the source package " + source + " " + version, PackageLicenseComments: "all terms: /" + docPath + "/" + p.name + "/copyright in the image"}
	if p.fields["Maintainer"] != "" {
		part.PackageSupplier = &common.Supplier{SupplierType: "Organization", Supplier: p.fields["Maintainer"]}
	}
	b.relate("Image", common.TypeRelationshipContains, b.add("deb", part, terms, purl))
}

// programs adds our programs and the modules linked into them.
func (b *bill) programs() {
	const home = "https://github.com/loadline/loadline"
	for _, m := range b.modules {
		program := b.add("program", spdx.Package{PackageName: m.program, PackageVersion: b.version, PackageHomePage: home, PrimaryPackagePurpose: "APPLICATION"},
			[]string{"Apache-2.0"}, "pkg:golang/github.com/loadline/loadline@"+url.QueryEscape(b.version)+"#cmd/"+m.program)
		b.relate("Image", common.TypeRelationshipContains, program)
		for _, n := range m.linked {
			purl := "pkg:golang/" + n.Name + "@" + url.QueryEscape(n.Version)
			if n.Name == "std" {
				purl = "pkg:golang/stdlib@" + url.QueryEscape(n.Version)
			}
			id := b.add("go", spdx.Package{PackageName: n.Name, PackageVersion: n.Version}, strings.Split(n.License, " AND "), purl)
			b.relate(program, common.TypeRelationshipContains, id)
		}
		if m.program != "loadline" {
			continue
		}
		for _, n := range b.page {
			id := b.add("npm", spdx.Package{PackageName: n.Name, PackageVersion: n.Version}, strings.Split(n.License, " AND "), "pkg:npm/"+n.Name+"@"+n.Version)
			b.relate(program, common.TypeRelationshipContains, id)
		}
	}
}
