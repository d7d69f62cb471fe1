package session

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/observe"
)

// driver names this process, so that cleanup can tell whether it is still alive: its host and process ID
// for people, followed by a name that no other process ever has.
func driver() string {
	return fmt.Sprintf("%s/%d/%s", hostname(), os.Getpid(), observe.Process(os.Getpid()))
}

func hostname() string {
	return cmp.Or(env.Hostname(), "unknown")
}

// splitDriver splits "host/123/name".
func splitDriver(s string) (host string, pid int, name string) {
	host, rest, _ := strings.Cut(s, "/")
	number, name, _ := strings.Cut(rest, "/")
	pid, _ = strconv.Atoi(number)
	return host, pid, name
}

// life is what is known about a process.
type life int

const (
	// unknown is a process on another machine, or one that is not visible here.
	unknown life = iota
	alive
	dead
)

// lifeOf reports whether a driver is alive. Host names and process IDs are reused, so only one that was
// started on this machine since it booted can be known to be dead.
func lifeOf(driver string) life {
	_, pid, name := splitDriver(driver)
	here := observe.Process(os.Getpid())
	if name == "" || here == "" || observe.Place(name) != observe.Place(here) || pid <= 0 {
		return unknown
	}
	// Signal 0 checks whether a process has this ID.
	if err := unix.Kill(pid, 0); err != nil && err != unix.EPERM {
		return dead
	}
	if now := observe.Process(pid); now != "" && now != name {
		return dead
	}
	return alive
}
