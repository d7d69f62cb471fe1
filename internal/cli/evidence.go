package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/model"
)

// evidenceFlags are what the user knows about the storage, and what to check after
// the load, for the rules of trust.
type evidenceFlags struct {
	cap        string
	replicas   int
	checkCache bool
}

func (f *evidenceFlags) register(cmd *cobra.Command) {
	f.registerKnown(cmd)
	cmd.Flags().BoolVar(&f.checkCache, "check-cache", false, "afterwards, read parts of increasing size to detect a cache (half a minute, longer on slow storage)")
}

// registerKnown registers what the user knows, without the flags that require a measurement.
func (f *evidenceFlags) registerKnown(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.cap, "cap", "", "the declared limit of the storage, such as iops=3000,bandwidth=125MiB/s")
	flags.CountVar(fl, flags.Count{Name: "replicas", To: &f.replicas, Least: 1, Most: flags.MostCopies}, 0, "how many copies the storage keeps, if you know it")
}

// apply checks the flags and writes them into the experiment.
func (f *evidenceFlags) apply(exp *model.Experiment) error {
	if f.cap != "" {
		c, err := model.ParseCap(f.cap)
		if err != nil {
			return model.RefusedError("--cap: "+err.Error(), "write it like --cap iops=3000,bandwidth=125MiB/s")
		}
		exp.Cap = c
	}
	exp.Replicas, exp.CheckCache = f.replicas, f.checkCache
	return nil
}
