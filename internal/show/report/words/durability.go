package words

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// syncWords says how a write was made durable.
func syncWords(sync string) string {
	switch sync {
	case "none":
		return "not flushed"
	case "dsync":
		return "O_DSYNC"
	case "fua":
		return "FUA"
	case "flush":
		return "flush after each write"
	}
	return sync + " after each write"
}

// Cut says what was cut.
func Cut(c *model.Cut) string {
	words := c.What
	if !c.Noticed {
		words += "; the writer noticed nothing"
	}
	return words
}

// Wrote says what a durability test wrote, and how.
func Wrote(d *model.Durability) []string {
	return []string{fmt.Sprintf("%s of %s", units.FormatCount(d.Blocks, "block"), units.FormatBlock(d.BlockSize)), syncWords(d.Sync), fmt.Sprintf("%d at a time", d.Jobs)}
}
