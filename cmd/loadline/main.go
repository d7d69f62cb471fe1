// Command loadline measures how much I/O a storage system can carry, and says
// whether the number can be believed.
package main

import (
	"os"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
)

func main() {
	os.Exit(cli.Run(env.UntilInterrupted(), env.OS()))
}
