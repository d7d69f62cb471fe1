package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Job is one access pattern for plain fio. The zero value of a field means its default.
type Job struct {
	// Pattern is fio's rw=; randread by default.
	Pattern string
	// BlockSize is in bytes; 4096 by default.
	BlockSize int64
	// Depth is the number of I/Os in flight; 1 by default.
	Depth int
	// Jobs is the number of concurrent identical processes, each with its own
	// connection and Depth; 1 by default.
	Jobs int
	// Ramp is not measured, Time is; half a second and two seconds by default.
	Ramp, Time time.Duration
	// Options are added unchanged, such as "--continue_on_error=all".
	Options []string
}

// Measured is fio's result for a job, reads and writes together.
type Measured struct {
	// IOPS in 1/s and BytesPerSecond are averages over the measured time.
	IOPS, BytesPerSecond float64
	// P50 and P99 are percentiles of fio's completion latency (clat), of the direction with
	// more I/Os. The resolution of fio's histogram is about 1.5 %.
	P50, P99 time.Duration
	// Total is the number of I/Os measured, Reads the number of reads among them; Errors is how many
	// failed, including in the ramp.
	Total, Reads, Errors int64
	// ExitCode is that of fio, and Messages is what it printed on standard error.
	ExitCode int
	Messages string
}

// fioOutput is the part of fio's JSON that the lab reads.
type fioOutput struct {
	Jobs []struct {
		Error       int
		TotalErr    int64 `json:"total_err"`
		Read, Write fioDirection
	} `json:"jobs"`
}

type fioDirection struct {
	Runtime  int64 `json:"runtime"` // ms
	IOBytes  int64 `json:"io_bytes"`
	TotalIOs int64 `json:"total_ios"`
	Clat     struct {
		Percentile map[string]float64 `json:"percentile"` // ns
	} `json:"clat_ns"`
}

// Fio measures the device with plain fio, so that a test can compare Loadline's
// result with what the device does. A failure of fio is part of the result,
// unless it prints none at all.
func Fio(t T, d Device, job Job) Measured {
	t.Helper()
	Need(t, "fio")
	if job.Pattern == "" {
		job.Pattern = "randread"
	}
	if job.BlockSize == 0 {
		job.BlockSize = 4096
	}
	if job.Time == 0 {
		job.Time = 2 * time.Second
	}
	if job.Ramp == 0 {
		job.Ramp = 500 * time.Millisecond
	}
	args := append(d.engine(), "--rw="+job.Pattern, fmt.Sprintf("--bs=%d", job.BlockSize),
		fmt.Sprintf("--iodepth=%d", max(1, job.Depth)), fmt.Sprintf("--size=%d", d.Size),
		"--time_based=1", fmt.Sprintf("--runtime=%dms", job.Time.Milliseconds()),
		fmt.Sprintf("--ramp_time=%dms", job.Ramp.Milliseconds()),
		// The job ends by time, so no map of accessed blocks is needed.
		"--norandommap=1", "--refill_buffers=1", "--percentile_list=50:99")
	set := job.Time
	if job.Jobs > 1 {
		args = append(args, fmt.Sprintf("--numjobs=%d", job.Jobs), "--group_reporting=1")
		// Jobs with one I/O in flight do count their last one, one per
		// job, so the time until it completes must be included.
		if job.Depth <= 1 {
			set = 0
		}
	}
	return runFio(t, set, job.Ramp+job.Time+time.Minute, append(args, job.Options...))
}

// Verify writes 1024 blocks of 4 KiB in random order with 16 in flight, reads
// them back and compares their checksums: a device that loses or mixes up
// concurrent writes is no basis for any test. It overwrites the first
// 4 MiB of the device.
func Verify(t T, d Device) {
	t.Helper()
	Need(t, "fio")
	m := runFio(t, 0, 2*time.Minute, append(d.engine(), "--rw=randwrite", "--bs=4096", "--iodepth=16",
		fmt.Sprintf("--size=%d", 4*mebi), "--verify=crc32c", "--do_verify=1", "--verify_fatal=1"))
	if m.ExitCode != 0 || m.Errors > 0 || m.Total < 1024 {
		t.Fatalf("%s does not keep what is written to it: fio exit code %d, %d errors in %d I/Os: %s",
			d.Name, m.ExitCode, m.Errors, m.Total, m.Messages)
	}
}

// Fill writes the whole device once, through fio, with incompressible data.
func Fill(t T, d Device) {
	t.Helper()
	Need(t, "fio")
	m := runFio(t, 0, 5*time.Minute, append(d.engine(), "--rw=write", "--bs=1M", "--iodepth=4",
		fmt.Sprintf("--size=%d", d.Size), "--refill_buffers=1"))
	if m.ExitCode != 0 || m.Errors > 0 {
		t.Fatalf("%s cannot be filled: fio exit code %d, %d errors: %s", d.Name, m.ExitCode, m.Errors, m.Messages)
	}
}

// runFio runs one job, which may take no longer than limit, and parses its JSON.
// set is the time that the job was to measure, or 0.
func runFio(t T, set, limit time.Duration, args []string) Measured {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	// A mistyped device must not be created as a file, and an interrupted verify must leave none.
	cmd := exec.CommandContext(ctx, "fio", append([]string{"--name=lab", "--thread=1", "--output-format=json",
		"--allow_file_create=0", "--verify_state_save=0"}, args...)...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("fio did not end within %s: %s", limit, stderr.String())
	}
	var out fioOutput
	text := stdout.String()
	// fio may print notes before the document.
	if err := json.Unmarshal([]byte(text[max(0, strings.Index(text, "{")):]), &out); err != nil || len(out.Jobs) == 0 {
		t.Fatalf("fio printed no result (%v): %s%s", runErr, text, stderr.String())
	}
	j := out.Jobs[0]
	m := Measured{
		Total: j.Read.TotalIOs + j.Write.TotalIOs, Reads: j.Read.TotalIOs, Errors: j.TotalErr,
		ExitCode: cmd.ProcessState.ExitCode(), Messages: strings.TrimSpace(stderr.String()),
	}
	// fio's own rates are too low by one queue depth of I/Os: its divisor includes the time
	// until the last I/Os complete, but they are not counted. The configured time
	// matches the count.
	ran := time.Duration(max(j.Read.Runtime, j.Write.Runtime)) * time.Millisecond
	if set > 0 && ran > set {
		ran = set
	}
	if ran > 0 {
		m.IOPS = float64(m.Total) / ran.Seconds()
		m.BytesPerSecond = float64(j.Read.IOBytes+j.Write.IOBytes) / ran.Seconds()
	}
	if m.Errors == 0 && j.Error != 0 {
		m.Errors = 1
	}
	main := j.Read
	if j.Write.TotalIOs > main.TotalIOs {
		main = j.Write
	}
	m.P50 = time.Duration(main.Clat.Percentile["50.000000"])
	m.P99 = time.Duration(main.Clat.Percentile["99.000000"])
	return m
}
