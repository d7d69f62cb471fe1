package truth

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
)

// TestMain lets this binary act as the processes that loadline starts of itself: when loadline
// looks for its own program, it finds this one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "durability-writer" || os.Args[1] == "durability" || os.Args[1] == "trace" || os.Args[1] == "analyze") {
		os.Exit(cli.Run(context.Background(), env.OS()))
	}
	// The scheduler decides how many parallel tests run at once. -parallel must not limit
	// that, because it also counts tests that wait for their slots.
	flag.Parse()
	if err := flag.Set("test.parallel", "1000"); err != nil {
		panic(err)
	}
	if *rounds > 1 {
		// Faults of one kind then start together, and therefore also cause the most load together.
		capacity[shared] = 8
	}
	code := m.Run()
	if *rounds > 1 {
		detections.print()
	}
	os.Exit(code)
}
