package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/doctor"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// Several concurrent examinations of one directory do not hinder each other, and leave
// nothing there.
func TestDoctorsSideBySide(t *testing.T) {
	dir := t.TempDir()
	codes, said := make([]int, 4), make([]bytes.Buffer, 4)
	var all sync.WaitGroup
	for i := range codes {
		e := env.OS()
		e.Args, e.Stdin, e.Stdout, e.Stderr = []string{"doctor", dir}, strings.NewReader(""), &said[i], &said[i]
		all.Go(func() { codes[i] = Run(context.Background(), e) })
	}
	all.Wait()
	for i, code := range codes {
		// On a machine without fio all of them fail, for that reason.
		if says := said[i].String(); strings.Contains(says, "exists already") || code != codes[0] {
			t.Errorf("exit code %d\n%s", code, says)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The JSON that doctor prints fits its schema, both for this machine, whatever it lacks, and
// for one on which everything is possible.
func TestDoctorsDocumentFitsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/doctor.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	fits := func(document string) {
		t.Helper()
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, document)
		}
	}
	var stdout, stderr bytes.Buffer
	e := env.OS()
	dir := t.TempDir()
	e.Args, e.Stdin, e.Stdout, e.Stderr = []string{"doctor", "--json", dir}, strings.NewReader(""), &stdout, &stderr
	code := Run(context.Background(), e)
	fits(stdout.String())
	var found struct {
		Target, Outcome string
		Checks          []struct{ Name, Outcome string }
	}
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	if found.Target != dir || (found.Outcome == "failed") != (code == exitFailed) || len(found.Checks) < 4 {
		t.Errorf("exit code %d\n%s%s", code, stdout.String(), stderr.String())
	}

	var b bytes.Buffer
	all := &doctor.Examination{Schema: doctor.Schema, Host: "h", Target: ".", Outcome: doctor.Bad, Checks: []doctor.Check{
		{Name: "a", Says: "fine"}, {Mark: doctor.Fair, Name: "b", Says: "less", Fix: "do"}, {Mark: doctor.Bad, Name: "c", Says: steering, Fix: "do"}}}
	if err := jsonout.WriteDocument(&b, all); err != nil {
		t.Fatal(err)
	}
	fits(b.String())
	for _, want := range []string{`"outcome": "passed"`, `"outcome": "warning"`, `"outcome": "failed"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing:\n%s", want, b.String())
		}
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e") {
		t.Errorf("%q", b.String())
	}
}
