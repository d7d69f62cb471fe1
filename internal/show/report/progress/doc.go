// Package progress tells a program how a measurement goes on: one JSON object a line, on the
// stream that people otherwise read. Its opinion: a program must never have to tell lines of
// two kinds apart, so in this form everything on the stream is an event, what was meant for
// people too; names are stable, units are base units, and what is not known is absent.
// docs/progress.schema.json says what the events are.
package progress
