package reporttest

import "reflect"

// Everywhere puts text into every string of a document, in maps also as a key; into strings of
// named types (a metric, a status), by which renderers select, only with all. An empty list of
// strings gets one element.
func Everywhere(document any, text string, all bool) {
	fill(reflect.ValueOf(document), text, all)
}

func fill(v reflect.Value, text string, all bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if v.Kind() == reflect.Interface {
			inner := reflect.New(v.Elem().Type()).Elem()
			inner.Set(v.Elem())
			fill(inner, text, all)
			v.Set(inner)
			return
		}
		fill(v.Elem(), text, all)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), text, all)
			}
		}
	case reflect.Slice:
		if v.Len() == 0 && v.Type().Elem() == reflect.TypeFor[string]() {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			fill(v.Index(i), text, all)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), text, all)
		}
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return
		}
		for it := v.MapRange(); it.Next(); {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(it.Value())
			fill(value, text, all)
			v.SetMapIndex(it.Key(), value)
		}
		if v.Type().Elem().Kind() == reflect.String && !v.IsNil() {
			v.SetMapIndex(reflect.ValueOf(text).Convert(v.Type().Key()), reflect.ValueOf(text).Convert(v.Type().Elem()))
		}
	case reflect.String:
		if v.CanSet() && (all || v.Type() == reflect.TypeFor[string]()) {
			v.SetString(text)
		}
	}
}
