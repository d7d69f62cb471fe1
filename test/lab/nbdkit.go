package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// nbdSize is the capacity of the devices in nbdkit's memory.
const nbdSize = 256 * mebi

// nbdServer is one nbdkit: filters around a plugin, and the options of all of them.
type nbdServer struct {
	filters, plugin, options []string
	// threads defaults to 64.
	threads int

	dir, socket string
	process     *daemon
}

// nbdkit starts the server. It has 64 threads unless threads says otherwise: with the
// default of 16, the threads themselves would limit a delay filter.
func nbdkit(t T, s nbdServer) nbdServer {
	t.Helper()
	Need(t, "nbdkit")
	Lock(t)
	if s.dir == "" {
		s.dir = directory(t, "")
	}
	s.socket = filepath.Join(s.dir, "nbd.sock")
	if s.threads == 0 {
		s.threads = 64
	}
	args := []string{"--foreground", "--unix", s.socket, "--threads", fmt.Sprint(s.threads)}
	for _, f := range s.filters {
		args = append(args, "--filter="+f)
	}
	args = append(append(args, s.plugin...), s.options...)
	s.process = start(t, s.dir, answers(s.socket), "nbdkit", args...)
	return s
}

// device describes the server's default export.
func (s nbdServer) device(name string, size int64) Device {
	return Device{Name: name, URI: nbdURI("", s.socket), Size: size}
}

// inMemory is the plugin that keeps the data in the server's own memory.
func inMemory() []string { return []string{"memory", fmt.Sprint(nbdSize)} }

// written is inMemory with data in every block: where a device holds none, it could answer without the disk that it
// stands for. It takes a second to start, and all its memory.
func written() []string {
	return []string{"data", fmt.Sprintf("data=(0xa5*%d)", nbdSize), fmt.Sprintf("size=%d", nbdSize)}
}

// milliseconds formats a delay for nbdkit.
func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%dms", d.Round(time.Millisecond).Milliseconds())
}

// Plain starts a device in memory without limit, delay or fault (256 MiB).
func Plain(t T) Device {
	t.Helper()
	return nbdkit(t, nbdServer{plugin: inMemory()}).device("memory", nbdSize)
}

// Blank starts a device in memory of that many bytes, which takes only as much memory as is written to it. A fixed time, in whole
// milliseconds, is added to each read, so that reading as fast as possible does not take all the processor time.
func Blank(t T, size int64, read time.Duration) Device {
	t.Helper()
	s := nbdkit(t, nbdServer{filters: []string{"delay"}, plugin: []string{"memory", fmt.Sprint(size)}, options: []string{"rdelay=" + milliseconds(read)}})
	return s.device(fmt.Sprintf("memory, read delay %s", read), size)
}

// Delayed starts a device in memory (256 MiB, all written) that adds a fixed time, in whole
// milliseconds, to every read and write. The latency at depth 1 is the
// delay plus some 0.1 to 0.3 ms, never less: Fio measures it.
func Delayed(t T, read, write time.Duration) Device {
	t.Helper()
	s := nbdkit(t, nbdServer{filters: []string{"delay"}, plugin: written(),
		options: []string{"rdelay=" + milliseconds(read), "wdelay=" + milliseconds(write)}})
	return s.device(fmt.Sprintf("read delay %s, write delay %s", read, write), nbdSize)
}

// Serial starts a device in memory (256 MiB) that takes the given time, in whole
// milliseconds, plus some 0.1 to 0.3 ms, for each read and write, one after the
// other: a queue with one server and a fixed service time (M/D/1 under random
// arrivals). Fio measures its rate.
func Serial(t T, service time.Duration) Device {
	t.Helper()
	s := nbdkit(t, nbdServer{filters: []string{"delay"}, plugin: inMemory(), threads: 1,
		options: []string{"rdelay=" + milliseconds(service), "wdelay=" + milliseconds(service)}})
	return s.device(fmt.Sprintf("one I/O at a time, %s each", service), nbdSize)
}

// RateLimited starts a device in memory (256 MiB) with a bandwidth limit, which
// nbdkit takes in bits per second over reads and writes of all clients.
func RateLimited(t T, bitsPerSecond int64) Device {
	t.Helper()
	s := nbdkit(t, nbdServer{filters: []string{"rate"}, plugin: inMemory(),
		options: []string{fmt.Sprintf("rate=%d", bitsPerSecond)}})
	return s.device(fmt.Sprintf("%d bits/s", bitsPerSecond), nbdSize)
}

