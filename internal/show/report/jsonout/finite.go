package jsonout

import (
	"math"
	"reflect"
	"strconv"
)

// sentinel stands for a number that is not finite during encoding, because encoding/json would
// refuse such a number. No measurement is the most negative number.
const sentinel = -math.MaxFloat64

// finite returns a copy of v in which every number that is not finite is the sentinel, and every
// nil list or map is an empty one. It handles only float64: the model has no other floating-point
// type.
func finite(v any) any {
	return scrub(reflect.ValueOf(v)).Interface()
}

func scrub(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return reflect.ValueOf(sentinel).Convert(v.Type())
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			inner := scrub(v.Elem())
			if v.Kind() == reflect.Interface {
				c := reflect.New(v.Type()).Elem()
				c.Set(inner)
				return c
			}
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(inner)
			return c
		}
	case reflect.Struct:
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				c.Field(i).Set(scrub(v.Field(i)))
			}
		}
		return c
	case reflect.Slice:
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(scrub(v.Index(i)))
		}
		return c
	case reflect.Map:
		c := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			c.SetMapIndex(it.Key(), scrub(it.Value()))
		}
		return c
	}
	return v
}

// nullSentinels replaces the sentinel by null in an encoded document, except inside strings.
func nullSentinels(doc []byte) []byte {
	word := []byte(strconv.FormatFloat(sentinel, 'e', -1, 64))
	out := make([]byte, 0, len(doc))
	inString := false
	for i := 0; i < len(doc); i++ {
		c := doc[i]
		switch {
		case inString && c == '\\':
			out = append(out, c, doc[i+1])
			i++
			continue
		case c == '"':
			inString = !inString
		case !inString && c == '-' && len(doc)-i >= len(word) && string(doc[i:i+len(word)]) == string(word):
			out = append(out, "null"...)
			i += len(word) - 1
			continue
		}
		out = append(out, c)
	}
	return out
}
