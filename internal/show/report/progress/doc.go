// Package progress reports the progress of a measurement to a program: one JSON object per line, on
// the stream that people otherwise read. Its assumptions: a program must never have to distinguish two
// kinds of lines, so in this form everything on the stream is an event, including messages for
// people; names are stable, units are base units, and unknown values are absent.
// docs/progress.schema.json defines the events.
package progress
