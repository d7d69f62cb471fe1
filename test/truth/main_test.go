package truth

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
)

// sideBySide is how many parallel tests run at once: the parts of a test that assert
// nothing about time, and, when all tests that are not parallel have ended, those that
// measure slow devices (see beside).
const sideBySide = 5

// TestMain lets this binary be the processes that loadline starts of itself: as it
// looks for its own program, it finds this one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "durability-writer" || os.Args[1] == "durability") {
		os.Exit(cli.Run(context.Background(), env.OS()))
	}
	// However few processors there are, unless -parallel says something else.
	if err := flag.Set("test.parallel", fmt.Sprint(sideBySide)); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
