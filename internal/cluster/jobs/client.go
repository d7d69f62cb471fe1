package jobs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/cluster/archive"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// Client follows a Job and brings home what it has measured.
type Client struct {
	Cluster *kube.Client
	// Job is its name.
	Job string
	// Ready bounds the waiting for the Job's pod.
	Ready time.Duration
	// Results is where the run directory is to go.
	Results string
	// Stops tells that an interrupt stops the work; without it the work goes on.
	Stops bool
	// Say gets remarks for people, Show the lines of the Job's log.
	Say, Show func(string)

	// pod is where the work is done, once that is known.
	pod *kube.JobPod
}

const (
	// answerTime bounds a question to the pod that waits AskPatience there.
	answerTime = 15*time.Second + AskPatience
	// stall is how long the results may stop flowing.
	stall = time.Minute
	// lostTime is how long the pod may not answer while it is not known to have ended.
	lostTime = 10 * time.Minute
	// longestAnswer bounds what the pod answers to a question, in bytes.
	longestAnswer = 1 << 20
	// largestLog bounds how much of its log is searched for a report: no report is larger,
	// and the lines of progress before it are short and few.
	largestLog = 80 << 20
	// removeTime bounds the removing of the Job and what it needed.
	removeTime = 3 * time.Minute
	// takes is how often the results are asked for.
	takes = 5
)

// Fetch follows the work to its end, and brings back what it has saved: the directories
// and the exit code of the command.
func (c *Client) Fetch(ctx context.Context) (dirs []string, code int, err error) {
	if c.pod, err = c.Cluster.WaitJob(ctx, c.Job, c.Ready, c.Say); err != nil {
		return nil, 0, err
	}
	// What is fetched is fetched whole, also when the user has lost patience with the work.
	work := context.WithoutCancel(ctx)
	if c.pod.Ended != nil {
		return nil, 0, c.salvage(work)
	}
	following, stop := context.WithCancel(work)
	defer stop()
	told := c.follow(following)
	status, err := c.await(ctx, work)
	if err != nil {
		return nil, 0, err
	}
	select {
	case <-told:
	case <-c.Cluster.Clock.After(3 * time.Second):
	}
	if dirs, err = c.take(work); err != nil {
		return nil, status.Code, model.BrokenError(fmt.Sprintf("the results of the Job %s could not be fetched: %v", c.Job, err),
			fmt.Sprintf("they wait there until %s: loadline fetch %s --namespace %s", status.Until.Format(time.RFC3339), c.Job, c.Cluster.Namespace))
	}
	if _, err := c.exec(work, answerTime, "--release"); err != nil {
		c.Say(fmt.Sprintf("the pod could not be told that it may end (%v); it ends at %s", err, status.Until.Format(time.RFC3339)))
	}
	return dirs, status.Code, nil
}

// await waits for the end of the work.
func (c *Client) await(ctx, work context.Context) (archive.Status, error) {
	heard, stopping, stopped, told := c.Cluster.Clock.Now(), false, false, false
	for {
		asked, cancel := context.WithCancel(work)
		if !stopped {
			context.AfterFunc(ctx, cancel)
		}
		status, err := c.ask(asked)
		cancel()
		switch {
		case err == nil && status.Done:
			return status, nil
		case ctx.Err() != nil && !c.Stops:
			return status, ctx.Err()
		case ctx.Err() != nil && !stopped:
			if !stopping {
				c.Say("stopping the work in the Job; what it has is kept")
				stopping = true
			}
			if _, err = c.exec(work, answerTime, "--stop"); err == nil {
				stopped = true
				continue
			}
		case err == nil:
			heard, told = c.Cluster.Clock.Now(), false
			continue
		}
		if pod, findErr := c.Cluster.FindJob(work, c.Job); findErr == nil && pod != nil && pod.Ended != nil {
			c.pod = pod
			return status, c.salvage(work)
		}
		if c.Cluster.Clock.Since(heard) > lostTime {
			return status, model.BrokenError(fmt.Sprintf("the Job %s could not be reached for %s: %v", c.Job, lostTime, err),
				fmt.Sprintf("it goes on without us: loadline fetch %s --namespace %s", c.Job, c.Cluster.Namespace))
		}
		if !told {
			c.Say(fmt.Sprintf("the Job is not reached (%v); it goes on there, trying again", err))
			told = true
		}
		c.Cluster.Clock.Sleep(time.Second)
	}
}

