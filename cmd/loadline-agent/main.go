// Command loadline-agent is the worker in a pod: the same as "loadline agent", without the rest of that
// program. It is not meant to be run by hand.
package main

import (
	"os"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/worker"
)

func main() {
	os.Exit(worker.Main(env.UntilInterrupted(), env.OS()))
}
