package jsonout

import (
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/loadline/loadline/internal/model/safetext"
)

// Visible returns the same document with every character escaped that a terminal would interpret or
// that is invisible: encoding/json leaves DEL and those beyond ASCII unchanged. Such characters
// occur only in strings, so the document's meaning is unchanged.
func Visible(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for i := 0; i < len(doc); {
		if c := doc[i]; c < utf8.RuneSelf && c != 0x7f {
			out = append(out, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(doc[i:])
		switch {
		case r > 0xffff && safetext.Invisible(r):
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		case unicode.IsControl(r) || safetext.Invisible(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, doc[i:i+n]...)
		}
		i += n
	}
	return out
}
