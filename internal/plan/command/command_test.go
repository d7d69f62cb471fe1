package command

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Every field of an experiment changes the command that describes it: one that did not would be lost when a run is
// repeated, and accepted in a file by commands that do not use it.
func TestEveryFieldIsInTheCommand(t *testing.T) {
	plain := func() model.Experiment {
		return model.Experiment{Scenario: profile.Name, Target: "/data", Profile: profile.Default, Scale: &model.ScaleRequest{}, Sweep: &model.SweepRequest{}}
	}
	// The contents of files belong to the files that are named, and consent is given anew each time.
	elsewhere := []string{"ProfileText", "JobText", "DestroyDataOn", "App"}
	fields := 0
	var walk func(at func(*model.Experiment) reflect.Value, path string)
	walk = func(at func(*model.Experiment) reflect.Value, path string) {
		exp := plain()
		v := at(&exp)
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			inner := at
			at = func(e *model.Experiment) reflect.Value { return inner(e).Elem() }
			v = v.Elem()
		}
		if v.Kind() == reflect.Struct && path != "Cap" {
			for i := range v.NumField() {
				name := v.Type().Field(i).Name
				if path != "" {
					name = path + "." + name
				}
				outer := at
				walk(func(e *model.Experiment) reflect.Value { return outer(e).Field(i) }, name)
			}
			return
		}
		if slices.Contains(elsewhere, path) {
			return
		}
		fields++
		if !fill(v) {
			t.Errorf("%s is a %s, which this test cannot set", path, v.Type())
		}
		without := plain()
		if path == "Baseline" {
			exp.Scenario, without.Scenario = model.OnBaseline, model.OnBaseline
		}
		if slices.Equal(Of(exp, nil, nil), Of(without, nil, nil)) {
			t.Errorf("%s = %v changes nothing in the command", path, v)
		}
	}
	walk(func(e *model.Experiment) reflect.Value { return reflect.ValueOf(e).Elem() }, "")
	if fields < 45 {
		t.Errorf("only %d fields were looked at", fields)
	}
}

// Each flag that puts workers where an experiment has them says where to measure, so another command for the same place keeps
// it, and a repeated experiment accepts it.
func TestThePlacementOfAnExperimentIsThatOfFlags(t *testing.T) {
	var p model.Placement
	v := reflect.ValueOf(&p).Elem()
	for i := range v.NumField() {
		if !fill(v.Field(i)) {
			t.Fatalf("%s cannot be set", v.Type().Field(i).Name)
		}
	}
	words := placementOptions(p)
	if len(words) != v.NumField() {
		t.Errorf("%d fields in %d flags", v.NumField(), len(words))
	}
	for _, word := range words {
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if !flagtable.Is(name, flagtable.Placement|flagtable.WithExperiment) {
			t.Errorf("--%s is not marked as one that says where to measure, beside an experiment as well", name)
		}
	}
}

// fill sets a field to something that it usually is not.
func fill(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		v.SetString("scale")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(7)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if !fill(key) || !fill(value) {
			return false
		}
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		return v.NumField() > 0 && fill(v.Field(0))
	default:
		return false
	}
	return true
}
