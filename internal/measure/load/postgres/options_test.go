package postgres

import (
	"errors"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestCheckOptions(t *testing.T) {
	for option, fine := range map[string]bool{
		"--protocol=prepared": true, "-Mprepared": true, "-Dx=3": true, "--define=x=3": true, "--max-tries=3": true, "-n": true, "--continue-on-error": true,
		// A second script, and the variables of the built-in ones.
		"-S": false, "-N": false, "--select-only": false, "--builtin=select-only@9": false, "-bselect-only": false,
		"--define=scale=100": false, "-Dscale=100": false, "-Dclient_id=1": false, "-Drandom_seed=1": false, "-Dscaled=3": true,
		// What Loadline sets itself.
		"-T5": false, "--time=5": false, "-c": false, "--log": false, "-i": false, "--host=/tmp": false, "--file=x.sql": false, "-fx.sql": false,
		// The same abbreviated, and after another letter: pgbench accepts both.
		"--fil=x.sql": false, "--clien=3": false, "--h=/tmp": false, "-nfx.sql": false, "-nC": false,
		// The same on a line of its own: options are kept one per line.
		"--protocol=simple\n--file=x.sql": false,
		// If a value is missing, the next option would be taken as the value; an extra value would
		// be another option.
		"-D": false, "--define": false, "--protocol=": false, "--continue-on-error=1": false,
		"--": false, "-": false, "": false, "prepared": false, "--no-such-option": false,
	} {
		err := CheckOptions([]string{"--verbose-errors", option})
		var refused *model.WorkerError
		if fine && err != nil || !fine && (!errors.As(err, &refused) || refused.Class != model.Refused) {
			t.Errorf("%q: %v", option, err)
		}
	}
}
