// Package daemon starts programs that live for one measurement, servers and their load generators:
// as an unprivileged user, in their own process group, and killed when Loadline ends.
package daemon
