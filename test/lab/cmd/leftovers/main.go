// Command leftovers undoes what tests have left on this machine whose whole session was killed: mounts, loop
// devices, servers, files. Devices of tests that still run stay.
package main

import (
	"fmt"
	"os"

	"github.com/loadline/loadline/test/lab/journal"
)

func main() {
	found, err := journal.Leftovers()
	if found > 0 {
		fmt.Printf("undone: what %d killed test processes had left\n", found)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "leftovers:", err)
		os.Exit(1)
	}
}
