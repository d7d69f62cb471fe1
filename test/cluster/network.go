package cluster

import "fmt"

// makeBridge makes the bridge, with this machine at net.1.
func makeBridge() error {
	for _, args := range [][]string{
		{"link", "add", bridge, "type", "bridge"},
		{"addr", "add", net + "1/24", "dev", bridge},
		{"link", "set", bridge, "up"},
	} {
		if err := run("ip", args...); err != nil {
			return err
		}
	}
	return nil
}

// join makes a network namespace that is a host of the bridge.
func join(name, address string) error {
	space, veth := namespaceOf(name), "ll-"+name
	for _, args := range [][]string{
		{"netns", "add", space},
		{"link", "add", veth, "type", "veth", "peer", "name", "eth0", "netns", space},
		{"link", "set", veth, "master", bridge, "up"},
		{"-n", space, "link", "set", "lo", "up"},
		{"-n", space, "addr", "add", address + "/24", "dev", "eth0"},
		{"-n", space, "link", "set", "eth0", "up"},
		{"-n", space, "route", "add", "default", "via", net + "1"},
	} {
		if err := run("ip", args...); err != nil {
			return err
		}
	}
	return nil
}

// leave removes a namespace of the bridge; it is not an error if it is already gone.
func leave(name string) {
	_ = run("ip", "link", "del", "ll-"+name)
	_ = run("ip", "netns", "del", namespaceOf(name))
}

// inNetwork returns the command that runs a program in a namespace of the bridge.
func inNetwork(name string, command ...string) []string {
	return append([]string{"nsenter", "--net=/run/netns/" + namespaceOf(name)}, command...)
}

// podsOf returns the address range of a node's pods.
func podsOf(n int) string { return fmt.Sprintf("%s%d.0/24", podNet, n) }
