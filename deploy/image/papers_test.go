package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	spdxjson "github.com/spdx/tools-golang/json"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"
	"github.com/spdx/tools-golang/spdxlib"

	"github.com/loadline/loadline/internal/show/notices"
)

// read returns the content of a file of the tree, which must be there.
func (t tree) read(test *testing.T, name string) string {
	test.Helper()
	n, ok := t[name]
	if !ok || n.dir || n.link != "" {
		test.Fatalf("the image has no file %s", name)
	}
	data, err := n.content()
	if err != nil {
		test.Fatal(err)
	}
	return string(data)
}

// scanned returns what a scanner reads from the image's dpkg status: stanzas with a package, a
// version and a status that says it is installed.
func scanned(t *testing.T, all tree) map[string]map[string]string {
	t.Helper()
	found := map[string]map[string]string{}
	for stanza := range strings.SplitSeq(all.read(t, "var/lib/dpkg/status"), "\n\n") {
		if strings.TrimSpace(stanza) == "" {
			continue
		}
		fields := map[string]string{}
		for line := range strings.Lines(stanza) {
			name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			if !ok {
				t.Fatalf("%q is no field of a status", line)
			}
			fields[name] = value
		}
		if fields["Package"] == "" || fields["Version"] == "" || fields["Status"] != "install ok installed" || fields["Architecture"] == "" {
			t.Errorf("a scanner does not see %q", stanza)
		}
		found[fields["Package"]] = fields
	}
	return found
}

// Every file of the image is ours, or belongs to a package that the image's own status lists and
// that dpkg knows with the same version; and its content is that in the package.
func TestEveryFileIsAccountedFor(t *testing.T) {
	all := built(t)
	packages := scanned(t, all)
	owner := map[string]string{}
	for name := range packages {
		for file := range strings.Lines(all.read(t, "var/lib/dpkg/info/"+name+".list")) {
			owner[strings.Trim(file, "/\n")] = name
		}
		if strings.TrimSpace(all.read(t, "usr/share/doc/"+name+"/copyright")) == "" {
			t.Errorf("%s has an empty copyright", name)
		}
	}
	ours := regexp.MustCompile(`^(usr/bin/loadline(-agent)?|usr/share/doc/loadline/.*|var/lib/dpkg/.*|etc/os-release)$`)
	counted := map[string]int{}
	for _, name := range all.names() {
		n := all[name]
		_, account := accounts[name]
		_, script := scripts[name]
		switch {
		case n.dir, n.link == "busybox", ours.MatchString(name), account, script:
			continue
		case owner[name] == "":
			t.Errorf("%s (of %s) belongs to nobody", name, n.from)
			continue
		}
		counted[owner[name]]++
		if sums := md5sums(t, owner[name]); !strings.Contains(sums, fmt.Sprintf("%x", md5.Sum([]byte(all.read(t, name))))) && !strings.HasSuffix(name, "/copyright") {
			t.Errorf("%s is not a file of %s as Debian has made it", name, owner[name])
		}
	}
	if len(counted) != len(packages) || counted["fio"] < 2 || counted["libc6"] < 3 || counted["base-files"] < 4 {
		t.Errorf("%d packages are listed, and files are of %v", len(packages), counted)
	}
	for name, fields := range packages {
		out, err := exec.Command("dpkg-query", "--show", "--showformat", "${Version} ${source:Package} ${source:Version}", name).Output()
		if err != nil {
			t.Fatalf("dpkg does not know %s: %v", name, err)
		}
		p := pack{name: name, fields: fields}
		source, version := p.source()
		if got := fields["Version"] + " " + source + " " + version; got != string(out) {
			t.Errorf("%s: the image says %q, dpkg %q", name, got, out)
		}
	}
}

// md5sums returns the checksums of a package's files on this machine.
func md5sums(t *testing.T, name string) string {
	t.Helper()
	for _, file := range []string{name, name + ":amd64", name + ":arm64"} {
		if data, err := os.ReadFile("/var/lib/dpkg/info/" + file + ".md5sums"); err == nil {
			return string(data)
		}
	}
	t.Fatalf("%s has no sums", name)
	return ""
}

