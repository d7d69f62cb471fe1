package volume

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
)

// fakeSys creates a tree like /sys: an NVMe disk with a partition, LUKS and LVM on top of it, a
// mirror of two SCSI disks, zram, and two loop devices whose files are not to be found, on one of which
// is LVM.
func fakeSys(t *testing.T) *kernel {
	t.Helper()
	sys := t.TempDir()
	disks := map[string]string{ // name → path below devices/
		"nvme0n1": "pci/nvme/nvme0/nvme0n1", "nvme0n1p2": "pci/nvme/nvme0/nvme0n1/nvme0n1p2",
		"sda": "pci/sda", "sdb": "pci/sdb", "md0": "virtual/md0", "dm-0": "virtual/dm-0", "dm-1": "virtual/dm-1", "zram0": "virtual/zram0",
		"loop998": "virtual/loop998", "loop999": "virtual/loop999", "dm-2": "virtual/dm-2", "dm-3": "virtual/dm-3", "dm-4": "virtual/dm-4",
	}
	numbers := map[string]string{
		"nvme0n1": "259:0", "nvme0n1p2": "259:2", "sda": "8:0", "sdb": "8:16", "md0": "9:0", "dm-0": "253:0", "dm-1": "253:1", "zram0": "251:0",
		"loop998": "7:998", "loop999": "7:999", "dm-2": "253:2", "dm-3": "253:3", "dm-4": "253:4",
	}
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, at string) {
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
	}
	dir := func(name string) string { return filepath.Join(sys, "devices", disks[name]) }
	for name := range disks {
		write(dir(name)+"/dev", numbers[name])
		write(dir(name)+"/size", "2048")
		link(dir(name), filepath.Join(sys, "dev/block", numbers[name]))
		link(dir(name), filepath.Join(sys, "class/block", name))
	}
	write(dir("nvme0n1p2")+"/partition", "2")
	write(dir("nvme0n1")+"/device/model", "Fast Disk 1 TB                 ")
	write(dir("nvme0n1")+"/queue/rotational", "0")
	write(dir("sda")+"/device/vendor", "ATA     ")
	write(dir("sda")+"/device/model", "Slow Disk")
	for file, text := range map[string]string{
		"rotational": "1", "write_cache": "write through", "scheduler": "none [mq-deadline] bfq", "logical_block_size": "512", "physical_block_size": "4096",
	} {
		write(dir("md0")+"/queue/"+file, text)
	}
	for name, direct := range map[string]string{"loop998": "1", "loop999": "0"} {
		write(dir(name)+"/loop/backing_file", "/no/such/image (deleted)")
		write(dir(name)+"/loop/dio", direct)
	}
	link(dir("loop999"), dir("dm-2")+"/slaves/loop999")
	link(dir("nvme0n1p2"), dir("dm-0")+"/slaves/nvme0n1p2")
	link(dir("dm-0"), dir("dm-1")+"/slaves/dm-0")
	link(dir("sda"), dir("dm-3")+"/slaves/sda")
	link(dir("zram0"), dir("dm-3")+"/slaves/zram0")
	link(dir("zram0"), dir("dm-4")+"/slaves/zram0")
	link(dir("sda"), dir("md0")+"/slaves/sda")
	link(dir("sdb"), dir("md0")+"/slaves/sdb")
	return &kernel{sys: sys}
}

