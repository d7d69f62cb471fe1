package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/custody"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/kube"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/format"
	"github.com/loadline/loadline/internal/report/jsonout"
	"github.com/loadline/loadline/internal/results"
	"github.com/loadline/loadline/internal/store"
)

// errand brings home what a Job has measured.
type errand struct {
	env    *env.Env
	client *kube.Client
	job    string
	// ready bounds the waiting for the Job's pod.
	ready time.Duration
	// results is where the run directory is to go.
	results string
	// stops tells that an interrupt stops the work; without it the work goes on.
	stops bool
	// say gets remarks for people, show the lines of the Job's log.
	say, show func(string)

	// pod is where the work is done, once that is known.
	pod *kube.JobPod
}

const (
	// answerTime bounds a question to the pod that waits askPatience there.
	answerTime = 15*time.Second + askPatience
	// stall is how long the results may stop flowing.
	stall = time.Minute
	// lostTime is how long the pod may not answer while it is not known to have ended.
	lostTime = 10 * time.Minute
	// longestAnswer bounds what the pod answers to a question, in bytes.
	longestAnswer = 1 << 20
	// largestLog bounds how much of its log is searched for a report: no report is larger,
	// and the lines of progress before it are short and few.
	largestLog = 80 << 20
	// takes is how often the results are asked for.
	takes = 5
)

// fetch follows the work to its end, and brings back what it has saved: the directories
// and the exit code of the command.
func (f *errand) fetch(ctx context.Context) (dirs []string, code int, err error) {
	if f.pod, err = f.client.WaitJob(ctx, f.job, f.ready, f.say); err != nil {
		return nil, 0, err
	}
	// What is fetched is fetched whole, also when the user has lost patience with the work.
	work := context.WithoutCancel(ctx)
	if f.pod.Ended != nil {
		return nil, 0, f.salvage(work)
	}
	following, stop := context.WithCancel(work)
	defer stop()
	told := f.follow(following)
	status, err := f.await(ctx, work)
	if err != nil {
		return nil, 0, err
	}
	select {
	case <-told:
	case <-time.After(3 * time.Second):
	}
	if dirs, err = f.take(work); err != nil {
		return nil, status.Code, model.BrokenError(fmt.Sprintf("the results of the Job %s could not be fetched: %v", f.job, err),
			fmt.Sprintf("they wait there until %s: loadline fetch %s --namespace %s", status.Until.Format(time.RFC3339), f.job, f.client.Namespace))
	}
	if _, err := f.exec(work, answerTime, "--release"); err != nil {
		f.say(fmt.Sprintf("the pod could not be told that it may end (%v); it ends at %s", err, status.Until.Format(time.RFC3339)))
	}
	return dirs, status.Code, nil
}

// await waits for the end of the work.
func (f *errand) await(ctx, work context.Context) (custody.Status, error) {
	heard, stopping, stopped, told := time.Now(), false, false, false
	for {
		asked, cancel := context.WithCancel(work)
		if !stopped {
			context.AfterFunc(ctx, cancel)
		}
		status, err := f.ask(asked)
		cancel()
		switch {
		case err == nil && status.Done:
			return status, nil
		case ctx.Err() != nil && !f.stops:
			return status, ctx.Err()
		case ctx.Err() != nil && !stopped:
			if !stopping {
				f.say("stopping the work in the Job; what it has is kept")
				stopping = true
			}
			if _, err = f.exec(work, answerTime, "--stop"); err == nil {
				stopped = true
				continue
			}
		case err == nil:
			heard, told = time.Now(), false
			continue
		}
		if pod, findErr := f.client.FindJob(work, f.job); findErr == nil && pod != nil && pod.Ended != nil {
			f.pod = pod
			return status, f.salvage(work)
		}
		if time.Since(heard) > lostTime {
			return status, model.BrokenError(fmt.Sprintf("the Job %s could not be reached for %s: %v", f.job, lostTime, err),
				fmt.Sprintf("it goes on without us: loadline fetch %s --namespace %s", f.job, f.client.Namespace))
		}
		if !told {
			f.say(fmt.Sprintf("the Job is not reached (%v); it goes on there, trying again", err))
			told = true
		}
		time.Sleep(time.Second)
	}
}