// A licence that a copyright file refers to is in the image as well, in full.
func TestLicencesThatAreReferredToAreThere(t *testing.T) {
	all := built(t)
	found := map[string]bool{}
	for _, name := range all.names() {
		if !strings.HasSuffix(name, "/copyright") {
			continue
		}
		for _, m := range regexp.MustCompile(`/(usr/share/common-licenses/[A-Za-z0-9.+-]*[A-Za-z0-9])`).FindAllStringSubmatch(all.read(t, name), -1) {
			found[m[1]] = true
			if len(all.read(t, m[1])) < 1000 {
				t.Errorf("%s refers to %s, which is too short for a licence", name, m[1])
			}
		}
	}
	if len(found) < 5 {
		t.Errorf("only %v are referred to", found)
	}
	for name, want := range map[string]string{"GPL-2": "Version 2, June 1991", "GPL-3": "Version 3, 29 June 2007", "LGPL-2.1": "Version 2.1, February 1999"} {
		if !strings.Contains(all.read(t, "usr/share/common-licenses/"+name), want) {
			t.Errorf("%s is not the licence of that name", name)
		}
	}
}

// Each module that go version finds in our programs has its licence in the image.
func TestEveryModuleHasItsLicence(t *testing.T) {
	all := built(t)
	have := map[string]notices.Notice{}
	for _, n := range notices.Parse(all.read(t, noticesPath)) {
		have[strings.TrimSpace(n.Name+" "+n.Version)] = n
	}
	for _, name := range []string{"loadline", "loadline-agent"} {
		out, err := exec.Command("go", "version", "-m", all["usr/bin/"+name].from).Output()
		if err != nil {
			t.Fatal(err)
		}
		linked := regexp.MustCompile(`(?m)^\tdep\t(\S+)\t(\S+)`).FindAllStringSubmatch(string(out), -1)
		if len(linked) == 0 {
			t.Fatalf("%s is linked of nothing: %s", name, out)
		}
		for _, m := range linked {
			if n := have[m[1]+" "+m[2]]; len(n.Text) < 300 || n.License == "" {
				t.Errorf("%s: no licence of %s %s", name, m[1], m[2])
			}
		}
	}
	for _, name := range []string{"std", "github.com/loadline/loadline"} {
		if len(have[name].Text) < 1000 {
			t.Errorf("no licence of %s", name)
		}
	}
	for _, library := range []string{"echarts", "zrender", "tslib"} {
		if !strings.Contains(all.read(t, noticesPath), "\n"+library+" ") {
			t.Errorf("no licence of the page's %s", library)
		}
	}
	if !strings.Contains(all.read(t, "usr/share/doc/loadline/copyright"), "Apache License") {
		t.Error("Loadline's own licence is missing")
	}
}

// billOf reads the image's bill of materials with the library that others use to read it.
func billOf(t *testing.T, all tree) *spdx.Document {
	t.Helper()
	text := all.read(t, billPath)
	var d spdx.Document
	if err := spdxjson.ReadInto(strings.NewReader(text), &d); err != nil {
		t.Fatal(err)
	}
	if err := spdxlib.ValidateDocument(&d); err != nil {
		t.Error(err)
	}
	if !strings.Contains(text, `"spdxVersion": "SPDX-2.3"`) || d.DataLicense != "CC0-1.0" || !strings.HasPrefix(d.DocumentNamespace, "https://") {
		t.Errorf("%s %s %s", d.SPDXVersion, d.DataLicense, d.DocumentNamespace)
	}
	return &d
}

// term is one licence of an expression, as SPDX writes it.
var term = regexp.MustCompile(`^[A-Za-z0-9.-]+( WITH [A-Za-z0-9.-]+)?$`)

