package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/model"
)

// labelFlag is --label, which every verb that makes a run takes.
type labelFlag struct{ words []string }

func (f *labelFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.words, "label", nil, "label the run with `NAME=VALUE`, for searching and grouping (repeatable)")
}

// labels parses the given labels.
func (f *labelFlag) labels() (model.Labels, error) { return model.ParseLabels(f.words) }
