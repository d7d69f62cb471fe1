package spec

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/loadline/loadline/internal/model/units"
)

// object is a mapping whose fields are read by name. The methods that read a field return its zero
// value if it is absent or invalid; an error is recorded in the document.
type object struct {
	doc    *document
	at     *token.Token
	values map[string]ast.Node
	keys   map[string]*token.Token
}

// object returns a mapping that may have the given fields and no others.
func (d *document) object(node ast.Node, what string, fields []string) *object {
	return d.objectWith(node, what, fields, nil)
}

// objectWith is object with additional fields that hints do not mention.
func (d *document) objectWith(node ast.Node, what string, fields, more []string) *object {
	o := &object{doc: d, values: map[string]ast.Node{}, keys: map[string]*token.Token{}}
	if d.err != nil || node == nil {
		return o
	}
	o.at = node.GetToken()
	var pairs []*ast.MappingValueNode
	switch n := node.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		d.failNoFields(o.at, what, fields)
		return o
	}
	for i, pair := range pairs {
		key := pair.Key.GetToken()
		if i == 0 {
			o.at = key
		}
		name := key.Value
		if !slices.Contains(fields, name) && !slices.Contains(more, name) {
			message, hint := unknown("field", name, fields)
			d.fail(key, hint, "%s", message)
		}
		if o.keys[name] != nil {
			d.fail(key, "", "the field %q is given twice", name)
		}
		o.values[name], o.keys[name] = pair.Value, key
	}
	return o
}

// failNoFields records that something else is where fields should be.
func (d *document) failNoFields(at *token.Token, what string, fields []string) {
	d.fail(at, "fields: "+strings.Join(fields, ", "), "%s is written as fields with values, such as %q", what, fields[0]+": …")
}

// object returns a field's mapping, as that of a document.
func (o *object) object(field, what string, fields []string) *object {
	return o.objectWith(field, what, fields, nil)
}

// objectWith is object with additional fields that hints do not mention.
func (o *object) objectWith(field, what string, fields, more []string) *object {
	node := o.values[field]
	if node != nil && node.Type() == ast.NullType {
		// What is not written has no position: the field's name has one.
		o.doc.failNoFields(o.keys[field], what, fields)
		node = nil
	}
	return o.doc.objectWith(node, what, fields, more)
}

// has reports whether the field is present.
func (o *object) has(field string) bool { return o.keys[field] != nil }

// require records an error if the field is missing.
func (o *object) require(field, hint string) {
	if !o.has(field) {
		o.doc.fail(o.at, hint, "the field %q is missing", field)
	}
}

// fail records an error at the field's value.
func (o *object) fail(field, hint, format string, args ...any) {
	at := o.keys[field]
	if v := o.values[field]; v != nil && v.Type() != ast.NullType && v.GetToken() != nil {
		at = v.GetToken()
	}
	o.doc.fail(at, hint, format, args...)
}

// text returns a field's value as written.
func (o *object) text(field string) string {
	node := o.values[field]
	if node == nil {
		return ""
	}
	s, ok := scalar(node)
	switch {
	case node.Type() == ast.NullType:
		o.fail(field, "", "the field %q has no value", field)
	case node.Type() == ast.AliasType || node.Type() == ast.AnchorType || node.Type() == ast.TagType:
		o.fail(field, "write the value itself", "anchors, aliases and tags are not read here")
	case !ok:
		o.fail(field, "", "the field %q takes one value", field)
	}
	return s
}

