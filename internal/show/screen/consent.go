package screen

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
)

// largePrefill is the largest prefill, in bytes, that is written without notice if the user
// has not chosen a size.
const largePrefill = 10 << 30

// consent announces a large prefill that the user did not ask for and, on a terminal, asks for
// confirmation. An error means that the user declined and nothing was written.
func consent(ctx context.Context, e *env.Env, quiet bool, plans ...model.Plan) error {
	bytes, seconds, most := automaticPrefill(plans)
	if bytes <= largePrefill {
		return nil
	}
	words := "writes " + units.FormatSize(bytes) + " first"
	if seconds > 0 {
		words += " (" + text.Prefill(seconds, most) + ")"
	}
	ask := e.Answers && !e.Yes
	if !quiet || ask {
		term.PrintLine(e.Stderr, "prefill %s, so that reads find data; use --size to write less", words)
	}
	if !ask {
		return nil
	}
	fmt.Fprint(e.Stderr, "        go on? [Y/n] ")
	yes, err := readAnswer(ctx, e.Stdin)
	if err != nil {
		fmt.Fprintln(e.Stderr)
		return err
	}
	if !yes {
		return model.RefusedError(fmt.Sprintf("nothing was written: you declined a prefill of %s", units.FormatSize(bytes)),
			"set the size with --size 4GiB, or limit the time with --max-prefill 5s")
	}
	return nil
}

// automaticPrefill returns how many bytes will be prefilled by plans whose size was chosen
// automatically, and how long that will take at least and at most; 0 seconds if unknown.
func automaticPrefill(plans []model.Plan) (bytes int64, seconds, most float64) {
	known := true
	for i := range plans {
		p := &plans[i]
		if p.Experiment.Size > 0 || p.App != nil || !p.Volume.Prefill || p.Volume.Target.Kind == model.Fake {
			continue
		}
		bytes += p.Volume.Size * int64(max(1, len(p.Volumes)))
		seconds, most = seconds+p.PrefillSeconds, most+p.MostPrefill()
		known = known && p.PrefillSeconds > 0
	}
	if !known {
		seconds, most = 0, 0
	}
	return bytes, seconds, most
}

// readAnswer reads a line. Anything that begins with n means no, and so does end of input; all else
// means yes.
func readAnswer(ctx context.Context, in io.Reader) (bool, error) {
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := bufio.NewReader(in).ReadString('\n')
		read <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case l := <-read:
		text := strings.ToLower(strings.TrimSpace(l.text))
		return !strings.HasPrefix(text, "n") && (l.err == nil || text != ""), nil
	}
}
