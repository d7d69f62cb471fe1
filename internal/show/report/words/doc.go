// Package words contains the phrases that all renderers share: what was measured and where, how a
// run went, how wide an interval is, which findings are worth a note. Its assumptions: a thing has the
// same name in every format, and what is worth mentioning is decided once; the layout is up to the
// renderers. Phrases are plain text; any user text in them is not escaped.
package words
