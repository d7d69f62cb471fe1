package flags

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/model"
)

// Evidence is what the user knows about the storage, and what to check after
// the load, for the rules of trust.
type Evidence struct {
	cap        string
	replicas   int
	checkCache bool
}

// Register adds the flags.
func (f *Evidence) Register(cmd *cobra.Command) {
	f.RegisterKnown(cmd)
	cmd.Flags().BoolVar(&f.checkCache, "check-cache", false, "afterwards, read parts of increasing size to detect a cache (half a minute, longer on slow storage)")
}

// RegisterKnown adds the flags for what the user knows, without the flags that require a measurement.
func (f *Evidence) RegisterKnown(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.cap, "cap", "", "the provisioned limit of the storage, such as iops=3000,bandwidth=125MiB/s")
	CountVar(fl, Count{Name: "replicas", To: &f.replicas, Least: 1, Most: MostCopies}, 0, "how many copies the storage keeps, if you know it")
}

// Apply checks the flags and writes them into the experiment.
func (f *Evidence) Apply(exp *model.Experiment) error {
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
