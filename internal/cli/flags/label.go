package flags

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/model"
)

// Label is --label, which every verb that makes a run takes.
type Label struct{ words []string }

// Register adds the flag.
func (f *Label) Register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.words, "label", nil, "label the run with `NAME=VALUE`, for searching and grouping (repeatable)")
}

// Labels parses the given labels.
func (f *Label) Labels() (model.Labels, error) { return model.ParseLabels(f.words) }
