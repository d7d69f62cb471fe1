package procfs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const text = `22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,discard
30 27 0:35 /sub /data rw,noatime shared:7 master:2 - btrfs /dev/sdb rw,compress=zstd:1,subvol=/sub
31 27 0:40 / /with\040blank rw - tmpfs tmp\134fs rw,size=1k
32 27 8:17 / /data/deep ro,nosuid - xfs /dev/sdc1 rw,noquota
33 27 8:18 / /data/deep rw - xfs /dev/sdc2 rw
`

func TestParse(t *testing.T) {
	mounts, err := Mounts(strings.NewReader(text))
	if err != nil || len(mounts) != 6 {
		t.Fatal(len(mounts), err)
	}
	want := Mount{ID: 30, Major: 0, Minor: 35, Root: "/sub", Point: "/data", Type: "btrfs", Source: "/dev/sdb", Options: "rw,noatime", Super: "rw,compress=zstd:1,subvol=/sub"}
	if diff := cmp.Diff(want, mounts[2]); diff != "" {
		t.Error(diff)
	}
	if got := mounts[2].AllOptions(); got != "rw,noatime,compress=zstd:1,subvol=/sub" {
		t.Error(got)
	}
	if got := mounts[4].AllOptions(); got != "ro,nosuid,noquota" {
		t.Errorf("a read-only mount of a writable filesystem: %s", got)
	}
	for path, point := range map[string]string{
		"/": "/", "/etc": "/", "/data": "/data", "/database": "/", "/data/x": "/data", "/with blank/a": "/with blank", "/proc": "/proc",
	} {
		if m, ok := Holding(mounts, path); !ok || m.Point != point {
			t.Errorf("%s is on %q, want %q", path, m.Point, point)
		}
	}
	if m, _ := Holding(mounts, "/data/deep/er"); m.Source != "/dev/sdc2" {
		t.Errorf("%s was covered by a later mount", m.Source)
	}
	if _, ok := Holding(nil, "/"); ok {
		t.Error("a mount was found among none")
	}
	for _, line := range []string{"nonsense", "1 2 x:y / / rw - ext4 a rw", "1 2 3:4 / / - ext4 a rw", "x 2 3:4 / / rw - ext4 a rw"} {
		if _, err := Mounts(strings.NewReader(line)); err == nil {
			t.Errorf("%q was read", line)
		}
	}
	if mounts, err := Mounts(strings.NewReader("nonsense\n" + text)); err == nil || len(mounts) != 6 {
		t.Errorf("%d mounts beside a line that cannot be read: %v", len(mounts), err)
	}
}

func TestControls(t *testing.T) {
	mounts, err := Mounts(strings.NewReader("33 31 0:29 /a\\134x2db /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"))
	if err != nil {
		t.Fatal(err)
	}
	if m := mounts[0]; !m.Controls("cpu") || m.Controls("memory") || m.Root != `/a\x2db` || mounts[1].Controls("cpu") {
		t.Errorf("%+v", mounts)
	}
}

func TestUnescape(t *testing.T) {
	escape := strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "path")
		if got := Unescape(escape.Replace(s)); got != s {
			t.Fatalf("got %q, want %q", got, s)
		}
	})
	if got := Unescape(`a\04`); got != `a\04` {
		t.Error(got)
	}
}