// The bill lists the packages of the status, the programs and their modules, each with a
// licence that it explains; and the image's label names all of these.
func TestBillIsValid(t *testing.T) {
	all := built(t)
	d := billOf(t, all)
	var debs, want []string
	explained, related := map[string]bool{}, map[string]bool{}
	for _, l := range d.OtherLicenses {
		explained[l.LicenseIdentifier] = len(l.ExtractedText) > 200
	}
	for _, r := range d.Relationships {
		related[string(r.RefB.ElementRefID)] = true
	}
	label := strings.Split(all.licences(), " AND ")
	parts := map[string]bool{}
	for _, p := range d.Packages {
		name := p.PackageName + " " + p.PackageVersion
		parts[name] = true
		if !related[string(p.PackageSPDXIdentifier)] {
			t.Errorf("nothing contains %s", name)
		}
		for group := range strings.SplitSeq(p.PackageLicenseDeclared, " AND ") {
			if !slices.Contains(label, group) && !slices.Contains(label, "("+group+")") {
				t.Errorf("%s is under %s, which the image's label does not say", name, group)
			}
			for one := range strings.SplitSeq(strings.Trim(group, "()"), " OR ") {
				if !term.MatchString(one) || strings.HasPrefix(one, "LicenseRef-") && !explained[one] {
					t.Errorf("%s: %q is no licence that is explained", name, one)
				}
			}
		}
		for _, ref := range p.PackageExternalReferences {
			if strings.HasPrefix(ref.Locator, "pkg:deb/debian/") {
				debs = append(debs, name)
			}
		}
	}
	for name, fields := range scanned(t, all) {
		want = append(want, name+" "+fields["Version"])
	}
	slices.Sort(debs)
	slices.Sort(want)
	if diff := cmp.Diff(want, debs); diff != "" {
		t.Errorf("the bill has other Debian packages than the status: %s", diff)
	}
	for _, n := range notices.Parse(all.read(t, noticesPath)) {
		other := n.Version == "" || strings.Contains(n.Name, "mousetrap")
		if name := n.Name + " " + n.Version; !other && !parts[name] {
			t.Errorf("the bill has no %s", name)
		}
	}
	for _, name := range []string{"loadline tested", "loadline-agent tested", "loadline-image tested"} {
		if !parts[name] {
			t.Errorf("the bill has no %s", name)
		}
	}
	for _, l := range []string{"Apache-2.0", "GPL-2.0-only", "GPL-3.0-or-later", "MIT"} {
		if !slices.Contains(label, l) {
			t.Errorf("the label %v does not say %s", label, l)
		}
	}
	again, err := gather("/", all.arch(), filepath.Dir(all["usr/bin/loadline"].from), "tested")
	if err != nil || again.read(t, billPath) != all.read(t, billPath) {
		t.Errorf("the same image has another bill (%v)", err)
	}
}

// arch returns the architecture that the tree was built for.
func (t tree) arch() string {
	for arch, m := range machines {
		if _, ok := t["lib/"+m.triplet]; ok {
			return arch
		}
	}
	return ""
}

