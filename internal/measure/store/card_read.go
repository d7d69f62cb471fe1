package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// ledgerFile is the file with which every durability test begins.
const ledgerFile = "ledger.jsonl"

// timestampPrefix matches the beginning of a run directory's name.
var timestampPrefix = regexp.MustCompile(`^\d{8}-\d{6}(-|$)`)

// IsRecognized reports whether a card can be read or computed for a directory, whatever its state,
// judging by its name and the names inside it.
func IsRecognized(name string, entries []fs.DirEntry) bool {
	if timestampPrefix.MatchString(name) {
		return true
	}
	sides := 0
	for _, e := range entries {
		switch e.Name() {
		case planFile, runFile, samplesFile, ReportFile, ComparisonFile, ledgerFile, traceFile, CardFile:
			return true
		case BaselineDir, CandidateDir:
			if e.IsDir() {
				sides++
			}
		}
	}
	return sides == 2
}

// ReadCard reads the card of a directory, or computes it from whatever else is there, and returns
// sentences about what is wrong with the directory. It writes nothing.
func ReadCard(files fs.FS, name string) (Card, []string) {
	switch {
	case fileExists(files, ComparisonFile) || !fileExists(files, planFile) && fileExists(files, BaselineDir) && fileExists(files, CandidateDir):
		return readComparisonCard(files, name)
	case fileExists(files, ledgerFile):
		return readDurabilityCard(files, name)
	case fileExists(files, traceFile):
		return readTraceCard(files, name)
	}
	return readRunCard(files, name)
}

// readRunCard reads the card of a run. For a killed or a running one, which has no report, it uses
// the plan.
func readRunCard(files fs.FS, name string) (Card, []string) {
	done, damage := finishedCard(files)
	if done != nil {
		return *done, nil
	}
	c := Card{Schema: cardSchema, Kind: UnknownCard, ID: name}
	var plan model.Plan
	if err := readJSON(files, planFile, &plan); err != nil {
		damage = append(damage, missingFile(planFile, err))
	} else {
		c.Kind, c.Profile, c.Note = scenarioKind(plan.Experiment.Scenario), plan.Experiment.Profile, plan.Experiment.Note
		// A finished run is listed under the same name.
		c.Target, c.TargetKind = plan.Volume.Target.Place(), plan.Volume.Target.Kind
	}
	var run model.Run
	if err := readJSON(files, runFile, &run); err != nil {
		damage = append(damage, missingFile(runFile, err))
	} else {
		c.ID, c.Started, c.Finished, c.Status, c.Reason = run.ID, run.Started, run.Finished, run.Status, run.Reason
		c.Labels = run.Labels
	}
	var from model.Imported
	if err := readJSON(files, importedFile, &from); err == nil {
		c.dateImported(from.At, from.Measured)
	}
	if c.Kind == UnknownCard && run.Schema != "" {
		c.Kind = runCard
	}
	if c.Status == model.Running && !locked(files, samplesFile) {
		c.Status, c.Reason = model.Interrupted, killedReason
	}
	var env model.Environment
	if err := readJSON(files, environmentFile, &env); err == nil {
		c.Host = env.Hostname
	}
	return c, damage
}

// scenarioKind returns the kind of a run of a scenario.
func scenarioKind(scenario string) CardKind {
	switch {
	case strings.HasPrefix(scenario, "sweep"):
		return SweepCard
	case strings.HasPrefix(scenario, "scale"):
		return ScaleCard
	}
	return runCard
}

// finishedCard returns the card of a finished test: the saved one, or else that of the report. It
// returns nil if there is no report or it cannot be read; damage says what is wrong with it.
func finishedCard(files fs.FS) (done *Card, damage []string) {
	if c, ok := readSavedCard(files, ReportFile); ok {
		return &c, nil
	}
	if !fileExists(files, ReportFile) {
		return nil, nil
	}
	c, err := reportedCard(files)
	if err != nil {
		return nil, []string{fmt.Sprintf("%s cannot be read: %v", ReportFile, err)}
	}
	return &c, nil
}

// reportedCard computes a card from report.json, which may be that of a durability test.
func reportedCard(files fs.FS) (Card, error) {
	data, err := ReadDocument(files, ReportFile)
	if err != nil {
		return Card{}, err
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Card{}, err
	}
	var c Card
	switch head.Schema {
	case model.ReportSchema:
		var r model.Report
		err = json.Unmarshal(data, &r)
		c = CardOfReport(&r)
	case model.DurabilitySchema:
		var d model.Durability
		err = json.Unmarshal(data, &d)
		c = CardOfDurability(&d)
	case iotrace.Schema:
		var t iotrace.Report
		err = json.Unmarshal(data, &t)
		c = CardOfTrace(&t)
	default:
		err = fmt.Errorf("its schema is %q", head.Schema)
	}
	c.Document = int64(len(data))
	return c, err
}