func (f *errand) ask(ctx context.Context) (s custody.Status, err error) {
	data, err := f.exec(ctx, answerTime, "--ask")
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

// exec runs "loadline job" with a flag in the Job's pod and returns what it prints.
func (f *errand) exec(ctx context.Context, limit time.Duration, flag string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stream, err := f.client.ExecIn(ctx, f.pod.Name, f.pod.Container, "loadline", "job", flag)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	return io.ReadAll(io.LimitReader(stream, longestAnswer))
}

// take brings the results here, in several tries where the way is bad.
func (f *errand) take(ctx context.Context) (dirs []string, err error) {
	for try := 1; ; try++ {
		var refused custody.Refusal
		if dirs, err = f.takeOnce(ctx); err == nil || try == takes || errors.As(err, &refused) {
			return dirs, err
		}
		f.say(fmt.Sprintf("the results did not arrive (%v); trying again", err))
		time.Sleep(time.Duration(try) * time.Second)
	}
}

func (f *errand) takeOnce(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := f.client.ExecIn(ctx, f.pod.Name, f.pod.Container, "loadline", "job", "--give")
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	stalled := time.AfterFunc(stall, func() { stream.Close() })
	defer stalled.Stop()
	return custody.Take(progressing{stream, stalled}, f.results, results.Check)
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
func (f *errand) follow(ctx context.Context) <-chan struct{} {
	told := make(chan struct{})
	go func() {
		defer close(told)
		for seen := 0; ctx.Err() == nil; {
			log, err := f.client.Log(ctx, f.pod, true)
			var refused *model.WorkerError
			if errors.As(err, &refused) && refused.Class == model.Refused {
				f.say(fmt.Sprintf("the progress cannot be shown: %v", err))
				return
			}
			if err == nil {
				var over bool
				seen, over = f.showBehind(log, seen)
				log.Close()
				if over {
					return
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}()
	return told
}

// showBehind shows the lines of a log behind the first seen ones. It returns how many are
// known now, and whether the work is over.
func (f *errand) showBehind(log io.Reader, seen int) (known int, over bool) {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 16<<20)
	inReport := false
	for lines.Scan() {
		line := lines.Text()
		inReport = inReport || line == "{"
		if known++; known > seen && !inReport {
			if strings.HasPrefix(line, keptWords) {
				return known, true
			}
			f.show(line)
		}
		inReport = inReport && line != "}"
	}
	return max(known, seen), false
}

// salvage is for a pod that has ended before its results were fetched: the report may
// still be in its log. The error says what is lost.
func (f *errand) salvage(ctx context.Context) error {
	lost := fmt.Sprintf("the run directory of the Job %s is gone with its pod: %v", f.job, f.pod.Ended)
	log, err := f.client.Log(ctx, f.pod, false)
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
		return model.BrokenError(lost, fmt.Sprintf("see what it said: kubectl logs -n %s job/%s", f.client.Namespace, f.job))
	}
	dir, err := store.MakeDirectory(f.results, f.job)
	if err == nil {
		err = store.WriteFile(dir, store.ReportFile, doc)
	}
	if err != nil {
		return errors.Join(model.BrokenError(lost, ""), err)
	}
	file := filepath.Join(dir, store.ReportFile)
	return model.BrokenError(lost+"; the report was still in its log and is saved in "+file, "loadline report "+model.ShellWord(file))
}

// print shows what was fetched, as the verb that measured it would.
func (f *errand) print(dirs []string, output string) error {
	format, err := format.Choose(output, "")
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		d, err := results.Read([]string{dir})
		if err != nil {
			return err
		}
		files, err := format.Write(&d.Documents, terminalOptions(f.env.Output))
		if err != nil {
			return err
		}
		if _, err := format.Stream(f.env.Stdout).Write(files[0].Data); err != nil {
			return err
		}
		sayLine(f.env.Stderr, "fetched %s", dir)
	}
	return nil
}

// takeDown removes the Job, what it needed, and what its pod has left when it was killed.
func (f *errand) takeDown(ctx context.Context, run string) error {
	all, err := f.client.Own(ctx, f.client.Namespace, "")
	if err != nil {
		return err
	}
	var ours []kube.Object
	for _, o := range all {
		// A driver's name begins with its host, which is the Job's pod here.
		if o.Run == run || f.pod != nil && strings.HasPrefix(o.Driver, f.pod.Name+"/") {
			ours = append(ours, o)
		}
	}
	if len(ours) == 0 {
		return nil
	}
	return f.client.Remove(ctx, ours, cleanupTime)
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
