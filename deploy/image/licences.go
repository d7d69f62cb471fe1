package main

import (
	"regexp"
	"slices"
	"strings"
)

// licences are SPDX expressions for the licences of the source packages' programs and libraries,
// each a list of terms that all apply. Debian's copyright file, which is in the
// image in full, has more: on single files, tests and build scripts. A package that is
// not listed here gets a reference to that file instead of an identifier (LicenseRef), so that a
// new package is never declared with fewer licences than it has.
var licences = map[string][]string{
	"acl":          {"GPL-2.0-or-later", "LGPL-2.0-or-later"},
	"argon2":       {"Apache-2.0 OR CC0-1.0"},
	"base-files":   {"GPL-2.0-or-later"},
	"bash":         {"GPL-3.0-or-later"},
	"boost":        {"BSL-1.0"},
	"busybox":      {"GPL-2.0-only"},
	"bzip2":        {"bzip2-1.0.6"},
	"ceph":         {"LGPL-2.1-only"},
	"cryptsetup":   {"GPL-2.0-or-later WITH cryptsetup-OpenSSL-exception", "LGPL-2.1-or-later"},
	"fio":          {"GPL-2.0-only"},
	"fmtlib":       {"MIT WITH fmt-exception"},
	"gcc":          {"GPL-3.0-or-later WITH GCC-exception-3.1"},
	"glusterfs":    {"GPL-2.0-only OR LGPL-3.0-or-later"},
	"gmp":          {"GPL-2.0-or-later OR LGPL-3.0-or-later"},
	"gnutls28":     {"LGPL-2.1-or-later"},
	"icu":          {"ICU"},
	"json-c":       {"MIT"},
	"keyutils":     {"GPL-2.0-or-later", "LGPL-2.0-or-later"},
	"kmod":         {"LGPL-2.1-or-later"},
	"krb5":         {"MIT"},
	"libaio":       {"LGPL-2.1-or-later"},
	"libffi":       {"MIT"},
	"libidn2":      {"GPL-3.0-or-later", "GPL-2.0-or-later OR LGPL-3.0-or-later"},
	"libnbd":       {"LGPL-2.0-or-later"},
	"libnl3":       {"LGPL-2.1-only"},
	"libtasn1-6":   {"LGPL-2.1-or-later"},
	"libtirpc":     {"BSD-3-Clause"},
	"libunistring": {"GPL-2.0-or-later OR LGPL-3.0-or-later"},
	"libxml2":      {"MIT"},
	"libzstd":      {"BSD-3-Clause OR GPL-2.0-only"},
	"lvm2":         {"GPL-2.0-only", "LGPL-2.1-only"},
	"ncurses":      {"X11-distribute-modifications-variant"},
	"ndctl":        {"LGPL-2.1-only"},
	"nettle":       {"GPL-2.0-or-later OR LGPL-3.0-or-later"},
	"numactl":      {"LGPL-2.1-only"},
	"openssl":      {"Apache-2.0"},
	"p11-kit":      {"BSD-3-Clause"},
	"pcre2":        {"BSD-3-Clause WITH PCRE2-exception"},
	"pmdk":         {"BSD-3-Clause"},
	"rdma-core":    {"GPL-2.0-only OR Linux-OpenIB"},
	"systemd":      {"LGPL-2.1-or-later"},
	"util-linux":   {"BSD-3-Clause", "GPL-2.0-or-later", "LGPL-2.1-or-later"},
	"zlib":         {"Zlib"},
	// These have many licences, or unnamed ones: the most common one, and the file for the rest.
	"e2fsprogs": {"GPL-2.0-only", "LicenseRef-Debian-e2fsprogs"},
	"glibc":     {"LGPL-2.1-or-later", "LicenseRef-Debian-glibc"},
}

// numbered are sources whose name ends with their version.
var numbered = regexp.MustCompile(`^(boost|gcc)-?[0-9.]+$`)

// termsOf returns the licences of a source package.
func termsOf(source string) []string {
	if m := numbered.FindStringSubmatch(source); m != nil {
		source = m[1]
	}
	if terms := licences[source]; terms != nil {
		return terms
	}
	return []string{reference(source)}
}

// reference returns the copyright file of a source package as a custom licence identifier.
func reference(source string) string {
	return "LicenseRef-Debian-" + regexp.MustCompile(`[^A-Za-z0-9.-]`).ReplaceAllString(source, "-")
}

// expression joins terms that all apply, each once.
func expression(terms []string) string {
	terms = slices.Clone(terms)
	slices.Sort(terms)
	terms = slices.Compact(terms)
	if len(terms) > 1 {
		for i, term := range terms {
			if strings.Contains(term, " OR ") {
				terms[i] = "(" + term + ")"
			}
		}
	}
	return strings.Join(terms, " AND ")
}
