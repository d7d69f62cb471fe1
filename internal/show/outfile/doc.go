// Package outfile writes a report to a file that the user named. Its assumptions: a name is easily
// mistyped, so a file is replaced only if it is a report, and then as a whole by one rename; files
// of a saved run are kept, a link stays a link, and nothing is ever written to a device that does
// more than display or discard text.
package outfile
