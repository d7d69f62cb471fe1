// Package docs_test checks the manual: its lists are generated
// from the code, and its examples are read by the code.
package docs_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/profile"
)

func TestProfilesAreListedAsTheyAre(t *testing.T) {
	generated(t, "profiles.md", tables(t))
}

// tables lists every built-in profile.
func tables(t *testing.T) string {
	var b strings.Builder
	for _, p := range builtins(t) {
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n", p.Name, p.Title)
		switch {
		case p.MaxTime > 0:
			fmt.Fprintf(&b, "Repeats of %s, %s of measuring at most (apart from waits, and up to 35 s more if a burst is found).\n\n", units.FormatSpan(p.Repeat), units.FormatSpan(p.MaxTime))
		case p.Repeat > 0:
			fmt.Fprintf(&b, "Repeats of %s.\n\n", units.FormatSpan(p.Repeat))
		}
		b.WriteString("| name | pattern | block size | depth | jobs | headline |\n|---|---|---:|---:|---:|---|\n")
		for _, w := range p.Workloads {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %d | %d | %s |\n",
				w.Name, pattern(w), units.FormatBlock(w.BlockSize), w.Depth, w.JobCount(), w.Metric)
		}
	}
	b.WriteString("\n")
	return b.String()
}

// pattern describes access, direction and flush in words.
func pattern(w model.Workload) string {
	s := map[model.Access]string{model.Random: "random", model.Sequential: "sequential"}[w.Access] + " " + string(w.Direction)
	if w.Direction == model.Mixed {
		s += fmt.Sprintf(", %d %% reads", w.ReadPercent)
	}
	if w.Sync != "" {
		s += " + " + w.Sync
	}
	if w.Append {
		s += ", appended"
	}
	if w.OffsetIncrement > 0 {
		s += ", threads " + units.FormatSize(w.OffsetIncrement) + " apart"
	}
	return s
}

func TestExamplesOfProfilesAreRead(t *testing.T) {
	schema := compile(t)
	for _, text := range blocks(t, "yaml") {
		if _, err := spec.ParseProfile("orders.yaml", []byte(text)); err != nil {
			t.Error(err)
		}
		if err := validate(schema, text); err != nil {
			t.Errorf("the schema refuses the example: %v", err)
		}
	}
	for _, text := range blocks(t, "ini") {
		if _, err := spec.ParseJob("orders.fio", []byte(text)); err != nil {
			t.Error(err)
		}
	}
}

func TestShownErrorIsTheRealOne(t *testing.T) {
	example := blocks(t, "yaml")[0]
	broken := strings.Replace(strings.TrimPrefix(example, "# yaml-language-server: $schema=profile.schema.json\n"), "access", "acces", 1)
	_, err := spec.ParseProfile("orders.yaml", []byte(broken))
	if err == nil {
		t.Fatal("the typo is read")
	}
	if shown := blocks(t, "text")[0]; strings.TrimSpace(shown) != err.Error() {
		t.Errorf("the manual shows\n%s\nreal is\n%s", shown, err)
	}
}