// WithoutFlush starts a device on a file of 64 MiB that offers no flush, as a
// Longhorn volume does not. A shell command performs each I/O, so it is slow.
func WithoutFlush(t T) Device {
	t.Helper()
	const size = 64 * mebi
	image := filepath.Join(memory(t, size), "raw.img")
	hollow(t, image, size)
	file := quote(image)
	s := nbdkit(t, nbdServer{plugin: []string{"eval"}, options: []string{
		fmt.Sprintf("get_size=echo %d", size), "can_write=exit 0",
		"pread=dd status=none if=" + file + " skip=$4 count=$3 iflag=skip_bytes,count_bytes",
		"pwrite=dd status=none of=" + file + " seek=$4 conv=notrunc oflag=seek_bytes"}})
	return s.device("no flush", size)
}

// Fault is one way in which a device fails.
type Fault struct {
	// Error is the name of the errno as NBD knows it: EIO, ENOSPC, EPERM, EINVAL,
	// ENOMEM or ESHUTDOWN.
	Error string
	// On is "read", "write" or, for both, empty.
	On string
	// Rate is the share of I/Os that fail, 0 to 1; 0 means all of them.
	Rate float64
	// Switched keeps the fault off until On is called.
	Switched bool
}

// faultyDevice fails as its faults specify.
type faultyDevice struct {
	Device
	trigger string
}

// On switches the Switched faults on.
func (d faultyDevice) On(t T) {
	t.Helper()
	if err := os.WriteFile(d.trigger, nil, 0o600); err != nil {
		t.Fatalf("cannot switch the fault on: %v", err)
	}
}

// Off switches them off again.
func (d faultyDevice) Off(t T) {
	t.Helper()
	if err := os.Remove(d.trigger); err != nil {
		t.Fatalf("cannot switch the fault off: %v", err)
	}
}

// Errors starts a device in memory (256 MiB) with faults; two faults must be on
// different directions.
func Errors(t T, faults ...Fault) faultyDevice {
	t.Helper()
	trigger := filepath.Join(directory(t, ""), "failing")
	var options, words []string
	for _, f := range faults {
		key := map[string]string{"": "error", "read": "error-pread", "write": "error-pwrite"}[f.On]
		if key == "" {
			t.Fatalf("a fault is on read or write, not on %q", f.On)
		}
		if f.Rate == 0 {
			f.Rate = 1
		}
		options = append(options, key+"="+f.Error, fmt.Sprintf("%s-rate=%g%%", key, f.Rate*100))
		if f.Switched {
			options = append(options, key+"-file="+trigger)
		}
		words = append(words, fmt.Sprintf("%s on %g %% of I/Os", f.Error, f.Rate*100))
	}
	s := nbdkit(t, nbdServer{filters: []string{"error"}, plugin: inMemory(), options: options})
	return faultyDevice{s.device(strings.Join(words, ", "), nbdSize), trigger}
}

// CacheMode is what PowerLoss does with a write before it acknowledges it.
type CacheMode string

// The modes: NoCache has no cache; WriteThrough keeps every acknowledged write;
// WriteBack keeps what was flushed; Unsafe ignores flushes but acknowledges them.
const (
	NoCache      CacheMode = "none"
	WriteThrough CacheMode = "writethrough"
	WriteBack    CacheMode = "writeback"
	Unsafe       CacheMode = "unsafe"
)

// volatileDevice can lose power.
type volatileDevice struct {
	Device
	// Image is the file with what survives a Kill: the raw contents.
	Image string
	// Kill simulates the power loss; what was only in the cache is lost.
	Kill func()
	// PID is the process whose death is the power loss.
	PID int

	server nbdServer
}

// Off waits for the power loss, whatever causes it.
func (d volatileDevice) Off() { <-d.server.process.done }

// Back waits for the power loss, serves what has survived at the same address,
// and returns the new device.
func (d volatileDevice) Back(t T) volatileDevice {
	t.Helper()
	d.Off()
	if err := os.Remove(d.server.socket); err != nil {
		t.Fatalf("the lab cannot serve the device again: %v", err)
	}
	return volatile(d.Device, d.Image, nbdkit(t, d.server))
}

func volatile(d Device, image string, s nbdServer) volatileDevice {
	return volatileDevice{Device: d, Image: image, Kill: s.process.kill, PID: s.process.cmd.Process.Pid, server: s}
}

// PowerLoss starts a device with a volatile cache on a file of 64 MiB.
func PowerLoss(t T, mode CacheMode) volatileDevice {
	t.Helper()
	const size = 64 * mebi
	image := filepath.Join(memory(t, size), "raw.img")
	hollow(t, image, size)
	server := nbdServer{plugin: []string{"file", image}}
	if mode != NoCache {
		server.filters, server.options = []string{"cache"}, []string{"cache=" + string(mode)}
	}
	s := nbdkit(t, server)
	return volatile(s.device(string(mode)+" cache", size), image, s)
}
