// Command loadline measures how much I/O a storage system can sustain, and says whether the number can
// be trusted.
package main

import (
	"os"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
)

func main() {
	os.Exit(cli.Run(env.UntilInterrupted(), env.OS()))
}
