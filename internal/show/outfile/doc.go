// Package outfile writes a report into a file that the user named. Its opinion: a name is
// easily mistyped, so a file is replaced only when it is a report, whole and by one rename;
// what belongs to a saved run stays, a link stays a link, and nothing is ever written into
// a device that does more than show or drop a text.
package outfile
