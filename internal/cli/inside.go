package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/cluster/jobs"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
)

// insideFlags are for driving a measurement from inside the cluster that it is about.
type insideFlags struct {
	on, detach bool
	hold       time.Duration
	account    string
}

func (f *insideFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.on, "in-cluster", false, "Kubernetes: drive the measurement from a Job in the cluster, and fetch its results")
	flags.BoolVar(&f.detach, "detach", false, "with --in-cluster: do not wait; loadline fetch brings the results later")
	flags.DurationVar(&f.hold, "hold", jobs.DefaultHold, "with --in-cluster: how long the Job keeps its results")
	flags.StringVar(&f.account, "service-account", "", "with --in-cluster: `NAME` of one that has the Role (default: make one, with its Role)")
}

// outside are the flags that are about this end, and not about what is measured.
var outside = []string{"in-cluster", "detach", "hold", "service-account", "kubeconfig", "context", "namespace", "image", "results", "output", "child-worker"}

// check refuses flags that go with --in-cluster only.
func (f *insideFlags) check(cmd *cobra.Command) error {
	if f.on {
		if f.hold < time.Minute {
			return model.RefusedError(fmt.Sprintf("--hold %s is too short to fetch anything", f.hold), "leave it out for "+jobs.DefaultHold.String()+", or name a minute at least")
		}
		return nil
	}
	for _, name := range []string{"detach", "hold", "service-account"} {
		if cmd.Flags().Changed(name) {
			return model.RefusedError(fmt.Sprintf("--%s goes with --in-cluster", name), "add --in-cluster, or leave it out")
		}
	}
	return nil
}

// checkInside refuses, before anything is made, what would fail inside.
func (o *options) checkInside(ctx context.Context, e *env.Env, client *kube.Client, targets []string, by scenario) error {
	if len(o.places.Hosts) > 0 {
		return model.RefusedError("--hosts are reached by ssh from here, and --in-cluster measures from inside a cluster", "choose one of them")
	}
	asked, err := o.request(e, targets[0], by, remarks(e, true))
	if err != nil {
		return err
	}
	return o.places.ForeseeAll(ctx, e, asked, targets, client.Namespace)
}

// command is what the Job's pod runs: the same verb with the same flags, but for those
// that are about this end, and with the files that they name.
func (f *insideFlags) command(cmd *cobra.Command, files jobs.Files) []string {
	args := append([]string{"loadline", "job", "--hold", f.hold.String()}, files.Pack()...)
	args = append(append(args, "--", cmd.Name()), cmd.Flags().Args()...)
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if slices.Contains(outside, flag.Name) {
			return
		}
		for _, value := range flagValues(flag) {
			args = append(args, "--"+flag.Name+"="+value)
		}
	})
	// The report in the log outlives the pod's container.
	return append(args, "--output=json")
}

// flagValues are the words that set a flag again to what it is.
func flagValues(flag *pflag.Flag) []string {
	switch v := flag.Value.(type) {
	case pflag.SliceValue:
		return v.GetSlice()
	default:
		if text := v.String(); v.Type() == "stringToString" {
			return []string{strings.Trim(text, "[]")}
		}
		return []string{v.String()}
	}
}

// drive makes the Job and fetches what it measures.
func (f *insideFlags) drive(ctx context.Context, e *env.Env, cmd *cobra.Command, o *options, s *savingFlags, targets []string, by scenario) error {
	if err := checkOutput(s.output); err != nil {
		return err
	}
	where, err := o.places.Cluster.Where(e)
	if err != nil {
		return err
	}
	client, err := o.places.Cluster.Open(e)
	if err != nil {
		return err
	}
	files := jobs.Files{}
	if err := o.checkInside(ctx, files.Gather(e), client, targets, by); err != nil {
		return err
	}
	if err := files.Check(); err != nil {
		return err
	}
	made := o.places.Cluster.Mark(store.Name(e.Now(), targets[0]))
	run := made.Run
	job := newJobClient(e, client, s.results, s.quiet)
	job.Job, job.Ready, job.Stops = run, o.places.Cluster.Ready, true
	end := func(err error) error {
		if o.places.Cluster.Keep {
			job.Say(fmt.Sprintf("kept in the cluster: job %s/%s; later: loadline cleanup --namespace %s", client.Namespace, run, client.Namespace))
			return err
		}
		if downErr := job.TakeDown(context.WithoutCancel(ctx), run); downErr != nil {
			var code exitCode
			if errors.As(err, &code) {
				return downErr
			}
			return errors.Join(err, downErr)
		}
		return err
	}
	if err := client.MakeJob(ctx, kube.JobSpec{Name: run, Made: made, Where: where, Command: f.command(cmd, files), Account: f.account}); err != nil {
		return end(f.rightsHint(err))
	}
	job.Say(fmt.Sprintf("the Job %s/%s measures with the ServiceAccount %s; its results wait there for %s", client.Namespace, run, cmp.Or(f.account, run+", made for it"), f.hold))
	if f.detach {
		sayLine(e.Stdout, "started job %s", run)
		sayLine(e.Stdout, "  next: loadline fetch %s --namespace %s", run, client.Namespace)
		return nil
	}
	dirs, code, err := job.Fetch(ctx)
	if err != nil {
		return end(err)
	}
	return end(errors.Join(printFetched(e, dirs, s.output), ending(code, nil)))
}

// rightsHint adds the way out for who may not make a ServiceAccount or its rights.
func (f *insideFlags) rightsHint(err error) error {
	var w *model.WorkerError
	if f.account != "" || !errors.As(err, &w) || w.Class != model.Refused {
		return err
	}
	return model.RefusedError(w.Message, "name a ServiceAccount that has the Role of deploy/role.yaml: --service-account NAME; or have its Role loadline-jobs bound to you")
}