func (c *Client) ask(ctx context.Context) (s archive.Status, err error) {
	data, err := c.exec(ctx, answerTime, "--ask")
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

// exec runs "loadline job" with a flag in the Job's pod and returns what it prints.
func (c *Client) exec(ctx context.Context, limit time.Duration, flag string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stream, err := c.Cluster.ExecIn(ctx, c.pod.Name, c.pod.Container, "loadline", "job", flag)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	return io.ReadAll(io.LimitReader(stream, longestAnswer))
}

// take brings the results here, in several tries where the way is bad.
func (c *Client) take(ctx context.Context) (dirs []string, err error) {
	for try := 1; ; try++ {
		var refused archive.Refusal
		if dirs, err = c.takeOnce(ctx); err == nil || try == takes || errors.As(err, &refused) {
			return dirs, err
		}
		c.Say(fmt.Sprintf("the results did not arrive (%v); trying again", err))
		c.Cluster.Clock.Sleep(time.Duration(try) * time.Second)
	}
}

func (c *Client) takeOnce(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.Cluster.ExecIn(ctx, c.pod.Name, c.pod.Container, "loadline", "job", "--give")
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	stalled := c.Cluster.Clock.AfterFunc(stall, func() { stream.Close() })
	defer stalled.Stop()
	return archive.Take(progressing{stream, stalled}, c.Results, results.Check)
}

// progressing puts the end off with every byte that comes.
type progressing struct {
	io.Reader
	end *time.Timer
}

func (p progressing) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if n > 0 {
		p.end.Reset(stall)
	}
	return n, err
}

// follow shows the Job's log but for the report in it, until ctx ends. What it returns is
// closed when the log says that the work has ended, or when it may not be read.
func (c *Client) follow(ctx context.Context) <-chan struct{} {
	told := make(chan struct{})
	go func() {
		defer close(told)
		for seen := 0; ctx.Err() == nil; {
			log, err := c.Cluster.Log(ctx, c.pod, true)
			var refused *model.WorkerError
			if errors.As(err, &refused) && refused.Class == model.Refused {
				c.Say(fmt.Sprintf("the progress cannot be shown: %v", err))
				return
			}
			if err == nil {
				var over bool
				seen, over = c.showBehind(log, seen)
				log.Close()
				if over {
					return
				}
			}
			select {
			case <-ctx.Done():
			case <-c.Cluster.Clock.After(time.Second):
			}
		}
	}()
	return told
}

// showBehind shows the lines of a log behind the first seen ones. It returns how many are
// known now, and whether the work is over.
func (c *Client) showBehind(log io.Reader, seen int) (known int, over bool) {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 16<<20)
	inReport := false
	for lines.Scan() {
		line := lines.Text()
		inReport = inReport || line == "{"
		if known++; known > seen && !inReport {
			if strings.HasPrefix(line, KeptWords) {
				return known, true
			}
			c.Show(line)
		}
		inReport = inReport && line != "}"
	}
	return max(known, seen), false
}

// salvage is for a pod that has ended before its results were fetched: the report may
// still be in its log. The error says what is lost.
func (c *Client) salvage(ctx context.Context) error {
	lost := fmt.Sprintf("the run directory of the Job %s is gone with its pod: %v", c.Job, c.pod.Ended)
	log, err := c.Cluster.Log(ctx, c.pod, false)
	if err != nil {
		return model.BrokenError(lost, "run it again")
	}
	defer log.Close()
	text, err := io.ReadAll(io.LimitReader(log, largestLog))
	if err != nil {
		return model.BrokenError(lost, "run it again")
	}
	doc, whole := reportIn(text)
	if _, err := jsonout.Read(doc); !whole || err != nil {
		return model.BrokenError(lost, fmt.Sprintf("see what it said: kubectl logs -n %s job/%s", c.Cluster.Namespace, c.Job))
	}
	dir, err := store.MakeDirectory(c.Results, c.Job)
	if err == nil {
		err = store.WriteFile(dir, store.ReportFile, doc)
	}
	if err != nil {
		return errors.Join(model.BrokenError(lost, ""), err)
	}
	file := filepath.Join(dir, store.ReportFile)
	return model.BrokenError(lost+"; the report was still in its log and is saved in "+file, "loadline report "+safetext.ShellWord(file))
}

// Made tells that the Job is one that loadline made, and by which run; it is known when the
// Job has been fetched.
func (c *Client) Made() (run string, made bool) { return c.pod.Run, c.pod.Made }

// TakeDown removes the Job, what it needed, and what its pod has left when it was killed.
func (c *Client) TakeDown(ctx context.Context, run string) error {
	all, err := c.Cluster.Own(ctx, c.Cluster.Namespace, "")
	if err != nil {
		return err
	}
	var ours []kube.Object
	for _, o := range all {
		// A driver's name begins with its host, which is the Job's pod here.
		if o.Run == run || c.pod != nil && strings.HasPrefix(o.Driver, c.pod.Name+"/") {
			ours = append(ours, o)
		}
	}
	if len(ours) == 0 {
		return nil
	}
	return c.Cluster.Remove(ctx, ours, removeTime)
}

// reportIn is the document in a log: from a line with { to one with }.
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

// jobName matches what the API server takes for the name of a Job.
var jobName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)

// Choose is the Job that was named, or the only one.
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

// DefaultHold is how long a Job's pod keeps its results: over a night, and a day after it.
const DefaultHold = 24 * time.Hour

// AskPatience is how long the question after the end waits for it.
const AskPatience = 10 * time.Second

// KeptWords begin the line of a Job's log behind which nothing more is measured.
const KeptWords = "kept    the results"
