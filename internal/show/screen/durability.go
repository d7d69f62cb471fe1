package screen

import (
	"bytes"
	"errors"
	"io"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
)

// PrintDurability prints the report of a durability test, as JSON or as text, without the secrets that its
// commands may contain.
func PrintDurability(e *env.Env, d *model.Durability, json bool) error {
	var page bytes.Buffer
	if json {
		err := jsonout.WriteDurability(&page, d)
		if err == nil {
			_, err = io.WriteString(term.Raw(e.Stdout), secrets.MaskText(page.String()))
		}
		return err
	}
	err := text.RenderDurability(&page, d, Text(e.Output))
	_, printed := io.WriteString(term.Styled(e.Stdout), secrets.MaskText(page.String()))
	return errors.Join(err, printed)
}
