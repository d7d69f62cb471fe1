package truth

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
)

// TestMain lets this binary be the processes that loadline starts of itself: as it
// looks for its own program, it finds this one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "durability-writer" || os.Args[1] == "durability" || os.Args[1] == "trace" || os.Args[1] == "analyze") {
		os.Exit(cli.Run(context.Background(), env.OS()))
	}
	// How many parallel tests run at once is for their scheduler to say, and -parallel has
	// no say in it: a test that waits for its slots counts among those.
	flag.Parse()
	if err := flag.Set("test.parallel", "1000"); err != nil {
		panic(err)
	}
	if *rounds > 1 {
		// Faults of one kind begin together then, and so are at their heaviest together.
		capacity[shared] = 8
	}
	code := m.Run()
	if *rounds > 1 {
		detections.print()
	}
	os.Exit(code)
}
