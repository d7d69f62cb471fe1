package fio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// CleanJob keeps of a user's own option lines (one section, without its header)
// what describes the I/O, leaves out what Loadline decides itself (file, size,
// time, reporting), and refuses everything else: an option that runs commands,
// touches other files or changes the machine is not found by listing the bad
// ones, so the good ones are listed. The error is Refused and names the line.
func CleanJob(text string) (string, error) {
	var clean strings.Builder
	number := 0
	for line := range strings.Lines(text) {
		number++
		name, value := option(line)
		if name == "" || slices.Contains(oursOptions, name) {
			continue
		}
		if why := refusal(name, value); why != "" {
			return "", model.RefusedError(fmt.Sprintf("the fio job cannot be used: line %d, %q: %s.", number, strings.TrimSpace(line), why),
				"take the line out of the job file")
		}
		clean.WriteString(strings.TrimSpace(line) + "\n")
	}
	return clean.String(), nil
}

// refusal tells why an option cannot be used; empty when it can.
func refusal(name, value string) string {
	if why, ok := refusedOptions[name]; ok {
		return why
	}
	if !slices.Contains(ioOptions, name) {
		return "Loadline does not know this option as a harmless one that describes I/O"
	}
	switch name {
	case "ioengine":
		if !slices.Contains(engines, value) {
			return "this engine does no I/O that Loadline can measure; use one of " + strings.Join(engines, ", ")
		}
	case "rw", "readwrite":
		if strings.Contains(value, "trim") {
			return "trims destroy data and are no reads or writes"
		}
	case "buffer_pattern":
		if strings.ContainsAny(value, "'/") {
			return "a pattern from a file is not read"
		}
	}
	return ""
}

// option splits a line of a job file; the name is empty when there is none.
func option(line string) (name, value string) {
	if i := strings.IndexAny(line, ";#"); i >= 0 {
		line = line[:i]
	}
	name, value, _ = strings.Cut(strings.TrimSpace(line), "=")
	return strings.TrimSpace(name), strings.TrimSpace(value)
}

// engines are those that read and write one file or device.
var engines = []string{"io_uring", "libaio", "posixaio", "psync", "sync", "vsync", "pvsync", "pvsync2", "mmap"}

// oursOptions are left out silently, because Loadline says them itself: where,
// how much, how long, and what is reported.
var oursOptions = []string{
	"name", "description", "filename", "directory", "filename_format", "size", "filesize", "io_size", "io_limit", "number_ios", "fill_device", "fill_fs",
	"runtime", "timeout", "time_based", "ramp_time", "startdelay", "loops", "stonewall", "wait_for_previous", "wait_for", "new_group",
	"group_reporting", "stats", "unified_rw_reporting", "percentile_list", "significant_figures",
	"lat_percentiles", "clat_percentiles", "slat_percentiles",
	"disable_lat", "disable_clat", "disable_slat", "disable_bw_measurement", "disable_bw", "gtod_reduce",
	"write_bw_log", "write_lat_log", "write_iops_log", "write_hist_log", "per_job_logs",
	"log_avg_msec", "log_hist_msec", "log_hist_coarseness", "log_max_value", "log_offset", "log_compression", "log_unix_epoch",
	"bwavgtime", "iopsavgtime", "allow_file_create", "fallocate", "create_serialize", "create_fsync", "create_on_open", "create_only", "overwrite", "uri", "pool", "rbdname", "clientname",
	"exitall", "exitall_on_error",
}

// refusedOptions are those that people do write, with the reason against them.
var refusedOptions = map[string]string{
	"exec_prerun":           "Loadline runs no commands from job files",
	"exec_postrun":          "Loadline runs no commands from job files",
	"include":               "other files are not read; put their options in here",
	"ioscheduler":           "Loadline does not change the machine's settings",
	"unlink":                "files are removed by Loadline itself",
	"unlink_each_loop":      "files are removed by Loadline itself",
	"nrfiles":               "one file or device is measured",
	"opendir":               "one file or device is measured",
	"ignore_error":          "failed I/Os are never ignored",
	"error_dump":            "failed I/Os are always told",
	"zero_buffers":          "storage that compresses would look faster than it is",
	"verify":                "checking data is not measuring; run fio itself for that",
	"verify_only":           "checking data is not measuring; run fio itself for that",
	"do_verify":             "checking data is not measuring; run fio itself for that",
	"offset":                "the volume is walked over as a whole",
	"offset_increment":      "the volume is walked over as a whole",
	"steadystate":           "Loadline decides itself when a result is steady; see --until-steady",
	"ss":                    "Loadline decides itself when a result is steady; see --until-steady",
	"latency_target":        "fio would change the depth while it is measured",
	"io_submit_mode":        "fio's offload mode is known to hang",
	"read_iolog":            "replaying a log is not supported",
	"write_iolog":           "fio must write no files of its own",
	"profile":               "fio's built-in profiles are not supported",
	"idle_prof":             "Loadline watches the CPU itself",
	"experimental_verify":   "checking data is not measuring; run fio itself for that",
	"trim_percentage":       "trims destroy data and are no reads or writes",
	"replay_redirect":       "replaying a log is not supported",
	"rate_ignore_thinktime": "write thinktime or rate, not both",
}

// ioOptions describe I/O and do nothing else.
var ioOptions = []string{
	"rw", "readwrite", "ioengine", "bs", "blocksize", "bsrange", "blocksize_range", "bssplit", "blocksize_unaligned", "bs_unaligned", "bs_is_seq_rand", "ba", "blockalign",
	"iodepth", "iodepth_batch", "iodepth_batch_submit", "iodepth_batch_complete", "iodepth_batch_complete_min", "iodepth_batch_complete_max", "iodepth_low",
	"serialize_overlap", "numjobs", "thread", "direct", "buffered", "atomic", "sync", "fsync", "fdatasync", "sync_file_range", "write_barrier", "end_fsync", "fsync_on_close",
	"rwmixread", "rwmixwrite", "randrepeat", "allrandrepeat", "randseed", "norandommap", "softrandommap", "random_generator", "random_distribution", "percentage_random",
	"rw_sequencer", "file_service_type", "rate", "rate_min", "rate_iops", "rate_iops_min", "rate_process", "rate_cycle",
	"thinktime", "thinktime_spin", "thinktime_blocks", "thinktime_blocks_type", "thinktime_iotime", "thinkcycles",
	"refill_buffers", "scramble_buffers", "buffer_compress_percentage", "buffer_compress_chunk", "buffer_pattern", "dedupe_percentage", "dedupe_mode", "dedupe_working_set_percentage",
	"cpus_allowed", "cpumask", "cpus_allowed_policy", "numa_cpu_nodes", "numa_mem_policy", "nice", "prio", "prioclass", "cmdprio_percentage", "cmdprio", "cmdprio_class",
	"hipri", "fixedbufs", "registerfiles", "sqthread_poll", "sqthread_poll_cpu", "nonvectored", "uncached", "nowait", "force_async", "userspace_reap",
	"invalidate", "fadvise_hint", "continue_on_error", "max_latency", "clocksource", "gtod_cpu",
}