// readComparisonCard reads the card of a comparison; while that is being measured there is no
// document, only the two sides.
func readComparisonCard(files fs.FS, name string) (Card, []string) {
	if c, ok := readSavedCard(files, ComparisonFile); ok {
		return c, nil
	}
	var damage []string
	if fileExists(files, ComparisonFile) {
		var r model.Comparison
		data, err := ReadDocument(files, ComparisonFile)
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err == nil && r.Schema != model.ComparisonSchema {
			err = fmt.Errorf("its schema is %q", r.Schema)
		}
		if err == nil {
			c := CardOfComparison(&r)
			c.Document = int64(len(data))
			return c, nil
		}
		damage = append(damage, fmt.Sprintf("%s cannot be read: %v", ComparisonFile, err))
	}
	var sides [2]Card
	for i, dir := range Sides {
		side, err := fs.Sub(files, dir)
		if err != nil {
			return Card{Schema: cardSchema, Kind: ComparisonCard, ID: name}, append(damage, err.Error())
		}
		var wrong []string
		sides[i], wrong = readRunCard(side, dir)
		for _, w := range wrong {
			damage = append(damage, dir+": "+w)
		}
	}
	c := sides[1]
	c.Kind, c.ID, c.Baseline, c.Results, c.Verdict, c.Document = ComparisonCard, name, sides[0].Target, nil, "", 0
	if sides[0].Status == model.Running || c.Status == model.Complete {
		c.Status, c.Reason = sides[0].Status, sides[0].Reason
	}
	return c, damage
}

// readDurabilityCard reads the card of a durability test; one that was cut short has no report, only
// its ledger.
func readDurabilityCard(files fs.FS, name string) (Card, []string) {
	done, damage := finishedCard(files)
	if done != nil {
		return *done, nil
	}
	c := Card{Schema: cardSchema, Kind: DurabilityCard, ID: name, Status: model.Interrupted,
		Reason: "the test has not come to an end: loadline durability --resume checks what it wrote"}
	var first struct {
		Header *struct {
			ID          string            `json:"id"`
			Started     time.Time         `json:"started"`
			Target      model.Target      `json:"target"`
			Labels      model.Labels      `json:"labels"`
			Environment model.Environment `json:"environment"`
		} `json:"header"`
	}
	line, err := firstLine(files, ledgerFile)
	if err == nil {
		err = json.Unmarshal(line, &first)
	}
	switch {
	case err != nil:
		return c, append(damage, missingFile(ledgerFile, err))
	case first.Header == nil:
		return c, append(damage, ledgerFile+" does not begin with its header")
	}
	c.ID, c.Started, c.Host = first.Header.ID, first.Header.Started, first.Header.Environment.Hostname
	c.Target, c.TargetKind, c.Labels = first.Header.Target.Place(), first.Header.Target.Kind, first.Header.Labels
	if locked(files, ledgerFile) {
		c.Status, c.Reason = model.Running, ""
	}
	return c, damage
}

// readTraceCard reads the card of a trace; one that was cut short has no report, only its record.
func readTraceCard(files fs.FS, name string) (Card, []string) {
	done, damage := finishedCard(files)
	if done != nil {
		return *done, nil
	}
	var t iotrace.Report
	if err := readJSON(files, traceFile, &t.Run); err != nil {
		return Card{Schema: cardSchema, Kind: TraceCard, ID: name}, append(damage, missingFile(traceFile, err))
	}
	if t.Run.Status == model.Running && !locked(files, samplesFile) {
		t.Run.Status, t.Run.Reason = model.Interrupted, killedReason
	}
	c := CardOfTrace(&t)
	c.Statement = ""
	return c, damage
}

// readSavedCard reads the saved card; it is only valid while the document from which it was
// computed is still there.
func readSavedCard(files fs.FS, document string) (Card, bool) {
	var c Card
	if err := readJSON(files, CardFile, &c); err != nil || c.Schema != cardSchema || c.Document == 0 {
		return c, false
	}
	if c.TargetKind == model.Foreign && c.Imported.IsZero() {
		// It was saved when a card said that numbers of unknown age were measured when they were imported.
		return c, false
	}
	info, err := fs.Stat(files, document)
	return c, err == nil && info.Size() == c.Document
}

func fileExists(files fs.FS, name string) bool {
	_, err := fs.Stat(files, name)
	return err == nil
}

// missingFile returns a sentence about a file that should be there and readable.
func missingFile(name string, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no " + name
	}
	return fmt.Sprintf("%s cannot be read: %v", name, err)
}

func firstLine(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bufio.NewReader(io.LimitReader(f, 1<<20)).ReadBytes('\n')
}
