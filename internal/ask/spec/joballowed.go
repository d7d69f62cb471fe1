package spec

import (
	"slices"
	"strings"
)

// allowedOptions describe I/O and do nothing else. A list of bad options could not exclude everything
// that runs commands, writes other files or changes the machine, so this lists the good ones: those of
// fio 3.28 to 3.39, aliases resolved.
var allowedOptions = wordSet(
	"rw ioengine bs bsrange bssplit blocksize_unaligned bs_unaligned",
	"iodepth iodepth_batch iodepth_batch_submit iodepth_batch_complete iodepth_batch_complete_min iodepth_batch_complete_max",
	"serialize_overlap numjobs thread direct buffered atomic sync fsync fdatasync sync_file_range write_barrier end_fsync fsync_on_close",
	"rwmixread rwmixwrite randrepeat norandommap softrandommap random_generator random_distribution percentage_random",
	"rw_sequencer rate rate_min rate_iops rate_iops_min rate_process rate_cycle",
	"refill_buffers scramble_buffers",
	"cpus_allowed cpumask cpus_allowed_policy numa_cpu_nodes numa_mem_policy nice prio prioclass cmdprio_percentage cmdprio cmdprio_class",
	"hipri fixedbufs registerfiles sqthread_poll sqthread_poll_cpu nonvectored uncached nowait force_async userspace_reap",
	"invalidate fadvise_hint continue_on_error max_latency clocksource gtod_cpu",
	// Checksums of data that the job itself has written; verifying other data is refused elsewhere.
	"verify do_verify verify_only verify_fatal verify_interval verify_offset verify_backlog verify_backlog_batch",
)

// The reasons that several refused options have in common. What such an option changes would be in no
// line of the report, which would show the storage as faster or slower than it is.
const (
	compressible = "a system that compresses or deduplicates would store less than was written, and no result says so"
	pauses       = "the job would pause between its I/Os, and the result would be that of the pauses; rate_iops limits a rate openly"
	sameBlocks   = "every repeat would access the same blocks, which a cache then holds"
)

// refusedOptions are options in common use that are refused, with the reason.
var refusedOptions = map[string]string{
	"exec_prerun":           "Loadline starts no commands but its own; run this one before or after",
	"exec_postrun":          "Loadline starts no commands but its own; run this one before or after",
	"read_iolog":            "replaying a log reaches the places that the log names, not the target",
	"replay_redirect":       "replaying a log reaches the places that the log names, not the target",
	"kb_base":               "sizes would mean something else than they do everywhere; write them in bytes instead",
	"zero_buffers":          "zeros compress to nothing, so many systems never store them",
	"buffer_pattern":        "every block would be the same, and a repeated pattern compresses to nothing, so many systems never store it",
	"ioscheduler":           "Loadline does not change the machine's settings",
	"ignore_error":          "failed I/Os are never ignored",
	"error_dump":            "failed I/Os are always told",
	"offset":                "the volume is walked over as a whole",
	"offset_increment":      "the volume is walked over as a whole",
	"latency_target":        "fio would change the depth while it is measured",
	"io_submit_mode":        "fio's offload mode is known to hang",
	"profile":               "fio's built-in profiles are not supported",
	"idle_prof":             "Loadline watches the CPU itself",
	"experimental_verify":   "fio would read what it never wrote",
	"trim_percentage":       "trims destroy data and are neither reads nor writes",
	"rate_ignore_thinktime": pauses,

	"buffer_compress_percentage": compressible, "buffer_compress_chunk": compressible,
	"dedupe_percentage": compressible, "dedupe_mode": compressible, "dedupe_working_set_percentage": compressible, "dedupe_global": compressible,

	"thinktime": pauses, "thinktime_spin": pauses, "thinktime_blocks": pauses, "thinktime_blocks_type": pauses, "thinktime_iotime": pauses, "thinkcycles": pauses,

	"iodepth_low": "fewer I/Os would be in flight than the depth by which the results are described",

	"randseed": sameBlocks, "allrandrepeat": sameBlocks,
	"ba":             "with an alignment of more than a block only a part of the volume is accessed, which may fit into a cache",
	"bs_is_seq_rand": "reads and writes would not have the block sizes by which the results are described",
}

// refusedValues are options of which only some values leave the job what its results are described as.
var refusedValues = map[string]struct{ allowed, why string }{
	"random_distribution": {"random", "some blocks would be accessed more often than others, so a cache would serve a larger share of the I/Os than it holds of the volume; only random treats all alike"},
	"percentage_random":   {"100 100,100", "the rest of the I/Os would be sequential, and the results would be called random"},
	"random_generator":    {"tausworthe tausworthe64", "its blocks follow each other at distances that are an easier load for a disk than random ones"},
	"rate_process":        {"linear", "its I/Os would be due at random times, but their latencies would not count from then; loadline sweep --load measures that"},
	"scramble_buffers":    {"1 true", "the same blocks would be written again and again; " + compressible},
}

// refusedValue returns why an option may not have its value, or "".
func refusedValue(o jobOption) string {
	rule, known := refusedValues[o.key]
	if !known || o.bare || slices.Contains(strings.Fields(rule.allowed), o.value) {
		return ""
	}
	return rule.why
}

// notAllowed returns why an option that fio knows is not allowed in a job here, or "".
func notAllowed(key string) string {
	if why := refusedOptions[key]; why != "" {
		return why
	}
	if !allowedOptions[key] && !replacedOptions[key] {
		return "Loadline does not know this option as one that describes I/O and does nothing else"
	}
	return ""
}

// wordSet returns the set of the words in several texts.
func wordSet(texts ...string) map[string]bool {
	set := map[string]bool{}
	for _, text := range texts {
		for _, name := range strings.Fields(text) {
			set[name] = true
		}
	}
	return set
}