func TestSchemaAcceptsTheBuiltins(t *testing.T) {
	schema := compile(t)
	for _, p := range builtins(t) {
		data, err := spec.MarshalProfile(written(t, p))
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(schema, string(data)); err != nil {
			t.Errorf("%s: %v\n%s", p.Name, err, data)
		}
		back, err := spec.ParseProfile(p.Name+".yaml", data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(written(t, p), back); diff != "" {
			t.Errorf("%s comes back changed:\n%s", p.Name, diff)
		}
	}
}

// written returns a profile as a file has it: every field but that of an application's data, by its name.
func written(t *testing.T, p profile.Profile) (file spec.Profile) {
	t.Helper()
	from, to := reflect.ValueOf(p), reflect.ValueOf(&file).Elem()
	if from.NumField() != to.NumField()+1 || p.Data != nil {
		t.Fatal("a profile and a profile's file have not the same fields")
	}
	for i := range to.NumField() {
		to.Field(i).Set(from.FieldByName(to.Type().Field(i).Name))
	}
	return file
}

// The schema and the reader must agree: an editor that accepts a file
// that is then refused is worse than none.
func TestSchemaAndReaderAgree(t *testing.T) {
	schema := compile(t)
	workload := func(changes ...string) string {
		fields := map[string]string{"name": "a", "access": "rand", "direction": "read", "block_size": "4k"}
		var extra []string
		for _, c := range changes {
			key, value, _ := strings.Cut(c, ": ")
			if _, ok := fields[key]; !ok {
				extra = append(extra, key)
			}
			fields[key] = value
		}
		s := "workloads:\n  - name: " + fields["name"] + "\n"
		for _, key := range append([]string{"access", "direction", "block_size"}, extra...) {
			if fields[key] != "none" {
				s += "    " + key + ": " + fields[key] + "\n"
			}
		}
		return s
	}
	for text, want := range map[string]bool{
		workload(): true,
		workload("depth: 64", "jobs: 4", "threads: true"):                            true,
		workload("direction: mixed", "read_percent: 99"):                             true,
		workload("direction: write", "sync: fsync"):                                  true,
		workload("block_size: 4096"):                                                 true,
		workload("block_size: 1.5MiB"):                                               true,
		workload("block_size: 512 B"):                                                true,
		workload("offset_increment: 500M"):                                           true,
		workload("rate_iops: 1", "metric: p99"):                                      true,
		workload("rate_iops: 0.5"):                                                   false,
		workload("rate_iops: 7.6"):                                                   false,
		workload("rate_iops: 2000000000"):                                            false,
		workload("name: 4k"):                                                         true,
		"repeat_time: 1.5s\nramp: 1m30s\nmax_time: 1h\nprecision: 2%\n" + workload(): true,
		"precision: 200%\n" + workload():                                             false,
		"engine: libaio\n" + workload():                                              true,
		"engine: sync\n" + workload():                                                false,
		"repeat_time: 2\n" + workload():                                              false,
		"repeat_time: fast\n" + workload():                                           false,
		"title: x\n":                                                                 false,
		"workloads: []\n":                                                            false,
		"workloads: none\n":                                                          false,
		"colour: blue\n" + workload():                                                false,
		workload("depth: 0"):                                                         false,
		workload("depth: 65537"):                                                     false,
		workload("depth: 1.5"):                                                       false,
		workload("jobs: 0"):                                                          false,
		workload("threads: maybe"):                                                   false,
		workload("access: random"):                                                   false,
		workload("access: none"):                                                     false,
		workload("direction: trim"):                                                  false,
		workload("direction: mixed"):                                                 false,
		workload("direction: mixed", "read_percent: 100"):                            false,
		workload("read_percent: 50"):                                                 false,
		workload("block_size: 4q"):                                                   false,
		workload("block_size: 0"):                                                    false,
		workload("block_size: -4k"):                                                  false,
		workload("sync: always"):                                                     false,
		workload("direction: write", "access: seq", "block_size: 2300", "sync: fdatasync", "append: true"): true,
		workload("direction: write", "access: seq", "append: true"):                                        false,
		workload("direction: write", "sync: fdatasync", "append: true"):                                    false,
		workload("append: true"): false,
		workload("direction: write", "access: seq", "sync: fdatasync", "append: true", "jobs: 2"): false,
		"size: 1GiB\ngoals:\n  - a read p99 < 10ms\n  - a iops > 60k\n" + workload():              true,
		"goals:\n  - a is fast\n" + workload():                                                    false,
		workload("rate_iops: 0"):                                                                  false,
		workload("rate_bandwidth: 23244k"):                                                        true,
		workload("rate_bandwidth: fast"):                                                          false,
		workload("metric: speed"):                                                                 false,
		workload("name: A b"):                                                                     false,
		workload("deptj: 3"):                                                                      false,
	} {
		_, errReader := spec.ParseProfile("own.yaml", []byte(text))
		errSchema := validate(schema, text)
		if (errReader == nil) != want || (errSchema == nil) != want {
			t.Errorf("%s\nwanted accepted: %v\nreader: %v\nschema: %v", text, want, errReader, errSchema)
		}
	}
}

func builtins(t *testing.T) []profile.Profile {
	t.Helper()
	var list []profile.Profile
	for _, name := range profile.Names() {
		p, err := profile.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// blocks returns the fenced code of a language in profiles.md, at least one.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	var list []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(read(t, "profiles.md"), -1) {
		list = append(list, m[1])
	}
	if len(list) == 0 {
		t.Fatalf("profiles.md shows no %s", language)
	}
	return list
}

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("profile.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(s *jsonschema.Schema, text string) error {
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		return err
	}
	return s.Validate(value)
}
