package truth

import (
	"context"
	"os"
	"testing"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
)

// TestMain lets this binary be the processes that loadline starts of itself: as it
// looks for its own program, it finds this one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "durability-writer" || os.Args[1] == "durability") {
		os.Exit(cli.Run(context.Background(), env.OS()))
	}
	os.Exit(m.Run())
}
