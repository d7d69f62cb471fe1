package fio

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// document is the part of one of fio's JSON documents that is used (fio's HOWTO, "JSON+ output").
// Only what is needed is decoded, because a document arrives every second.
type document struct {
	Jobs []job `json:"jobs"`
}

// job is one group of jobs. Counts are cumulative since the end of the ramp.
type job struct {
	Error      int                `json:"error"`
	TotalError uint64             `json:"total_err"`
	FirstError int                `json:"first_error"`
	JobRuntime int64              `json:"job_runtime"`
	Read       direction          `json:"read"`
	Write      direction          `json:"write"`
	Sync       direction          `json:"sync"`
	UserCPU    float64            `json:"usr_cpu"`
	SystemCPU  float64            `json:"sys_cpu"`
	Levels     map[string]float64 `json:"iodepth_level"`
}

// direction holds the totals of one direction. Runtime is in ms.
type direction struct {
	IOs     uint64  `json:"total_ios"`
	Bytes   uint64  `json:"io_bytes"`
	Short   uint64  `json:"short_ios"`
	Runtime int64   `json:"runtime"`
	Latency latency `json:"lat_ns"`
	// Submission is the time taken by the calls that pass I/Os to the kernel; fio leaves it at 0
	// for engines that wait in that call (psync, …).
	Submission latency `json:"slat_ns"`
}

// latency is the distribution of the total latency in ns.
type latency struct {
	N    uint64  `json:"N"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
	Bins bins    `json:"bins"`
}

// decode parses a document. fio reports all jobs as one group (group_reporting).
func decode(data []byte) (*job, error) {
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("fio's JSON cannot be read: %w", err)
	}
	if len(d.Jobs) != 1 {
		return nil, fmt.Errorf("fio's JSON holds %d jobs where one is expected", len(d.Jobs))
	}
	return &d.Jobs[0], nil
}

// milliseconds returns the time since the end of the ramp. job_runtime, the sum over all jobs, is
// used until one direction has moved a byte.
func (j *job) milliseconds(jobs int) int64 {
	if ms := max(j.Read.Runtime, j.Write.Runtime); ms > 0 {
		return ms
	}
	return j.JobRuntime / int64(max(1, jobs))
}

// ios returns the number of reads and writes.
func (j *job) ios() uint64 { return j.Read.IOs + j.Write.IOs }

// latencies returns the number of I/Os whose latency was recorded; fio records none during the ramp.
func (j *job) latencies() uint64 {
	return j.Read.Latency.N + j.Write.Latency.N + j.Read.Latency.Bins.count + j.Write.Latency.Bins.count
}

// failures returns the number of failed I/Os. If fio stops at the first, it reports only the error code.
func (j *job) failures() uint64 {
	if j.TotalError > 0 {
		return j.TotalError
	}
	if j.Error != 0 {
		return 1
	}
	return 0
}

// short returns the number of I/Os that moved fewer bytes than requested. Up to fio 3.3x the count
// of flushes ends up in that of short reads (one array overruns into the next); the flushes then
// have a latency count but no count of their own.
func (j *job) short() uint64 {
	reads := j.Read.Short
	if flushes := j.Sync.Latency.N; flushes > 0 && j.Sync.IOs == 0 {
		reads -= min(reads, flushes)
	}
	return reads + j.Write.Short
}

// cores returns the CPU time of all jobs in fractions of one core; fio's percentages are means over
// its jobs.
func (j *job) cores() (user, system float64) {
	jobs := 1.0
	if ms := max(j.Read.Runtime, j.Write.Runtime); ms > 0 {
		jobs = max(1, math.Round(float64(j.JobRuntime)/float64(ms)))
	}
	return jobs * j.UserCPU / 100, jobs * j.SystemCPU / 100
}

// submission returns the mean time in seconds to submit an I/O to the kernel, by direction; nil if
// fio does not report it.
func (j *job) submission() map[model.Direction]float64 {
	var found map[model.Direction]float64
	for d, x := range map[model.Direction]direction{model.Read: j.Read, model.Write: j.Write} {
		if mean := x.Submission.Mean; x.Submission.N > 0 && mean > 0 {
			if found == nil {
				found = map[model.Direction]float64{}
			}
			found[d] = mean / 1e9
		}
	}
	return found
}

// levels returns the shares of the queue depths. fio counts a flush as an I/O with its own depth,
// so its percentages may add up to 200: they are normalised.
func (j *job) levels() map[string]float64 {
	var sum float64
	for _, v := range j.Levels {
		sum += v
	}
	if sum <= 0 {
		return nil
	}
	out := map[string]float64{}
	for k, v := range j.Levels {
		if v > 0 {
			out[k] = v / sum
		}
	}
	return out
}

// bins is fio's histogram, in JSON {"<bucket's midpoint in ns>": count, …}. It is parsed directly:
// building a map of strings once a second would cost more than the rest of the document.
type bins struct {
	histogram histogram.Histogram
	count     uint64
}

// UnmarshalJSON parses {"1234" : 5, …}; the keys come in ascending order.
func (b *bins) UnmarshalJSON(data []byte) error {
	*b = bins{}
	var numbers [2]uint64
	at, digits := 0, false
	for _, c := range data {
		switch {
		case c >= '0' && c <= '9':
			if numbers[at] > math.MaxUint64/10-1 {
				return errors.New("fio's histogram holds a number that is too large")
			}
			numbers[at] = numbers[at]*10 + uint64(c-'0')
			digits = true
		case c == ':':
			at = 1
		case c == ',' || c == '}':
			if !digits {
				continue
			}
			if at != 1 {
				return errors.New("fio's histogram is not a list of buckets")
			}
			b.histogram.Add(histogram.BucketOf(numbers[0]), numbers[1])
			b.count += numbers[1]
			numbers, at, digits = [2]uint64{}, 0, false
		case c == '{' || c == '"' || c == ' ' || c == '\n' || c == '\t' || c == '\r':
		default:
			return fmt.Errorf("fio's histogram is not a list of buckets: %q in it", c)
		}
	}
	return nil
}
