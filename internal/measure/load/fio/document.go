package fio

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// document is what is read of one of fio's JSON documents (fio's HOWTO, "JSON+
// output"). Only what is needed is decoded: one arrives every second.
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

// direction is what went one way. Runtime is in ms.
type direction struct {
	IOs     uint64  `json:"total_ios"`
	Bytes   uint64  `json:"io_bytes"`
	Short   uint64  `json:"short_ios"`
	Runtime int64   `json:"runtime"`
	Latency latency `json:"lat_ns"`
	// Submission is how long the calls took that hand I/Os to the kernel; fio leaves it at 0
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

// decode reads a document. fio reports the jobs as one group (group_reporting).
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

// milliseconds is the time since the end of the ramp. job_runtime, the sum over
// all jobs, stands in as long as no direction has moved a byte.
func (j *job) milliseconds(jobs int) int64 {
	if ms := max(j.Read.Runtime, j.Write.Runtime); ms > 0 {
		return ms
	}
	return j.JobRuntime / int64(max(1, jobs))
}

// ios counts reads and writes.
func (j *job) ios() uint64 { return j.Read.IOs + j.Write.IOs }

// latencies counts those whose latency was taken, which the ramp's are not.
func (j *job) latencies() uint64 {
	return j.Read.Latency.N + j.Write.Latency.N + j.Read.Latency.Bins.count + j.Write.Latency.Bins.count
}

// failures counts failed I/Os. fio that stops at the first gives only its code.
func (j *job) failures() uint64 {
	if j.TotalError > 0 {
		return j.TotalError
	}
	if j.Error != 0 {
		return 1
	}
	return 0
}

// short counts I/Os that moved fewer bytes than asked. Until fio 3.3x the count
// of flushes lands in the one of short reads (one array overruns into the next);
// then the flushes have a latency count but no count of their own.
func (j *job) short() uint64 {
	reads := j.Read.Short
	if flushes := j.Sync.Latency.N; flushes > 0 && j.Sync.IOs == 0 {
		reads -= min(reads, flushes)
	}
	return reads + j.Write.Short
}

// cores returns the CPU time of all jobs in fractions of one core; fio's
// percentages are means over its jobs.
func (j *job) cores() (user, system float64) {
	jobs := 1.0
	if ms := max(j.Read.Runtime, j.Write.Runtime); ms > 0 {
		jobs = max(1, math.Round(float64(j.JobRuntime)/float64(ms)))
	}
	return jobs * j.UserCPU / 100, jobs * j.SystemCPU / 100
}

// submission is the mean time in seconds that handing an I/O to the kernel took, by
// direction; nil where fio does not tell.
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

// levels returns the shares of the queue depths. fio counts a flush as an I/O of
// its own depth, so that its percentages may add up to 200: they are normalised.
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

// bins is fio's histogram, in JSON {"<bucket's middle in ns>": count, …}. It is
// read directly: a map of strings made once a second would cost more than the
// rest of the document.
type bins struct {
	histogram histogram.Histogram
	count     uint64
}

// UnmarshalJSON reads {"1234" : 5, …}; the keys come in rising order.
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