// Where Debian gives the licence of all files of a source in machine-readable form, it is
// among the ones that we give.
func TestLicencesAreDebians(t *testing.T) {
	all := built(t)
	words := map[string]string{"GPL-2": "GPL-2.0-only", "GPL-2.0": "GPL-2.0-only", "GPL-2+": "GPL-2.0-or-later", "GPL-3+": "GPL-3.0-or-later",
		"LGPL-2.0+": "LGPL-2.0-or-later", "LGPL-2+": "LGPL-2.0-or-later", "LGPL-2.1": "LGPL-2.1-only", "LGPL-2.1+": "LGPL-2.1-or-later", "LGPL-3+": "LGPL-3.0-or-later",
		"LGPL2.1 (see COPYING-LGPL2.1)": "LGPL-2.1-only", "Expat": "MIT", "MIT-1": "MIT", "MIT/X11": "X11-distribute-modifications-variant", "CC0": "CC0-1.0",
		"BSD-3-clause": "BSD-3-Clause", "BSD-MIT": "Linux-OpenIB", "BSD-variant": "bzip2-1.0.6", "Expat with embedded exception": "MIT WITH fmt-exception",
		"GPL-2+ with OpenSSL exception":                                      "GPL-2.0-or-later WITH cryptsetup-OpenSSL-exception",
		"BSD-3-clause-Cambridge with BINARY LIBRARY-LIKE PACKAGES exception": "BSD-3-Clause WITH PCRE2-exception"}
	checked := 0
	for name, fields := range scanned(t, all) {
		p := pack{name: name, fields: fields}
		source, _ := p.source()
		text := all.read(t, "usr/share/doc/"+name+"/copyright")
		m := regexp.MustCompile(`(?m)^Files:\s*\*\s*\n(?:[^\n]+\n)*?License: *(\S[^\n]*)$`).FindStringSubmatch(text)
		if terms := termsOf(source); m == nil || strings.HasPrefix(terms[0], "LicenseRef") || source == "icu" {
			continue
		}
		checked++
		ours := strings.Join(termsOf(source), " ")
		for one := range strings.SplitSeq(m[1], " or ") {
			if id, known := words[one]; known {
				one = id
			}
			if !strings.Contains(ours, one) {
				t.Errorf("%s: Debian says %q, we say %q", source, m[1], ours)
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d packages say it in that form", checked)
	}
}

// The image says where the source of each part is, including parts that are only
// linked into another.
func TestSourcesAreOffered(t *testing.T) {
	all := built(t)
	text := all.read(t, sourcesPath)
	for name, fields := range scanned(t, all) {
		p := pack{name: name, fields: fields}
		source, version := p.source()
		for _, line := range append(p.builtIn(), source+" "+version) {
			if !strings.Contains(text, "\n"+line+"\n") {
				t.Errorf("%s: no source %s", name, line)
			}
		}
		if name == "busybox-static" && len(p.builtIn()) == 0 {
			t.Error("busybox-static is linked with a C library of its own, which is not said")
		}
	}
	for _, words := range []string{"three years", "snapshot.debian.org", "github.com/loadline/loadline"} {
		if !strings.Contains(text, words) {
			t.Errorf("the offer has no %q", words)
		}
	}
}

// The image contains everything needed to build an image from its files, so it can be the Debian root
// of one. Without the documents no image is made.
func TestWithoutPapersNoImage(t *testing.T) {
	all := built(t)
	root := filepath.Join(t.TempDir(), "root")
	if err := all.lay(root); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Dir(all["usr/bin/loadline"].from)
	again, err := gather(root, all.arch(), bin, "tested")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all.names() {
		if n := all[name]; !n.dir && n.link == "" && all.read(t, name) != again.read(t, name) {
			t.Errorf("%s of an image of an image differs", name)
		}
	}
	for _, c := range []struct{ file, content, want string }{
		{"usr/share/doc/fio/copyright", "", "not to be given away"},
		{"usr/share/common-licenses/GPL-2", "", "refers to /usr/share/common-licenses/GPL-2"},
		{"var/lib/dpkg/info/fio.list", "/usr/share/doc/fio/copyright\n", "usr/bin/fio belongs to no Debian package"},
		{"var/lib/dpkg/status", "", "no list of its Debian packages"},
	} {
		path := filepath.Join(root, c.file)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if c.content != "" {
			if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := gather(root, all.arch(), bin, "tested"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("without %s: %v, want %q", c.file, err, c.want)
		}
		if err := os.WriteFile(path, before, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The image's label, its manifest's annotation and the Dockerfile say the same, and the
// bill is beside what is written.
func TestLabelSaysTheLicences(t *testing.T) {
	all := built(t)
	var archive bytes.Buffer
	if err := writeArchive(&archive, all, plain, all.arch(), "loadline:e2e"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(archive.String(), `"org.opencontainers.image.licenses":"`+all.licences()+`"`); n != 2 {
		t.Errorf("the archive says its licences %d times, and not in label and annotation", n)
	}
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	labels := regexp.MustCompile(`(?m)^LABEL org.opencontainers.image.licenses="(.*)"$`).FindAllStringSubmatch(string(text), -1)
	if len(labels) != 2 || labels[0][1] != labels[1][1] {
		t.Fatalf("the Dockerfile's stages have the labels %v", labels)
	}
	// The Dockerfile builds from Debian 12, for more than one architecture.
	if strings.Contains(all.read(t, releasePath), `VERSION_ID="12"`) {
		for group := range strings.SplitSeq(all.licences(), " AND ") {
			if !slices.Contains(strings.Split(labels[0][1], " AND "), group) {
				t.Errorf("the Dockerfile's label does not say %s", group)
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "files")
	if err := run([]string{"-bin", filepath.Dir(all["usr/bin/loadline"].from), "-version", "tested", "-rootfs", dir}, os.Stderr); err != nil {
		t.Fatal(err)
	}
	if beside, err := os.ReadFile(dir + ".spdx.json"); err != nil || string(beside) != all.read(t, billPath) {
		t.Errorf("the bill is not beside the files (%v)", err)
	}
}
