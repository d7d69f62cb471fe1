package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/cluster/archive"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/cluster/link"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Client follows a Job and fetches its results.
type Client struct {
	Cluster *kube.Client
	// Job is the Job's name.
	Job string
	// Ready limits the wait for the Job's pod.
	Ready time.Duration
	// Results is the directory in which the run directory is placed, Runs what is known of those in it.
	Results string
	Runs    Runs
	// Stops is set if an interrupt stops the work; otherwise the work continues.
	Stops bool
	// Keep is set if the Job, and the objects made for it, are kept at the end.
	Keep bool
	// Say receives remarks for people, Show the lines of the Job's output.
	Say, Show func(string)

	// pod is the pod that does the work, once it is known.
	pod *kube.JobPod
}

// Runs is what a client needs to know of run directories, of which this package knows nothing.
type Runs struct {
	// Check refuses a directory that no measurement has created.
	Check func(dir string) error
	// Keeps reports whether the measurement in a directory was to keep what it made in the cluster.
	Keeps func(dir string) bool
	// SaveReport saves a report without its run in a new directory below another, under that name, and returns its file. If
	// it is not a report, ok is false and nothing is saved.
	SaveReport func(below, name string, report []byte) (file string, ok bool, err error)
}

const (
	// program connects an exec to the socket of the Job's driver: the smaller of the two programs
	// in the image.
	program = "loadline-agent"
	// releaseTime is how long the pod may take to confirm that it may end.
	releaseTime = 15 * time.Second
	// largestLog limits how much of the pod's log is searched for a report: no report is larger,
	// and the lines of progress before it are short and few.
	largestLog = 80 << 20
	// removeTime limits the removal of the Job and of the objects made for it.
	removeTime = 3 * time.Minute
)

// Fetch follows the work to its end and fetches what it has saved. It returns the directories and
// the exit code of the command.
func (c *Client) Fetch(ctx context.Context) (dirs []string, code int, err error) {
	if c.pod, err = c.Cluster.WaitJob(ctx, c.Job, c.Ready, c.Say); err != nil {
		return nil, 0, err
	}
	// Fetching is not interrupted, even if the user has interrupted the work.
	work := context.WithoutCancel(ctx)
	if c.pod.Ended != nil {
		return nil, 0, c.salvage(work)
	}
	l := link.Connect(work, &link.Link{Name: "the Job " + c.Job, Dial: c.dial, Gone: c.gone, Away: c.away, Say: c.Say, Clock: c.Cluster.Clock})
	defer l.Close()
	following := context.AfterFunc(ctx, func() { c.interrupt(l) })
	status, rest, err := archive.Follow(l, c.Show)
	if !following() && !c.Stops {
		return nil, 0, ctx.Err()
	}
	if err != nil {
		return nil, 0, c.lost(work, err)
	}
	if dirs, err = archive.Take(rest, c.Results, c.Runs.Check); err != nil {
		return nil, status.Code, model.BrokenError(fmt.Sprintf("the results of the Job %s could not be fetched: %v", c.Job, err),
			fmt.Sprintf("they wait there until %s: loadline fetch %s --namespace %s", status.Until.Format(time.RFC3339), c.Job, c.Cluster.Namespace))
	}
	if err := release(c.Cluster.Clock, l, rest); err != nil {
		c.Say(fmt.Sprintf("the pod could not be told that it may end (%v); it ends at %s", err, status.Until.Format(time.RFC3339)))
	}
	return dirs, status.Code, nil
}

// Holds reports whether the Job's pod still has, or is making, results that were not fetched.
func (c *Client) Holds() bool { return c.pod != nil && c.pod.Ended == nil }

// interrupt handles a user who does not wait for the end of the work.
func (c *Client) interrupt(l *link.Link) {
	if !c.Stops {
		l.Close()
		return
	}
	c.Say("stopping the work in the Job; what it has is kept")
	_ = archive.Stop(l) // a link that has ended is reported by the reader
}

// dial connects to the Job's driver by exec.
func (c *Client) dial(ctx context.Context) (io.ReadWriteCloser, error) {
	return c.Cluster.ExecIn(ctx, c.pod.Name, c.pod.Container, program, "--attach", path.Join(kube.ResultsPath, archive.Folder))
}

// gone returns an error if the Job's pod has ended.
func (c *Client) gone(ctx context.Context) error {
	pod, err := c.Cluster.FindJob(ctx, c.Job)
	var refused *model.WorkerError
	switch {
	case err != nil && errors.As(err, &refused) && refused.Class == model.Refused:
		return err
	case err != nil || pod == nil || pod.Ended == nil:
		return nil
	}
	return podEnded{pod}
}

// away returns an error if the node of the Job's pod no longer reports to the cluster.
func (c *Client) away(ctx context.Context) error { return c.Cluster.Away(ctx, c.pod.Name) }

// podEnded is the error for a Job's pod that has ended.
type podEnded struct{ pod *kube.JobPod }

