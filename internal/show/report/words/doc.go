// Package words holds the phrases that all renderers share: what was measured and
// where, how a run went, how wide an interval is, which findings are worth a note.
// Its opinion: one thing is called the same in every format, and what is worth
// saying is decided once; how it looks is for the renderers. Phrases are plain
// text; whatever they hold of a user's words is not escaped.
package words
