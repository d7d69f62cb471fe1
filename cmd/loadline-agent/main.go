// Command loadline-agent is the worker in a pod: what "loadline agent" does, without
// the rest of that program. People do not type it.
package main

import (
	"os"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/worker"
)

func main() {
	os.Exit(worker.Main(env.UntilInterrupted(), env.OS()))
}
