package store

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// written creates a file of samples as a run does: line is called with the second and the worker, and
// the file is flushed after every so many seconds (0: never, as in an import).
func written(t *testing.T, seconds, workers, every int, line func(second, worker int) string) fs.FS {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, samplesFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := newCompressor(f)
	if err != nil {
		t.Fatal(err)
	}
	b := bufio.NewWriter(zip)
	for s := range seconds {
		for w := range workers {
			b.WriteString(line(s, w))
		}
		if every > 0 && s%every == 0 {
			if err := errors.Join(b.Flush(), zip.Flush()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(b.Flush(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return os.DirFS(dir)
}

// A day of plausible seconds is within the bounds, including those that compress best and take the
// most memory relative to their text: stalled storage, and seconds without histograms.
func TestADayIsWithinTheBounds(t *testing.T) {
	const day = 86400
	stalled := func(s, w int) string {
		return fmt.Sprintf(`{"step":1,"worker":%d,"t":%d.0001,"s":1,"w":{"ios":0,"bytes":0}}`+"\n", w, s+1)
	}
	even := func(s, w int) string {
		ios := 1000 + (s*7+w*3)%11
		return fmt.Sprintf(`{"step":1,"worker":%d,"t":%d.00%d,"s":1,"r":{"ios":%d,"bytes":%d,"lat":1,"max":0.001},"w":{"ios":%d,"bytes":%d,"lat":1,"max":0.001}}`+"\n",
			w, s+1, ios%13, ios, ios*4096, ios+s%5, (ios+s%5)*4096)
	}
	for name, c := range map[string]struct {
		workers, every int
		line           func(s, w int) string
	}{
		"one stalled": {1, 2, stalled}, "eight stalled": {8, 2, stalled}, "an import": {1, 0, stalled}, "an even import": {2, 0, even}, "four even": {4, 2, even},
	} {
		t.Run(name, func(t *testing.T) {
			samples, err := readSamples(written(t, day, c.workers, c.every, c.line), samplesFile)
			if err != nil || len(samples) != day*c.workers {
				t.Errorf("%d samples, %v", len(samples), err)
			}
		})
	}
}

// The longest possible line of a second can be read.
func TestTheLongestSecondIsWithinTheBounds(t *testing.T) {
	var f model.Flow
	for bucket := range 1856 {
		f.Histogram.Add(uint16(bucket), 1<<63)
	}
	w := begin(t, t.TempDir())
	for i := range 100 {
		if err := w.Sample(model.Sample{Step: 1, End: float64(i + 1), Seconds: 1, Read: &f, Write: &f, Sync: &f}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(model.Complete, ""); err != nil {
		t.Fatal(err)
	}
	rec, err := Read(w.Dir())
	if err != nil || len(rec.Samples) != 100 || len(rec.Damage) > 0 {
		t.Errorf("%d samples, %v, %v", len(rec.Samples), rec.Damage, err)
	}
}

// Follow has the same bounds as reading, since it too reads files written by others.
func TestFollowIsBounded(t *testing.T) {
	for name, line := range map[string]string{"an endless line": strings.Repeat(" ", 1<<20), "no sample": "{}\n"} {
		files := written(t, 100, 1, 0, func(int, int) string { return line })
		err := Follow(t.Context(), env.Clock{}, files, time.Millisecond, func(model.Sample) {}, func() {})
		if !isBoundError(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No name in a folder leads out of it, and only regular files are opened.
func TestFolderLeadsNowhere(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "run")
	for _, err := range []error{
		os.Mkdir(dir, 0o755), os.Mkdir(filepath.Join(home, "other"), 0o755),
		os.WriteFile(filepath.Join(home, "victim"), []byte("mine"), 0o644),
		os.Symlink(filepath.Join(home, "victim"), filepath.Join(dir, "absolute")), os.Symlink("../victim", filepath.Join(dir, "relative")),
		os.Symlink("../other", filepath.Join(dir, "folder")), os.WriteFile(filepath.Join(dir, "plain"), []byte("x"), 0o644),
		os.Symlink("plain", filepath.Join(dir, "within")), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, name := range []string{"absolute", "relative", "within", "pipe", "folder", "folder/x", "../victim"} {
		if data, err := fs.ReadFile(f.Files(), name); err == nil {
			t.Errorf("%s was read: %q", name, data)
		}
	}
	for _, name := range []string{"folder", "..", ".", "plain", "pipe", "none"} {
		if sub, err := f.Sub(name); err == nil {
			t.Errorf("%s was opened as a folder", name)
			sub.Close()
		}
	}
	for _, name := range []string{"absolute", "relative", "within", "pipe", "plain", "new"} {
		if err := f.Write(name, []byte("ours")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode() != fileMode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	for _, name := range []string{"folder/x", "../victim", filepath.Join(home, "victim")} {
		if err := f.Write(name, []byte("ours")); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if data, err := os.ReadFile(filepath.Join(home, "victim")); err != nil || string(data) != "mine" {
		t.Errorf("the victim holds %q, %v", data, err)
	}
	for _, d := range []string{dir, filepath.Join(home, "other")} {
		left, err := filepath.Glob(filepath.Join(d, "{.tmp-*,x}"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// A writer that cannot save reports that once and keeps the rest in memory, and its record never says
// that the run completed.
func TestWriterThatCannotSave(t *testing.T) {
	w := begin(t, t.TempDir())
	record(t, w, 6)
	if err := w.Step(model.StepResult{Step: model.Step{Number: 1, Workload: "a"}}); err != nil {
		t.Fatal(err)
	}
	// As on a full disk: nothing more can be written to the file.
	w.file.Close()
	had, said := len(w.run.Steps), 0
	for i := range 3 {
		if err := w.Step(model.StepResult{Step: model.Step{Number: 2 + i, Workload: "a"}}); err != nil {
			said++
		}
	}
	if said != 1 {
		t.Errorf("%d errors, want one", said)
	}
	if err := w.Finish(model.Complete, ""); err == nil {
		t.Error("the end was saved")
	}
	rec, err := w.Recorded()
	if err != nil || len(rec.Run.Steps) != had+3 || len(rec.Samples) != 6 {
		t.Errorf("%d steps, %d samples, %v", len(rec.Run.Steps), len(rec.Samples), err)
	}
	again, err := Read(w.Dir())
	if err != nil || again.Run.Status == model.Complete || len(again.Damage) > 0 {
		t.Errorf("the record says %s: %s %v, %v", again.Run.Status, again.Run.Reason, again.Damage, err)
	}
}

// Neither the secrets in a storage class nor those typed by the user are recorded.
func TestSecretsAreNotSaved(t *testing.T) {
	const secret = "hunter2"
	target := model.Target{Name: "nbd://bob:" + secret + "@a/d", Kind: model.NBD, URI: "nbd://bob:" + secret + "@a/d"}
	w, err := Create(t.TempDir(), time.Now, Start{
		Experiment: []byte("target: nbd://bob:" + secret + "@a/d\n"),
		Plan:       model.Plan{Schema: model.PlanSchema, Experiment: model.Experiment{Target: target.Name}, Volume: model.Volume{Target: target}},
		Run:        model.Run{ID: "x", Command: []string{"loadline", "run", target.Name, "--header", "X-Auth-Token: " + secret}},
		Environment: model.Environment{Cluster: &model.Cluster{
			Parameters: map[string]string{"encryptionKey": secret, "csi.storage.k8s.io/node-stage-secret-name": "rook", "numberOfReplicas": "3"},
			Attributes: map[string]string{"password": secret},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(w.Raw(model.Raw{Name: "0001-a.fio", Data: []byte("[a]\nuri=" + target.URI + "\n")}),
		w.Step(model.StepResult{Step: model.Step{Number: 1}, Error: "cannot reach " + target.URI}), w.Finish(model.Failed, "cannot reach "+target.URI))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(w.Dir(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds the secret: %s", path, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := Read(w.Dir())
	if err != nil || rec.Environment.Cluster.Parameters["csi.storage.k8s.io/node-stage-secret-name"] != "rook" || rec.Environment.Cluster.Parameters["numberOfReplicas"] != "3" {
		t.Errorf("%+v, %v", rec.Environment.Cluster, err)
	}
}

// A record that could not be read any more is not written: what there is remains readable.
func TestAFullRecord(t *testing.T) {
	w := begin(t, t.TempDir())
	record(t, w, 6)
	if err := w.Step(model.StepResult{Step: model.Step{Number: 1, Workload: "a"}}); err != nil {
		t.Fatal(err)
	}
	had, many := len(w.run.Steps), make([]model.StepResult, 66)
	for i := range many {
		many[i] = model.StepResult{Step: model.Step{Number: 2 + i, Workload: "a"}, Raw: strings.Repeat("x", 1<<20)}
	}
	if err := w.Step(many...); err == nil || !strings.Contains(err.Error(), "the record of this run is full") {
		t.Errorf("got %v", err)
	}
	if err := w.Finish(model.Complete, ""); err == nil {
		t.Error("the end was recorded as if all were well")
	}
	if rec, err := Read(w.folder.name); err != nil || len(rec.Run.Steps) != had || rec.Run.Status != model.Failed {
		t.Errorf("%v", err)
	}
}