// scalar returns the text of a plain, quoted or block value.
func scalar(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// list returns the items of a field that holds a list.
func (o *object) list(field string) []ast.Node {
	node := o.values[field]
	if node == nil {
		return nil
	}
	s, ok := node.(*ast.SequenceNode)
	if !ok {
		o.fail(field, "", "the field %q takes a list: lines that begin with a dash", field)
		return nil
	}
	return s.Values
}

// texts returns a list of plain values.
func (o *object) texts(field string) []string {
	var out []string
	for _, item := range o.list(field) {
		s, ok := scalar(item)
		if !ok {
			o.doc.fail(item.GetToken(), "", "the field %q takes a list of names", field)
		}
		out = append(out, s)
	}
	return out
}

// words returns a list of words, each of which must be known.
func (o *object) words(field string, known []string) []string {
	list := o.texts(field)
	for i, word := range list {
		if !slices.Contains(known, word) {
			message, hint := unknown("value of "+field, word, known)
			o.doc.fail(o.list(field)[i].GetToken(), hint, "%s", message)
		}
	}
	return list
}

// oneOf returns a field's value, which must be one of the words.
func (o *object) oneOf(field string, words ...string) string {
	s := o.text(field)
	if o.has(field) && !slices.Contains(words, s) {
		message, hint := unknown("value of "+field, s, words)
		o.fail(field, hint, "%s", message)
	}
	return s
}

// whole returns a whole number within [low, high].
func (o *object) whole(field string, low, high int64) int64 {
	s := o.text(field)
	if !o.has(field) {
		return 0
	}
	n, err := units.ParseWhole(s)
	if err != nil || n < low || n > high {
		o.fail(field, plainHint(err), "%s is %q, but must be a whole number from %d to %d", field, s, low, high)
		return 0
	}
	return n
}

// plainHint says how to write a number that YAML's versions read in different ways: 010 is eight, or ten.
func plainHint(err error) string {
	if errors.Is(err, units.ErrNotPlain) {
		return err.Error()
	}
	return ""
}

// number returns a positive number.
func (o *object) number(field string) float64 {
	s := o.text(field)
	if !o.has(field) {
		return 0
	}
	v, err := units.ParseDecimal(s)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		o.fail(field, plainHint(err), "%s is %q, but must be a positive number", field, s)
		return 0
	}
	return v
}

// wholeRate returns a limit in I/Os per second, which fio can keep to only if it is a whole number.
func (o *object) wholeRate(field string) float64 {
	v := o.number(field)
	if instead, ok := units.WholeRate(v); !ok {
		o.fail(field, fmt.Sprintf("write %s: %s", field, instead), "%s is %q, but must be "+units.WholeRates+", because fio keeps to no other rate", field, o.text(field))
		return 0
	}
	return v
}

// truth returns true or false.
func (o *object) truth(field string) bool {
	return o.oneOf(field, "true", "false") == "true"
}

// size returns a positive number of bytes written as "8k", "20GiB" or bytes.
func (o *object) size(field string) int64 {
	s := o.text(field)
	if !o.has(field) {
		return 0
	}
	n, err := units.ParseSize(s)
	switch {
	case err != nil:
		o.fail(field, "", "%s: %v", field, err)
	case n <= 0:
		o.fail(field, "", "%s is %q, but must be larger than 0", field, s)
	}
	return n
}

// seconds returns a positive time written as "3s", "500ms" or "5m".
func (o *object) seconds(field string) float64 {
	s := o.text(field)
	if !o.has(field) {
		return 0
	}
	const like = "write it like 3s, 500ms or 5m"
	v, err := parseSeconds(s)
	if err != nil {
		hint := like
		if errors.Is(err, units.ErrNotPlain) {
			hint = err.Error()
		} else if n, err := units.ParseDecimal(s); err == nil && n > 0 && n <= units.LongestTime {
			hint = fmt.Sprintf("%s of what? write %ss for seconds", s, s)
		}
		o.fail(field, hint, "%s is %q, which is not a time", field, s)
		return 0
	}
	if v <= 0 {
		o.fail(field, like, "%s is %q, but must be longer than 0", field, s)
	}
	if v > units.LongestTime {
		o.fail(field, fmt.Sprintf("write at most %dh", units.LongestTime/3600), "%s is %q, but may be a year at most", field, s)
	}
	return v
}

// checkRepeat refuses a repeat, in seconds, that is too short for a single sample; 0 means none was given.
func (o *object) checkRepeat(field string, seconds float64) {
	if seconds > 0 && seconds < units.LeastRepeat {
		o.fail(field, "write 1s or more", "%s is shorter than the one second that a sample takes", field)
	}
}

// parseSeconds parses a duration in Go's notation as seconds. A plain number of seconds is not
// converted to whole nanoseconds, so that the output of formatSeconds round-trips bit by bit.
func parseSeconds(s string) (float64, error) {
	if digits, ok := strings.CutSuffix(s, "s"); ok && strings.Trim(digits, "0123456789.e-+") == "" {
		return units.ParseDecimal(digits)
	}
	d, err := time.ParseDuration(s)
	return d.Seconds(), cmp.Or(units.CheckLead(s), err)
}
