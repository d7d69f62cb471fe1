package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/volume"
)

func newCleanup(e *env.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "cleanup DIR",
		Short: "Remove data files that a killed run left in a directory",
		Long: `Finds Loadline's own data files in DIR (by their name, and only those that no living
run holds) and removes them. Nothing else is touched.

Exit codes: 0 fine, also when there was nothing; 1 a file could not be removed; 2 usage.`,
		Example: `  loadline cleanup /var/lib/postgresql
  loadline cleanup .`,
		Args: exactly(1, "one DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := parseTarget(args[0])
			if err != nil {
				return err
			}
			if t.Kind != model.Directory {
				return model.RefusedError(fmt.Sprintf("%s is no directory: own data files lie only in directories", args[0]), "")
			}
			files, err := volume.Leftovers(t.Path)
			if err != nil {
				return err
			}
			for _, f := range files {
				if err := volume.Remove(f); err != nil {
					return model.BrokenError(fmt.Sprintf("%s could not be removed: %v", f, err), "")
				}
				fmt.Fprintf(e.Stdout, "removed %s\n", f)
			}
			if len(files) == 0 {
				fmt.Fprintf(e.Stdout, "nothing to remove in %s\n", args[0])
			}
			return nil
		},
	}
}