func (e podEnded) Error() string { return e.pod.Ended.Error() }
func (e podEnded) Unwrap() error { return e.pod.Ended }

// lost returns why the end of the work is unknown.
func (c *Client) lost(ctx context.Context, err error) error {
	var ended podEnded
	if errors.As(err, &ended) {
		c.pod = ended.pod
		return c.salvage(ctx)
	}
	var said *model.WorkerError
	if errors.As(err, &said) {
		return err
	}
	return model.BrokenError(fmt.Sprintf("the Job %s could not be followed: %v", c.Job, err),
		fmt.Sprintf("it goes on without us: loadline fetch %s --namespace %s", c.Job, c.Cluster.Namespace))
}

// release tells the pod that it may end, and waits for its confirmation.
func release(clock env.Clock, l *link.Link, rest io.Reader) error {
	if err := archive.Release(l); err != nil {
		return err
	}
	heard := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, rest)
		heard <- err
	}()
	select {
	case err := <-heard:
		return err
	case <-clock.After(releaseTime):
		return fmt.Errorf("it has not answered within %s", releaseTime)
	}
}

// salvage handles a pod that has ended before its results were fetched: the report may still be in
// its log. The error says what is lost.
func (c *Client) salvage(ctx context.Context) error {
	lost := fmt.Sprintf("the run directory of the Job %s is gone with its pod: %v", c.Job, c.pod.Ended)
	log, err := c.Cluster.Log(ctx, c.pod)
	if err != nil {
		return model.BrokenError(lost, "run it again")
	}
	defer log.Close()
	text, err := io.ReadAll(io.LimitReader(log, largestLog))
	if err != nil {
		return model.BrokenError(lost, "run it again")
	}
	doc, whole := reportIn(text)
	file, ok := "", false
	if whole {
		file, ok, err = c.Runs.SaveReport(c.Results, c.Job, doc)
	}
	switch {
	case err != nil:
		return errors.Join(model.BrokenError(lost, ""), err)
	case !ok:
		return model.BrokenError(lost, fmt.Sprintf("see what it said: kubectl logs -n %s job/%s", c.Cluster.Namespace, c.Job))
	}
	return model.BrokenError(lost+"; the report was still in its log and is saved in "+file, "loadline report "+safetext.ShellWord(file))
}

// Made reports whether Loadline made the Job, and by which run; it is known once the Job has been
// fetched.
func (c *Client) Made() (run string, made bool) { return c.pod.Run, c.pod.Made }

// TakeDown removes the Job, the objects made for it, and whatever its pod left when it was killed.
func (c *Client) TakeDown(ctx context.Context, run string) error {
	all, err := c.Cluster.Own(ctx, c.Cluster.Namespace, "")
	if err != nil {
		return err
	}
	var ours []kube.Object
	for _, o := range all {
		// The name of a driver begins with its host, which is the Job's pod here.
		if o.Run == run || c.pod != nil && strings.HasPrefix(o.Driver, c.pod.Name+"/") {
			ours = append(ours, o)
		}
	}
	if len(ours) == 0 {
		return nil
	}
	return c.Cluster.Remove(ctx, ours, removeTime)
}

// reportIn returns the document in a log: from a line with { to a line with }.
func reportIn(log []byte) (doc []byte, whole bool) {
	begin := 0
	if !bytes.HasPrefix(log, []byte("{\n")) {
		if begin = bytes.Index(log, []byte("\n{\n")) + 1; begin == 0 {
			return nil, false
		}
	}
	length := bytes.Index(log[begin:], []byte("\n}\n"))
	if length < 0 {
		return nil, false
	}
	return log[begin : begin+length+len("\n}\n")], true
}

// jobName matches what the API server accepts as the name of a Job.
var jobName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)

// Choose returns the named Job, or the only one.
func Choose(ctx context.Context, client *kube.Client, args []string) (string, error) {
	if len(args) == 1 {
		name := strings.TrimPrefix(args[0], "job/")
		if !jobName.MatchString(name) {
			return "", model.RefusedError(fmt.Sprintf("%q is not the name of a Job", args[0]), "write NAME or job/NAME, and --namespace beside it")
		}
		return name, nil
	}
	jobs, err := client.Jobs(ctx)
	switch {
	case err != nil:
		return "", err
	case len(jobs) == 1:
		return jobs[0], nil
	case len(jobs) == 0:
		return "", model.RefusedError(fmt.Sprintf("the namespace %s has no Job of loadline's", client.Namespace), "name another one with --namespace, or the Job: loadline fetch NAME")
	}
	return "", model.RefusedError(fmt.Sprintf("the namespace %s has several Jobs of loadline's", client.Namespace), "loadline fetch one of them: "+strings.Join(jobs, ", "))
}

// DefaultHold is how long a Job's pod keeps its results: overnight, and the day after.
const DefaultHold = 24 * time.Hour

// KeptWords begin the line of a Job's log that says where its results are.
const KeptWords = "kept    the results"
