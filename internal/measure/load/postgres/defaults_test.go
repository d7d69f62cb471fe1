package postgres

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/postgres/defaults"
	"github.com/loadline/loadline/internal/model"
)

// programsOf makes -update print the table of defaults anew: directories with the program postgres, one for each major version.
var programsOf = flag.String("defaults-of", "", "write the table of defaults from the programs postgres in these directories, separated by colons")

// builds are settings whose defaults depend on how a program was built and where it runs.
var builds = map[string]bool{
	"unix_socket_directories": true, "krb_server_keyfile": true, "dynamic_library_path": true, "max_stack_depth": true,
	"extension_destdir": true, "ssl_ciphers": true, "jit_provider": true, "wal_sync_method": true, "ssl_ecdh_curve": true, "ssl_groups": true, "extension_control_path": true,
	"autovacuum_worker_slots": true, "dynamic_shared_memory_type": true, "log_timezone": true, "TimeZone": true, "timezone_abbreviations": true,
}

// TestDefaultsAreThoseOfThePrograms: what a plan says about a program that it cannot ask is what the program says.
func TestDefaultsAreThoseOfThePrograms(t *testing.T) {
	if *programsOf != "" {
		versions := map[int][]model.Setting{}
		for dir := range strings.SplitSeq(*programsOf, ":") {
			e := preferring(dir)
			p, err := findPrograms(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			if versions[p.major], err = (&Driver{env: e}).described(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile("defaults/defaults.tsv", []byte(defaults.Table(versions)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	eachVersionAtOnce(t, func(t *testing.T, e *env.Env, major int) {
		p, err := findPrograms(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		said, err := (&Driver{env: e}).described(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, s := range defaults.Of(major) {
			want[s.Name] = s.Default
		}
		if len(want) < 250 {
			t.Fatalf("the table has %d settings of PostgreSQL %d", len(want), major)
		}
		for _, s := range said {
			if def, known := want[s.Name]; !known && !builds[s.Name] {
				t.Errorf("the table lacks %s", s.Name)
			} else if def != s.Default && !builds[s.Name] {
				t.Errorf("%s is %q, and the table has %q", s.Name, s.Default, def)
			}
			delete(want, s.Name)
		}
		for name := range want {
			if !builds[name] {
				t.Errorf("PostgreSQL %s has no %s", p.version, name)
			}
		}
	})
}
