// Package format knows the formats of reports, by name and by file extension. Its assumptions: a format
// that cannot represent what was named refuses it and suggests one that can, rather than leave
// something out; and a report is recognised by its first bytes, because only a report may be
// replaced by another.
package format
