// Package defaults has the settings of PostgreSQL 14 to 18 and their defaults, for a plan of a server whose
// program is not there yet. Its assumptions: within a major version no default of a setting changes, except for
// the few that depend on how the program was built; but a minor version or a distribution may add settings. The table was printed by the programs themselves
// (postgres --describe-config and -C); a test of the package postgres compares it with those that it finds.
package defaults

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// table has a line for each setting: its name, and its default in each of the versions, separated by tabs.
//
//go:embed defaults.tsv
var table string

// absent is the default of a setting that a version does not have.
const absent = "-"

// source is what a setting's source is called if nobody has set it.
const source = "default"

// builds are settings whose defaults depend on how a program was built and where it runs.
var builds = map[string]bool{
	"unix_socket_directories": true, "krb_server_keyfile": true, "dynamic_library_path": true, "max_stack_depth": true,
	"extension_destdir": true, "ssl_ciphers": true, "jit_provider": true, "wal_sync_method": true, "ssl_ecdh_curve": true, "ssl_groups": true, "extension_control_path": true,
	"autovacuum_worker_slots": true, "dynamic_shared_memory_type": true, "log_timezone": true, "TimeZone": true, "timezone_abbreviations": true,
}

// OfBuild reports whether a setting's default depends on how a program was built and where it runs.
func OfBuild(name string) bool { return builds[name] }

// Of returns the settings of a major version and their defaults, sorted as PostgreSQL sorts them; none for a
// version that the table does not have.
func Of(major int) []model.Setting {
	var list []model.Setting
	column := -1
	for line := range strings.Lines(table) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if column < 0 {
			if column = slices.Index(f, strconv.Itoa(major)); column < 0 {
				return nil
			}
		} else if f[column] != absent {
			list = append(list, model.Setting{Name: f[0], Value: f[column], Default: f[column], Source: source})
		}
	}
	return list
}

// Table returns the table of these versions.
func Table(versions map[int][]model.Setting) string {
	var majors []int
	rows := map[string]map[int]string{}
	var names []string
	for major, list := range versions {
		majors = append(majors, major)
		for _, s := range list {
			if rows[s.Name] == nil {
				rows[s.Name] = map[int]string{}
				names = append(names, s.Name)
			}
			rows[s.Name][major] = s.Default
		}
	}
	slices.Sort(majors)
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	var b strings.Builder
	b.WriteString("setting")
	for _, major := range majors {
		b.WriteString("\t" + strconv.Itoa(major))
	}
	for _, name := range names {
		b.WriteString("\n" + name)
		for _, major := range majors {
			value, has := rows[name][major]
			if !has {
				value = absent
			}
			b.WriteString("\t" + value)
		}
	}
	return b.String() + "\n"
}
