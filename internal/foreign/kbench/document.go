package kbench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// document has the fields that are read from a results file, which is fio's own JSON.
type document struct {
	Jobs []job     `json:"jobs"`
	Idle *idleness `json:"cpu_idleness"`
}

type job struct {
	Name  string `json:"jobname"`
	Read  flow   `json:"read"`
	Write flow   `json:"write"`
}

type flow struct {
	IOs           uint64  `json:"total_ios"`
	IOPSMean      float64 `json:"iops_mean"`
	BandwidthMean float64 `json:"bw_mean"`
	Latency       struct {
		Mean float64 `json:"mean"`
	} `json:"lat_ns"`
}

// idleness has the results of fio's --idle-prof; System is a percentage.
type idleness struct {
	System float64 `json:"system"`
}

// Values are the numbers that Kbench reports, in its units (1/s, KiB/s, ns).
type Values struct {
	// Jobs is indexed by the job's name; what was not measured is missing.
	Jobs map[string]float64
	// Idle is the CPU's idleness in percent.
	Idle map[Aspect]float64
}

// Read adds the contents of a results file. Jobs are found by their names, regardless of position;
// those with other names are ignored. The error says what is wrong if a file is not fio's JSON.
func (v *Values) Read(data []byte) error {
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return fmt.Errorf("it is not fio's JSON: %w", err)
	}
	if v.Jobs == nil {
		v.Jobs, v.Idle = map[string]float64{}, map[Aspect]float64{}
	}
	for _, j := range d.Jobs {
		p, ok := Identify(j.Name)
		if !ok {
			continue
		}
		f := j.Read
		if p.Type == "write" {
			f = j.Write
		}
		if f.IOs == 0 {
			continue
		}
		for _, a := range aspects {
			if a.name == p.Aspect {
				v.Jobs[j.Name] = a.number(f)
			}
		}
		if d.Idle != nil {
			v.Idle[p.Aspect] = d.Idle.System
		}
	}
	return nil
}

// compose builds the file of an aspect from the fio outputs of its jobs, one process each, in the given
// order: one fio document with all jobs in it, as a single process would write it. An output may
// contain several documents and lines of text; the last document is the final one. Histograms are left
// out: they are large, and Kbench has none. idle is the CPU's idleness in percent, nil if not
// requested.
func compose(outputs [][]byte, idle *float64) ([]byte, error) {
	var whole map[string]any
	var jobs []any
	for _, output := range outputs {
		last, err := lastDocument(output)
		if err != nil {
			return nil, err
		}
		list, _ := last["jobs"].([]any)
		if len(list) == 0 {
			return nil, errors.New("fio's output holds no job")
		}
		jobs = append(jobs, list...)
		whole = last
	}
	if whole == nil {
		return nil, errors.New("there is no output of fio")
	}
	whole["jobs"] = jobs
	if idle != nil {
		whole["cpu_idleness"] = idleness{System: *idle}
	}
	strip(whole)
	data, err := json.MarshalIndent(whole, "", "  ")
	return append(data, '\n'), err
}

// lastDocument decodes the last of fio's documents, which begin with a brace at the start of a line.
func lastDocument(output []byte) (map[string]any, error) {
	at := bytes.LastIndex(output, []byte("\n{"))
	if at < 0 && !bytes.HasPrefix(output, []byte("{")) {
		return nil, errors.New("fio's output holds no document")
	}
	d := json.NewDecoder(bytes.NewReader(output[at+1:]))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("the last document of fio's output cannot be read: %w", err)
	}
	return doc, nil
}

// strip removes the histograms.
func strip(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "bins")
		for _, inner := range v {
			strip(inner)
		}
	case []any:
		for _, inner := range v {
			strip(inner)
		}
	}
}