func TestChains(t *testing.T) {
	k := fakeSys(t)
	slow, fast := true, false
	for name, c := range map[string]struct {
		mount procfs.Mount
		want  model.Storage
	}{
		"partition": {procfs.Mount{Major: 259, Minor: 2, Type: "ext4"}, model.Storage{
			Device: "nvme0n1", DeviceChain: []string{"nvme0n1p2", "nvme0n1"}, DeviceSize: 1 << 20, Model: "Fast Disk 1 TB", Rotational: &fast,
		}},
		"LVM on LUKS": {procfs.Mount{Major: 253, Minor: 1, Type: "xfs"}, model.Storage{
			Device: "dm-1", DeviceChain: []string{"dm-1", "dm-0", "nvme0n1p2", "nvme0n1"}, DeviceSize: 1 << 20, Model: "Fast Disk 1 TB",
		}},
		"mirror": {procfs.Mount{Major: 9, Minor: 0, Type: "xfs"}, model.Storage{
			Device: "md0", DeviceChain: []string{"md0", "sda", "sdb"}, DeviceSize: 1 << 20, Model: "ATA Slow Disk", Rotational: &slow,
			WriteCache: "write through", Scheduler: "mq-deadline", LogicalBlock: 512, PhysicalBlock: 4096,
		}},
		"compressed RAM": {procfs.Mount{Major: 251, Minor: 0, Type: "ext4"}, model.Storage{
			Device: "zram0", DeviceChain: []string{"zram0"}, DeviceSize: 1 << 20, Memory: true,
		}},
		"a cache in RAM before a disk": {procfs.Mount{Major: 253, Minor: 3, Type: "ext4"}, model.Storage{
			Device: "dm-3", DeviceChain: []string{"dm-3", "sda", "zram0"}, DeviceSize: 1 << 20, Model: "ATA Slow Disk", MemoryPart: "zram0",
		}},
		"LVM on RAM": {procfs.Mount{Major: 253, Minor: 4, Type: "ext4"}, model.Storage{
			Device: "dm-4", DeviceChain: []string{"dm-4", "zram0"}, DeviceSize: 1 << 20, Memory: true,
		}},
		"loop with direct I/O": {procfs.Mount{Major: 7, Minor: 998, Type: "xfs"}, model.Storage{
			Device: "loop998", DeviceChain: []string{"loop998"}, DeviceSize: 1 << 20,
			Unseen: "this user cannot ask loop998 which file it has",
		}},
		"LVM on a loop without": {procfs.Mount{Major: 253, Minor: 2, Type: "xfs"}, model.Storage{
			Device: "dm-2", DeviceChain: []string{"dm-2", "loop999"}, DeviceSize: 1 << 20,
			Unseen:   "this user cannot ask loop999 which file it has",
			Bypassed: new(false), BypassDetail: "loop999 reads and writes its file through the page cache (losetup --direct-io=on prevents that)",
		}},
		"network": {procfs.Mount{Minor: 50, Type: "nfs4", Source: "server:/export"}, model.Storage{DeviceChain: []string{"nfs4"}}},
		"tmpfs":   {procfs.Mount{Minor: 51, Type: "tmpfs", Source: "tmpfs"}, model.Storage{DeviceChain: []string{"tmpfs"}, Memory: true}},
		"unknown": {procfs.Mount{Major: 77, Minor: 7, Type: "ext4"}, model.Storage{Unseen: k.sys + " does not show the device 77:7"}},
	} {
		t.Run(name, func(t *testing.T) {
			var s model.Storage
			k.describe(&s, k.chainOfMount(c.mount, 0))
			if diff := cmp.Diff(c.want, s); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestChainsEnd(t *testing.T) {
	// A device that claims to be built on itself must not cause an endless loop.
	k := fakeSys(t)
	zram, _ := filepath.EvalSymlinks(filepath.Join(k.sys, "class/block/zram0"))
	if err := os.MkdirAll(zram+"/slaves", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(zram, zram+"/slaves/zram0"); err != nil {
		t.Fatal(err)
	}
	chain := k.chainOfDevice(251, 0, 0)
	if end := chain[len(chain)-1]; len(chain) > maxChain+2 || !end.untraced {
		t.Errorf("%d links, the last one %+v", len(chain), end)
	}
}

func TestRAMDisk(t *testing.T) {
	for name, want := range map[string]bool{"ram0": true, "zram12": true, "ramdisk": false, "sda": false, "ram": false, "vram0": false} {
		if got := ramDisk(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if chosen("none [mq-deadline] kyber") != "mq-deadline" || chosen("none") != "none" || chosen("") != "" {
		t.Error("the chosen scheduler is read wrongly")
	}
	if got := strings.Join(parents([]string{"/sys/x/loop0p1/partition"}), ""); got != "loop0p1" {
		t.Error(got)
	}
}
