package volume

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
)

// maxChain bounds how deep stacked devices are followed.
const maxChain = 16

// kernel reads what Linux shows of its devices and mounts.
type kernel struct {
	sys    string // "/sys"
	proc   string // "/proc"; "" to look at no other process
	mounts []procfs.Mount
	seen   []view // what views found, once it was asked
}

// newKernel reads the mounts; without /proc there are none, and what depends on them stays unknown.
func newKernel() *kernel {
	k := &kernel{sys: "/sys", proc: "/proc"}
	k.mounts, _ = mountsOf("/proc/self")
	return k
}

// link is one member of the device chain under a volume.
type link struct {
	// name is the kernel's name of a device, or the type of a filesystem without one; empty if all that
	// is known is that something stays unseen.
	name   string
	disk   bool // a whole device with its own queue
	memory bool
	// lowest is set for a device or a filesystem with nothing below it that this machine shows.
	lowest bool
	// buffered is set for a loop device that uses its file through the page cache. It counts what it
	// answers from there like everything else.
	buffered bool
	// unseen is a clause that says why nothing shows what holds the data; untraced is set if it could be
	// anything.
	unseen   string
	untraced bool
}

// chainOfMount follows a mounted filesystem down to the hardware.
func (k *kernel) chainOfMount(m procfs.Mount, depth int) []link {
	if inMemory[m.Type] {
		return []link{{name: m.Type, memory: true}}
	}
	major, minor := m.Major, m.Minor
	if major == 0 { // btrfs and others show an anonymous number; the source is the device
		var st unix.Stat_t
		if !strings.HasPrefix(m.Source, "/dev/") || unix.Stat(m.Source, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFBLK {
			return []link{{name: m.Type, lowest: true}}
		}
		major, minor = unix.Major(uint64(st.Rdev)), unix.Minor(uint64(st.Rdev))
	}
	chain := k.chainOfDevice(major, minor, depth)
	for _, other := range k.btrfsOthers(chain) {
		if major, minor, err := procfs.ParseDevice(other); err == nil {
			chain = append(chain, k.chainOfDevice(major, minor, depth)...)
		}
	}
	return chain
}

// btrfsOthers returns the numbers of the other devices of a btrfs filesystem whose device is at the
// top of the chain, as the kernel lists them in /sys/fs/btrfs/UUID/devices.
func (k *kernel) btrfsOthers(chain []link) []string {
	if len(chain) == 0 {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(k.sys, "fs/btrfs/*/devices", chain[0].name))
	var others []string
	for _, own := range found {
		all, _ := filepath.Glob(filepath.Join(filepath.Dir(own), "*"))
		for _, device := range all {
			if device != own {
				others = append(others, k.text(filepath.Join(device, "dev")))
			}
		}
	}
	return others
}

// chainOfDevice follows a device through its partition, loop file, or the devices that it is built on
// (LVM, LUKS, RAID).
func (k *kernel) chainOfDevice(major, minor uint32, depth int) []link {
	path, err := filepath.EvalSymlinks(fmt.Sprintf("%s/dev/block/%d:%d", k.sys, major, minor))
	switch {
	case err != nil:
		return []link{{unseen: fmt.Sprintf("%s does not show the device %d:%d", k.sys, major, minor)}}
	case depth > maxChain:
		return []link{{untraced: true, unseen: fmt.Sprintf("more than %d devices are stacked", maxChain)}}
	}
	name := filepath.Base(path)
	if _, err := os.Stat(filepath.Join(path, "partition")); err == nil {
		disk := filepath.Dir(path)
		return append([]link{{name: name}}, k.chainOfDisk(disk, depth)...)
	}
	return k.chainOfDisk(path, depth)
}

func (k *kernel) chainOfDisk(path string, depth int) []link {
	name := filepath.Base(path)
	chain := []link{{name: name, disk: true, memory: ramDisk(name)}}
	if backing := k.text(filepath.Join(path, "loop/backing_file")); backing != "" {
		chain[0].buffered = k.text(filepath.Join(path, "loop/dio")) == "0"
		return append(chain, k.chainOfBacking(name, backing, depth+1)...)
	}
	slaves, _ := os.ReadDir(filepath.Join(path, "slaves"))
	for _, s := range slaves {
		major, minor, err := procfs.ParseDevice(k.text(filepath.Join(path, "slaves", s.Name(), "dev")))
		if err == nil {
			chain = append(chain, k.chainOfDevice(major, minor, depth+1)...)
		}
	}
	chain[0].lowest = len(chain) == 1
	return chain
}

// ramDisk reports whether a device keeps its data in RAM, judging by its name.
func ramDisk(name string) bool {
	for _, prefix := range []string{"zram", "ram", "nullb"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			_, err := strconv.Atoi(rest)
			return err == nil
		}
	}
	return false
}

// describe fills in the chain and the properties of its first whole device, whose counters count
// exactly what reaches the volume. The model is taken from the first device in the chain that has
// one.
func (k *kernel) describe(s *model.Storage, chain []link) {
	defer func() {
		if s.Memory { // which is bad enough, whatever else there is
			s.Unseen, s.Untraced = "", false
		}
	}()
	s.Memory, s.MemoryPart = memoryOf(chain)
	for _, l := range chain {
		if l.unseen != "" && (s.Unseen == "" || l.untraced && !s.Untraced) {
			s.Unseen, s.Untraced = l.unseen, l.untraced
		}
		if l.name != "" && !slices.Contains(s.DeviceChain, l.name) {
			s.DeviceChain = append(s.DeviceChain, l.name)
		}
		if l.buffered && s.Bypassed == nil {
			setBypass(s, false, l.name+" reads and writes its file through the page cache (losetup --direct-io=on prevents that)")
		}
		if !l.disk {
			continue
		}
		dir := filepath.Join(k.sys, "class/block", l.name)
		if s.Model == "" {
			s.Model = strings.TrimSpace(strings.TrimSpace(k.text(dir+"/device/vendor")) + " " + k.text(dir+"/device/model"))
			if strings.HasPrefix(s.Model, "0x") { // a bus number (virtio), not a name
				s.Model = ""
			}
		}
		if s.Device != "" {
			continue
		}
		s.Device = l.name
		s.DeviceSize = k.number(dir+"/size") * 512
		s.WriteCache = k.text(dir + "/queue/write_cache")
		s.Scheduler = chosen(k.text(dir + "/queue/scheduler"))
		s.LogicalBlock = int(k.number(dir + "/queue/logical_block_size"))
		s.PhysicalBlock = int(k.number(dir + "/queue/physical_block_size"))
		if r := k.text(dir + "/queue/rotational"); r != "" {
			turning := r == "1"
			s.Rotational = &turning
		}
	}
}

// memoryOf reports whether a chain ends in memory only, and otherwise what in it is memory: of a cache or a mirror,
// one device can be in RAM and another a disk, or a file that no mount leads to.
func memoryOf(chain []link) (all bool, part string) {
	for _, l := range chain {
		if l.memory && part == "" {
			part = l.name
		}
	}
	if part == "" || slices.ContainsFunc(chain, func(l link) bool { return l.lowest && !l.memory || l.untraced }) {
		return false, part
	}
	return true, ""
}

// chosen returns the word in brackets of "none [mq-deadline] bfq".
func chosen(line string) string {
	_, rest, ok := strings.Cut(line, "[")
	word, _, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return line
	}
	return word
}

// text returns the content of a small sysfs file, "" if it cannot be read.
func (k *kernel) text(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func (k *kernel) number(path string) int64 {
	n, _ := strconv.ParseInt(k.text(path), 10, 64)
	return n
}
