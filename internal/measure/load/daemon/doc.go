// Package daemon starts programs that live for one measurement, servers and their load generators:
// as an unprivileged user, in their own process group, and killed when Loadline ends.
//
// Its assumptions: nothing that is started may outlive us, however we end, so each program leads a group, which is
// killed with it, and on Linux the kernel ends it with the thread that started it; a directory above its own may belong to
// somebody else, so where a program really is, is checked; what it inherits decides nothing, so its language and the
// variables that it would take for settings are not passed on; and it may print without end, so only the end is kept.
package daemon
