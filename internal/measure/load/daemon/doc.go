// Package daemon starts programs that live for one measurement, servers and what loads them: as
// somebody who is not root, in a group of their own, and gone when we are.
package daemon
