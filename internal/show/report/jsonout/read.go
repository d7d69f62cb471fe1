package jsonout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/jsonlimit"
)

// Document is a decoded JSON document: exactly one field is set.
type Document struct {
	Report     *model.Report
	Comparison *model.Comparison
	Durability *model.Durability
	Trace      *iotrace.Report
}

// Read reads a document that Write, WriteComparison, WriteDurability or WriteTrace wrote. A null in place of a
// number becomes NaN again: it never becomes zero.
func Read(data []byte) (Document, error) {
	if err := jsonlimit.Check(data); err != nil {
		return Document{}, err
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Document{}, whatIsWrong(data, err)
	}
	var doc Document
	var into any
	switch head.Schema {
	case model.ReportSchema:
		doc.Report = &model.Report{}
		into = doc.Report
	case model.ComparisonSchema:
		doc.Comparison = &model.Comparison{}
		into = doc.Comparison
	case model.DurabilitySchema:
		doc.Durability = &model.Durability{}
		into = doc.Durability
	case iotrace.Schema:
		doc.Trace = &iotrace.Report{}
		into = doc.Trace
	case "":
		return doc, errors.New(`it is JSON, but has no "schema"`)
	default:
		return doc, fmt.Errorf("its schema is %q; known are %s", head.Schema,
			strings.Join([]string{model.ReportSchema, model.ComparisonSchema, model.DurabilitySchema, iotrace.Schema}, ", "))
	}
	if err := json.Unmarshal(data, into); err != nil {
		return Document{}, whatIsWrong(data, err)
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return Document{}, whatIsWrong(data, err)
	}
	restore(reflect.ValueOf(into).Elem(), tree)
	return doc, nil
}

// whatIsWrong adds the line number to an error of encoding/json.
func whatIsWrong(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d is not JSON: %w", lineAt(data, syntax.Offset), err)
	case errors.As(err, &kind):
		return fmt.Errorf("line %d: %q is a %s, which it must not be", lineAt(data, kind.Offset), kind.Field, kind.Value)
	}
	return err
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int64(len(data)), offset)], []byte("\n"))
}

// restore sets NaN where the document has null for a number.
func restore(v reflect.Value, tree any) {
	switch v.Kind() {
	case reflect.Float64:
		if tree == nil && v.CanSet() {
			v.SetFloat(math.NaN())
		}
	case reflect.Pointer:
		if !v.IsNil() {
			restore(v.Elem(), tree)
		}
	case reflect.Struct:
		fields, ok := tree.(map[string]any)
		if !ok {
			return
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous && name == "" {
				restore(v.Field(i), tree)
			} else if sub, there := fields[name]; there && f.IsExported() {
				restore(v.Field(i), sub)
			}
		}
	case reflect.Slice:
		if list, ok := tree.([]any); ok {
			for i := range min(v.Len(), len(list)) {
				restore(v.Index(i), list[i])
			}
		}
	case reflect.Map:
		fields, ok := tree.(map[string]any)
		if !ok || v.Type().Key().Kind() != reflect.String || v.Type().Elem().Kind() == reflect.Interface {
			return
		}
		for it := v.MapRange(); it.Next(); {
			entry := reflect.New(v.Type().Elem()).Elem()
			entry.Set(it.Value())
			restore(entry, fields[it.Key().String()])
			v.SetMapIndex(it.Key(), entry)
		}
	}
}
