// Package term knows what a terminal can show: the width of a string in columns, the ASCII fallback
// of a glyph, a few colours. Its assumptions: text from outside (a path, a tool's error) is cleaned
// before it is shown, so that it can neither break the layout nor move the cursor, and the stream
// blocks text that was not cleaned; colour only repeats what a word or a mark already says.
package term

import (
	"strings"
	"unicode"

	"github.com/loadline/loadline/internal/model/safetext"
)

// Style describes what a stream can show.
type Style struct {
	// Color allows SGR colours, Unicode allows characters beyond ASCII.
	Color, Unicode bool
}

// ascii contains the replacements that keep their meaning. All other characters beyond ASCII become
// question marks.
var ascii = strings.NewReplacer(
	"µ", "u", "μ", "u", "±", "+-", "×", "x", "–", "-", "—", "-", "−", "-", "…", "...", "·", ".",
	"≥", ">=", "≤", "<=", "≈", "~", "≠", "!=", "→", "->", "’", "'", "‘", "'", "“", "\"", "”", "\"", "\u00a0", " ",
	"✓", "ok", "✗", "X",
)

// Text makes a string safe to show on one line (see safetext.Clean), and without Unicode converts
// every character to ASCII.
func (s Style) Text(text string) string {
	text = safetext.Clean(text)
	if s.Unicode {
		return text
	}
	text = ascii.Replace(text)
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return '?'
		}
		return r
	}, text)
}

// Paint is a way of displaying text.
type Paint string

// The paints: SGR parameters (ECMA-48 §8.3.117). Crossed is dim and crossed out,
// for numbers that must not be used.
const (
	Plain   Paint = ""
	Dim     Paint = "2"
	Bold    Paint = "1"
	Red     Paint = "31"
	Green   Paint = "32"
	Yellow  Paint = "33"
	Cyan    Paint = "36"
	Magenta Paint = "35"
	Crossed Paint = "2;9"
)

// paints are all paints.
var paints = []Paint{Dim, Bold, Red, Green, Yellow, Cyan, Magenta, Crossed}

// Paint colours text if the stream supports colours.
func (s Style) Paint(p Paint, text string) string {
	if !s.Color || p == Plain || text == "" {
		return text
	}
	return p.begin() + text + endPaint
}

func (p Paint) begin() string { return "\x1b[" + string(p) + "m" }

const endPaint = "\x1b[0m"

// superscripts maps digits to those of footnote numbers.
var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// Footnote turns a decimal number into a footnote mark: "¹²", or "[12]".
func (s Style) Footnote(number string) string {
	if s.Unicode {
		return superscripts.Replace(number)
	}
	return "[" + number + "]"
}
