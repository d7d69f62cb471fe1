package kbench

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Request is what run.sh's arguments and environment ask for.
type Request struct {
	// File is the file or device that is measured. It is overwritten.
	File string
	// Prefix is the prefix of the names of the results.
	Prefix string
	// SizeText is the size as given, Size the same in bytes.
	SizeText string
	Size     int64
	Mode     string
	// IdleProfile requests the CPU's idleness.
	IdleProfile bool
	// RateIOPS (1/s) and RateBandwidth (bytes/s) limit each direction.
	RateIOPS, RateBandwidth Rates
	// SkipParse omits the summary, LongRun measures until told to end.
	SkipParse, LongRun bool
	// Remarks are sentences about outdated or doubtful settings.
	Remarks []string
}

// Rates are limits of reads and of writes; 0 means none.
type Rates struct{ Read, Write float64 }

// Of returns the limit of a direction.
func (r Rates) Of(d model.Direction) float64 {
	if d == model.Write {
		return r.Write
	}
	return r.Read
}

// Parse parses run.sh's arguments (FILE, PREFIX, SIZE), which take precedence over the environment, and
// the environment. Missing or invalid values are refused.
func Parse(args []string, getenv func(string) string) (Request, error) {
	argument := func(i int, variable, otherwise string) string {
		if len(args) > i && args[i] != "" {
			return args[i]
		}
		if v := getenv(variable); v != "" {
			return v
		}
		return otherwise
	}
	if len(args) > 3 {
		return Request{}, refused(fmt.Sprintf("too many arguments: %q; only FILE, PREFIX and SIZE are accepted", args[3]), "")
	}
	r, err := parseRest(getenv)
	if err != nil {
		return Request{}, err
	}
	if r.File = argument(0, "FILE_NAME", ""); r.File == "" {
		return Request{}, refused("no file to measure is named", "set FILE_NAME, or give the file as the first argument")
	}
	r.Prefix = argument(1, "OUTPUT", "./test_device")
	if len(args) > 2 && args[2] == "" && getenv("SIZE") == "" {
		r.Remarks = append(r.Remarks, "SIZE is given, but empty: taken for "+defaultSize)
	}
	return r, r.size(argument(2, "SIZE", defaultSize))
}

const defaultSize = "10g"

func (r *Request) size(text string) error {
	n, err := units.ParseSize(text)
	if err != nil || n <= 0 {
		return refused(fmt.Sprintf("SIZE %q is not a size", text), "write it like 10g, 30G or 512M")
	}
	r.SizeText, r.Size = text, n
	return nil
}

// parseRest parses what a single run and a comparison have in common.
func parseRest(getenv func(string) string) (Request, error) {
	r := Request{
		Mode: getenv("MODE"), IdleProfile: getenv("CPU_IDLE_PROF") == "enabled",
		SkipParse: getenv("SKIP_PARSE") != "", LongRun: getenv("LONG_RUN") == "true",
	}
	if v := getenv("CPU_IDLE_PROF"); v != "" && v != "enabled" && v != "disabled" {
		r.Remarks = append(r.Remarks, fmt.Sprintf("CPU_IDLE_PROF=%s is neither enabled nor disabled: taken for disabled", v))
	}
	if v := getenv("LONG_RUN"); v != "" && v != "true" && v != "false" {
		r.Remarks = append(r.Remarks, fmt.Sprintf("LONG_RUN=%s is neither true nor false: taken for false, so it measures once", v))
	}
	if getenv("QUICK_MODE") != "" {
		r.Remarks = append(r.Remarks, "QUICK_MODE is outdated: set MODE=quick")
		r.Mode = quick
	}
	if r.Mode == "" {
		r.Mode = full
	}
	if err := checkMode(r.Mode); err != nil {
		return r, err
	}
	var err error
	if r.RateIOPS, err = parseRates("RATE_IOPS", getenv("RATE_IOPS"), func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }); err != nil {
		return r, err
	}
	for _, v := range []float64{r.RateIOPS.Read, r.RateIOPS.Write} {
		if instead, ok := units.WholeRate(v); !ok {
			return r, refused(fmt.Sprintf("RATE_IOPS=%s: %g is not "+units.WholeRates+", and fio keeps to no other rate", getenv("RATE_IOPS"), v),
				fmt.Sprintf("set %s in place of %g", instead, v))
		}
	}
	r.RateBandwidth, err = parseRates("RATE", getenv("RATE"), func(s string) (float64, error) {
		n, err := units.ParseSize(s)
		return float64(n), err
	})
	return r, err
}

// parseRates parses fio's "READS,WRITES,TRIMS", of which each may be empty; a single value applies to
// all directions (fio's HOWTO, "rate").
func parseRates(variable, text string, number func(string) (float64, error)) (Rates, error) {
	if text == "" {
		return Rates{}, nil
	}
	parts := strings.Split(text, ",")
	if len(parts) == 1 {
		parts = append(parts, parts[0])
	}
	var values [2]float64
	for i, part := range parts[:2] {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		v, err := number(part)
		if err != nil || !(v >= 1 && v < 1e15) {
			return Rates{}, refused(fmt.Sprintf("%s=%s is not a rate: %q is not understood", variable, text, part),
				variable+" takes one value, or READS,WRITES with either left out")
		}
		values[i] = v
	}
	if len(parts) > 3 || values == [2]float64{} {
		return Rates{}, refused(fmt.Sprintf("%s=%s is not a rate", variable, text), variable+" takes one value, or READS,WRITES with either left out")
	}
	return Rates{Read: values[0], Write: values[1]}, nil
}

// Jobs returns the names of the jobs in the order in which they run.
func (r Request) Jobs() []string { return jobsOf(r.Mode) }

// Times returns the unmeasured and the measured time of each job in seconds.
func (r Request) Times() (ramp, measured float64) {
	if r.Mode == quick {
		return 1, 5
	}
	return 5, 20
}

// Limited returns the workloads with the requested rates.
func (r Request) Limited(workloads []model.Workload) []model.Workload {
	limited := make([]model.Workload, len(workloads))
	for i, w := range workloads {
		w.RateIOPS, w.RateBandwidth = r.RateIOPS.Of(w.Direction), r.RateBandwidth.Of(w.Direction)
		limited[i] = w
	}
	return limited
}

// OutputFile returns the file of an aspect's results.
func (r Request) OutputFile(a Aspect) string { return r.Prefix + "-" + string(a) + ".json" }

// SummaryFile returns the file of the summary.
func (r Request) SummaryFile() string { return r.Prefix + ".summary" }

// ReportFile returns the file of Loadline's own report; Kbench has none.
func (r Request) ReportFile() string { return r.Prefix + "-report.json" }

// refused returns an error with exit code 2, as before any I/O. Kbench ends with 1 whatever is wrong, but its Jobs only tell 0
// from the rest.
func refused(message, hint string) error { return model.RefusedError(message, hint) }
