// Package format knows the forms that reports are written in, by name and by the extension
// of a file. Its opinion: a form that cannot hold what was named refuses it and names one
// that can, rather than leave something out; and what was written as a report is known by
// its first bytes, because only a report may be replaced by another.
package format
