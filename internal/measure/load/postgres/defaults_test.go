package postgres

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/postgres/defaults"
	"github.com/loadline/loadline/internal/model"
)

// programsOf makes -update print the table of defaults anew: directories with the program postgres, one for each major version.
var programsOf = flag.String("defaults-of", "", "write the table of defaults from the programs postgres in these directories, separated by colons")

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
			if versions[p.major], err = (&Driver{env: e}).describe(t.Context(), p, nil); err != nil {
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
		said, err := (&Driver{env: e}).describe(t.Context(), p, nil)
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
			if def, known := want[s.Name]; !known && !defaults.OfBuild(s.Name) {
				t.Errorf("the table lacks %s", s.Name)
			} else if def != s.Default && !defaults.OfBuild(s.Name) {
				t.Errorf("%s is %q, and the table has %q", s.Name, s.Default, def)
			}
			delete(want, s.Name)
		}
		// Most are not asked for, and come out the same.
		fast, err := (&Driver{env: e}).described(t.Context(), p)
		if diff := cmp.Diff(said, fast); err != nil || diff != "" {
			t.Errorf("%v: %s", err, diff)
		}
		for name := range want {
			if !defaults.OfBuild(name) {
				t.Errorf("PostgreSQL %s has no %s", p.version, name)
			}
		}
	})
}
