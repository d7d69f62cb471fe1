package spec

import (
	"fmt"
	"slices"
	"strings"
)

// jobAliases are fio's aliases of the options that Loadline reads.
var jobAliases = map[string]string{
	"readwrite": "rw", "blocksize": "bs", "blocksize_range": "bsrange",
	"blockalign": "ba",
}

// replacedOptions are determined by Loadline and removed from a job's text: the target determines
// where, the plan how big and how long, and the results what is recorded. With two sources the report
// might not describe what actually happened.
var replacedOptions = wordSet(
	// Where, and how big.
	"filename directory filename_format unique_filename nrfiles openfiles opendir file_service_type lockfile",
	"uri pool rbdname clientname cluster_name",
	"size filesize io_size io_limit fill_device fill_fs file_append fallocate unlink unlink_each_loop create_serialize",
	"create_fsync create_on_open create_only allow_file_create pre_read overwrite",
	// How long, and in which order.
	"runtime timeout time_based ramp_time startdelay loops number_ios stonewall wait_for wait_for_previous exitall",
	"exitall_on_error exit_what steadystate ss steadystate_duration ss_dur steadystate_ramp_time ss_ramp",
	// What is recorded.
	"name description group_reporting new_group stats unified_rw_reporting gtod_reduce disable_lat disable_clat disable_slat",
	"disable_bw_measurement disable_bw lat_percentiles clat_percentiles slat_percentiles percentile_list",
	"write_bw_log write_lat_log write_iops_log write_hist_log write_iolog log_avg_msec log_hist_msec",
	"log_hist_coarseness log_max_value log_offset log_compression log_store_compressed log_unix_epoch",
	"per_job_logs bwavgtime iopsavgtime significant_figures",
)

// The engines that do their I/O on the file or device given to them. The synchronous ones keep one I/O in
// flight regardless of iodepth.
var (
	synchronousEngines  = []string{"sync", "psync", "vsync", "pvsync", "pvsync2"}
	asynchronousEngines = []string{"libaio", "io_uring", "posixaio"}
)

// refusedOption returns why the result would not be about the target with this option, or "".
func refusedOption(o jobOption) string {
	switch o.key {
	case "ioengine":
		if o.value == "mmap" {
			return "this engine does its I/O through the page cache, so that would measure memory"
		}
		if !slices.Contains(synchronousEngines, o.value) && !slices.Contains(asynchronousEngines, o.value) {
			return fmt.Sprintf("this engine does not do its I/O on the target; %s do",
				strings.Join(slices.Concat(asynchronousEngines, synchronousEngines), ", "))
		}
	case "direct":
		if o.value == "0" {
			return "that would measure memory; Loadline uses direct I/O wherever the target has it"
		}
	case "buffered":
		if o.bare || o.value != "0" {
			return "that would measure memory; Loadline uses direct I/O wherever the target has it"
		}
	}
	if why := refusedValue(o); why != "" {
		return why
	}
	return notAllowed(o.key)
}
