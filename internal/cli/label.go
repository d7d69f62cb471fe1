package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/model"
)

// labelFlag is --label, which every verb that makes a run takes.
type labelFlag struct{ words []string }

func (f *labelFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.words, "label", nil, "call the run by `NAME=VALUE`, to find it by and to group it (may be given again)")
}

// labels reads what was given.
func (f *labelFlag) labels() (model.Labels, error) { return model.ParseLabels(f.words) }
