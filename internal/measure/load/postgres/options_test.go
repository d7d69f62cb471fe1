package postgres

import (
	"errors"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestCheckOptions(t *testing.T) {
	for option, fine := range map[string]bool{
		"--protocol=prepared": true, "-Mprepared": true, "-Dx=3": true, "--define=x=3": true, "--max-tries=3": true, "-n": true, "--select-only": true,
		// What Loadline gives itself.
		"-T5": false, "--time=5": false, "-c": false, "--log": false, "-i": false, "--host=/tmp": false, "--file=x.sql": false, "-fx.sql": false,
		// The same by the beginning of its name, and behind another letter: pgbench takes both.
		"--fil=x.sql": false, "--clien=3": false, "--h=/tmp": false, "-nfx.sql": false, "-nC": false,
		// The same in a line of its own: options are kept one a line.
		"--protocol=simple\n--file=x.sql": false,
		// A value that is missing would be the next option, one that is too many is another option.
		"-D": false, "--define": false, "--protocol=": false, "--select-only=1": false,
		"--": false, "-": false, "": false, "prepared": false, "--no-such-option": false,
	} {
		err := CheckOptions([]string{"--verbose-errors", option})
		var refused *model.WorkerError
		if fine && err != nil || !fine && (!errors.As(err, &refused) || refused.Class != model.Refused) {
			t.Errorf("%q: %v", option, err)
		}
	}
}
