// Command leftovers undoes what tests have left on this machine that were killed with all they had started: mounts, loop
// devices, servers, files. Devices of tests that still run stay.
package main

import (
	"fmt"
	"os"

	"github.com/loadline/loadline/test/lab/journal"
)

func main() {
	found, err := journal.Leftovers()
	if found > 0 && err == nil {
		fmt.Printf("cleaned up after %d killed test process(es)\n", found)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "leftovers:", err)
		os.Exit(1)
	}
}
