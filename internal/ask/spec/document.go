package spec

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/model/units"
)

// maxFile is far beyond the size, in bytes, of any file written by hand.
const maxFile = 1 << 20

// document is a file being read. It keeps the first error, so that callers need not check after every
// field.
type document struct {
	file  string
	lines []string
	err   error
}

// open parses a YAML file that consists of one mapping, and returns the document and the mapping; the
// document holds the error, if there is one.
func open(file string, data []byte) (*document, ast.Node) { return openUpTo(maxFile, file, data) }

// openUpTo is open with a given maximum file size in bytes.
func openUpTo(most int, file string, data []byte) (*document, ast.Node) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	d := &document{file: file, lines: strings.Split(text, "\n")}
	switch {
	case len(text) > most:
		d.err = tooLarge(file, most)
		return d, nil
	case !utf8.ValidString(text):
		d.err = model.RefusedError(file+" is not UTF-8 text", "")
		return d, nil
	}
	parsed, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		var e yaml.Error
		if errors.As(err, &e) && e.GetToken() != nil {
			d.fail(e.GetToken(), "", "%s", e.GetMessage())
		} else {
			d.err = model.RefusedError(fmt.Sprintf("%s is not YAML: %v", file, err), "")
		}
		return d, nil
	}
	var bodies []ast.Node
	for _, doc := range parsed.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		d.err = model.RefusedError(file+" is empty", "")
		return d, nil
	case 1:
		return d, bodies[0]
	}
	d.fail(bodies[1].GetToken(), "", "a second document begins here; a file holds one")
	return d, nil
}

// tooLarge refuses a file of more bytes than are read.
func tooLarge(file string, most int) error {
	return model.RefusedError(fmt.Sprintf("%s is larger than the limit of %s", file, units.FormatSize(int64(most))), "")
}

// fail records an error at the token's position unless there already is one.
func (d *document) fail(at *token.Token, hint, format string, args ...any) {
	if d.err != nil {
		return
	}
	line, column := 1, 1
	if at != nil && at.Position != nil {
		line, column = at.Position.Line, at.Position.Column
	}
	d.err = pointedError(d.file, d.lines, line, column, hint, fmt.Sprintf(format, args...))
}

// pointedError formats "file:line:column: message" with the line and a caret below the position. Lines
// and columns count from 1, columns in characters; a column of 0 means the whole line.
func pointedError(file string, lines []string, line, column int, hint, message string) error {
	place := fmt.Sprintf("%s:%d", file, line)
	if column > 0 {
		place += fmt.Sprintf(":%d", column)
	}
	message = place + ": " + message
	if line >= 1 && line <= len(lines) {
		number := fmt.Sprintf("%4d | ", line)
		message += "\n" + number + lines[line-1]
		if column > 0 {
			message += "\n" + strings.Repeat(" ", len(number)-2) + "| " + pad(lines[line-1], column-1) + "^"
		}
	}
	return model.RefusedError(message, hint)
}

// pad returns blanks as wide as the first n characters of the line: tabs are kept.
func pad(line string, n int) string {
	var b strings.Builder
	for _, r := range line {
		if n--; n < 0 {
			break
		}
		if r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteByte(' ')
		}
	}
	for ; n > 0; n-- {
		b.WriteByte(' ')
	}
	return b.String()
}

// unknown returns the message for a word that is not in the list.
func unknown(what, word string, list []string) (message, hint string) {
	message = fmt.Sprintf("unknown %s %q", what, word) + suggest.Question(word, list)
	return message, "known: " + strings.Join(list, ", ")
}
