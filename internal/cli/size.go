package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/capacity"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
	"github.com/loadline/loadline/internal/show/results"
	"github.com/loadline/loadline/internal/show/screen"
)

// sizeFlags are what size reads, and the needs that it is asked about.
type sizeFlags struct {
	from, system, needs, headroom, within, throttle string
	need                                            []string
	survive, nodes, snapshots                       int
	rebuild                                         bool
	output                                          outputFlags
}

func newSize(e *env.Env) *cobra.Command {
	var f sizeFlags
	cmd := &cobra.Command{
		Use:   "size [RUN…]",
		Short: "Say how many nodes a need takes, and which limit is reached first",
		Long: `Takes measurements by loadline scale (RUN, one for each workload), or points that were
published or written down by hand (--from), and says how many nodes a need takes. For
each resource, the demand of all pods is divided by what a node has of it, less the
headroom; the largest number counts, and different resources are never added up. It shows
the limiting resource, the utilization, the expected latency, and the cost of one more pod.

A need is a number of pods and what each of them does: rand-read, rand-write, seq-read
and seq-write in I/Os per second (400, 4k) or bytes per second (60MiB/s), the block
size bs (4k, and 128k for bytes per second), and the size of its volume.

Without a need, it prints what can be concluded from the points: the law of each
workload, the limiting resource, what the law does not cover, and contradictions in a
published report. --rebuild prints how large a volume may be to be rebuilt in time.
docs/sizing.md describes the file format.

Exit codes: 0 success; 1 failed; 2 refused, with the reason: invalid points, needs or
flags; 3 the need cannot be met, with the limit it misses and by how much;
130 interrupted.`,
		Example: `  loadline size --from docs/medium-nodes.yaml
  loadline size --from docs/medium-nodes.yaml --need 'pods=20 rand-read=400 rand-write=150 bs=4k' --need 'pods=2 seq-read=60MiB/s' --survive 1
  loadline size --from docs/medium-nodes.yaml --need 'pods=10 rand-read=400' --nodes 5
  loadline size --from docs/medium-nodes.yaml --rebuild --within 4h`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, e, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.from, "from", "", "take the points from this YAML `FILE` instead of runs")
	fs.StringVar(&f.system, "system", "", "a YAML `FILE` that describes the hardware")
	fs.StringArrayVar(&f.need, "need", nil, "what some pods need, such as 'pods=20 rand-read=400 rand-write=150 bs=4k' (repeatable)")
	fs.StringVar(&f.needs, "needs", "", "take the needs from this YAML `FILE`")
	flags.CountVar(fs, flags.Count{Name: "survive", To: &f.survive, Least: 0, Most: flags.MostNodes}, 0, "how many nodes may fail")
	fs.StringVar(&f.headroom, "headroom", "30%", "share of each resource that stays free")
	flags.CountVar(fs, flags.Count{Name: "nodes", To: &f.nodes, Least: 1, Most: flags.MostNodes}, 0, "say how much this number of nodes can carry")
	fs.BoolVar(&f.rebuild, "rebuild", false, "print how large a volume may be to be rebuilt in time")
	fs.StringVar(&f.within, "within", "24h", "with --rebuild: the time that rebuilding may take")
	flags.CountVar(fs, flags.Count{Name: "snapshots", To: &f.snapshots, Least: 1, Most: 10000}, 1, "with --rebuild: number of snapshots of a volume with data of their own, including its head")
	fs.StringVar(&f.throttle, "throttle", "", "with --rebuild: a limit on rebuilding, such as 100MiB/s")
	registerOutput(e, cmd, &f.output, textOrJSON...)
	return cmd
}

func (f *sizeFlags) run(cmd *cobra.Command, e *env.Env, args []string) error {
	points, err := results.Points(results.PointsAsked{From: f.from, System: f.system, Runs: args, Needs: len(f.need) > 0 || f.needs != ""})
	switch {
	case err != nil:
		return err
	case points == nil:
		return usage.New(errors.New("loadline size takes runs of loadline scale, --from FILE.yaml, or --system FILE.yaml with a need"), "loadline size --help")
	}
	if f.rebuild {
		return f.printRebuild(e, points)
	}
	for _, flag := range flagtable.Needing("rebuild") {
		if cmd.Flags().Changed(flag) {
			return model.RefusedError("--"+flag+" goes with --rebuild", "add --rebuild, or leave it out")
		}
	}
	ask, err := f.ask()
	if err != nil {
		return err
	}
	if len(ask.Needs) == 0 {
		if slices.ContainsFunc(flagtable.Needing("need"), cmd.Flags().Changed) {
			return model.RefusedError("--nodes, --survive and --headroom apply to a need, but none is given", "add --need 'pods=20 rand-read=400 bs=4k'")
		}
		return f.printStudy(e, points)
	}
	s, err := capacity.Size(points, ask)
	if err != nil {
		return err
	}
	err = emitOne(e, &f.output, &s, jsonout.WriteSizing, text.RenderSizing)
	if err == nil && len(s.Lacking) > 0 {
		return exitCode(exitGoal)
	}
	return err
}

// ask reads the needs from the flags and the file.
func (f *sizeFlags) ask() (sizing.Ask, error) {
	ask := sizing.Ask{Survive: f.survive, Nodes: f.nodes}
	var err error
	if ask.Headroom, err = flags.ParseHeadroom("--headroom", f.headroom); err != nil {
		return ask, err
	}
	return spec.ReadNeeds(env.ReadFile, f.need, f.needs, ask)
}

func (f *sizeFlags) printStudy(e *env.Env, p *study.Published) error {
	st, err := capacity.Study(p)
	if err != nil {
		return err
	}
	return emitOne(e, &f.output, &st, jsonout.WriteStudy, text.RenderStudy)
}

// printRebuild prints how large volumes may be. The measured values of each pattern
// are fixed; the time limit, the snapshots and a throttle come from the user.
func (f *sizeFlags) printRebuild(e *env.Env, p *study.Published) error {
	if len(f.need) > 0 || f.needs != "" || f.nodes > 0 {
		return model.RefusedError("--rebuild is about the size of one volume, but needs are about pods", "ask for one of the two")
	}
	if len(p.Rebuilds) == 0 {
		const form = "rebuilds: [{volume: 100GiB, time: 281s}]"
		hint := "write " + form + " into a file, and name it with --system FILE"
		if f.from != "" {
			hint = "add " + form + " to " + f.from
		}
		return model.RefusedError(fmt.Sprintf("%s contains no timed rebuild", p.Name), hint)
	}
	within, err := flags.ParseSpan("--within", f.within)
	if err != nil {
		return err
	}
	var throttle float64
	if f.throttle != "" {
		n, err := units.ParseSize(trimPerSecond(f.throttle))
		if err != nil || n <= 0 {
			return model.RefusedError(fmt.Sprintf("--throttle %q is not a bandwidth", f.throttle), "write it like 100MiB/s")
		}
		throttle = float64(n)
	}
	st := capacity.Rebuilds(p)
	capacity.BoundRebuilds(&st, within, f.snapshots, throttle)
	if f.output.name() == "json" {
		return jsonout.WriteStudy(term.Raw(e.Stdout), &study.Study{Schema: study.Schema, Name: p.Name, Source: p.Source, System: p.System, Rebuild: &st})
	}
	return text.RenderRebuild(e.Stdout, p.Name, &st, screen.Text(e.Output))
}

func trimPerSecond(s string) string { return strings.TrimSuffix(strings.TrimSpace(s), "/s") }
