package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// muchPrefill is how many bytes may be written before measuring without a word about it,
// where nobody has said how much data to work on.
const muchPrefill = 10 << 30

// registerYes adds --yes to the verbs below cmd that may ask.
func registerYes(e *env.Env, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if slices.Contains([]string{"run", "compare", "sweep", "scale"}, c.Name()) && c.Parent() == cmd.Root() {
			c.Flags().BoolVarP(&e.Yes, "yes", "y", false, "write more than 10 GiB of an automatic size without asking")
		}
	}
}

// consent announces a large prefill that nobody asked for, and on a terminal asks whether
// it may be written. The error refuses: nothing was written then.
func consent(ctx context.Context, e *env.Env, quiet bool, plans ...model.Plan) error {
	bytes, seconds := unasked(plans)
	if bytes <= muchPrefill {
		return nil
	}
	words := "writes " + units.FormatSize(bytes) + " first"
	if seconds > 0 {
		words += " (about " + units.FormatSpan(seconds) + ")"
	}
	ask := e.Answers && !e.Yes
	if !quiet || ask {
		sayLine(e.Stderr, "prefill %s, so that reads find data; --size takes less", words)
	}
	if !ask {
		return nil
	}
	fmt.Fprint(e.Stderr, "        go on? [Y/n] ")
	yes, err := answer(ctx, e.Stdin)
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

// unasked is how many bytes will be written before measuring by plans whose size was
// chosen, and for how long; 0 seconds when nobody knows.
func unasked(plans []model.Plan) (bytes int64, seconds float64) {
	known := true
	for i := range plans {
		p := &plans[i]
		if p.Experiment.Size > 0 || p.App != nil || !p.Volume.Prefill || p.Volume.Target.Kind == model.Fake {
			continue
		}
		bytes += p.Volume.Size * int64(max(1, len(p.Volumes)))
		seconds += p.PrefillSeconds
		known = known && p.PrefillSeconds > 0
	}
	if !known {
		seconds = 0
	}
	return bytes, seconds
}

// answer reads a line: no is what begins with n, and the end of the input; all else is yes.
func answer(ctx context.Context, in io.Reader) (bool, error) {
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
