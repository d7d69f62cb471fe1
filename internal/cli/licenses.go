package cli

import (
	"bufio"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/show/notices"
	"github.com/loadline/loadline/internal/show/report/html"
)

func newLicenses(e *env.Env) *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "licenses",
		Short: "Print the licenses of Loadline and of everything linked into it",
		Long: `Prints Loadline's own license, and the license and notice texts of the Go modules that
are linked into loadline and loadline-agent and of the libraries in the page's script.
Copies of the programs, and pages that they write, are distributed under these.

Exit codes: 0 fine; 1 the output cannot be written; 2 usage.`,
		Example: `  loadline licenses
  loadline licenses --list`,
		Args: usage.Exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			all := slices.Concat(notices.Linked(), notices.Parse(html.Notices()))
			out := bufio.NewWriter(e.Stdout)
			if list {
				fmt.Fprint(out, notices.List(all))
			} else {
				fmt.Fprint(out, notices.Format(all))
			}
			return out.Flush()
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "only names, versions and licenses (SPDX), one per line")
	return cmd
}
