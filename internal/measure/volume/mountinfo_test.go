package volume

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const mountinfo = `22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,discard
30 27 0:35 /sub /data rw,noatime shared:7 master:2 - btrfs /dev/sdb rw,compress=zstd:1,subvol=/sub
31 27 0:40 / /with\040blank rw - tmpfs tmp\134fs rw,size=1k
32 27 8:17 / /data/deep ro,nosuid - xfs /dev/sdc1 rw,noquota
33 27 8:18 / /data/deep rw - xfs /dev/sdc2 rw
`

func TestParseMounts(t *testing.T) {
	mounts, err := parseMounts(strings.NewReader(mountinfo))
	if err != nil || len(mounts) != 6 {
		t.Fatal(len(mounts), err)
	}
	want := mount{id: 30, major: 0, minor: 35, root: "/sub", point: "/data", fstype: "btrfs", source: "/dev/sdb", options: "rw,noatime", super: "rw,compress=zstd:1,subvol=/sub"}
	if diff := cmp.Diff(want, mounts[2], cmp.AllowUnexported(mount{})); diff != "" {
		t.Error(diff)
	}
	if got := mounts[2].allOptions(); got != "rw,noatime,compress=zstd:1,subvol=/sub" {
		t.Error(got)
	}
	if got := mounts[4].allOptions(); got != "ro,nosuid,noquota" {
		t.Errorf("a read-only mount of a writable filesystem: %s", got)
	}
	for path, point := range map[string]string{
		"/": "/", "/etc": "/", "/data": "/data", "/database": "/", "/data/x": "/data", "/with blank/a": "/with blank", "/proc": "/proc",
	} {
		if m, ok := mountOf(mounts, path); !ok || m.point != point {
			t.Errorf("%s is on %q, want %q", path, m.point, point)
		}
	}
	if m, _ := mountOf(mounts, "/data/deep/er"); m.source != "/dev/sdc2" {
		t.Errorf("%s was covered by a later mount", m.source)
	}
	if _, ok := mountOf(nil, "/"); ok {
		t.Error("a mount was found among none")
	}
	for _, line := range []string{"nonsense", "1 2 x:y / / rw - ext4 a rw", "1 2 3:4 / / - ext4 a rw", "x 2 3:4 / / rw - ext4 a rw"} {
		if _, err := parseMounts(strings.NewReader(line)); err == nil {
			t.Errorf("%q was read", line)
		}
	}
}

func TestUnescape(t *testing.T) {
	escape := strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "path")
		if got := unescape(escape.Replace(s)); got != s {
			t.Fatalf("got %q, want %q", got, s)
		}
	})
	if got := unescape(`a\04`); got != `a\04` {
		t.Error(got)
	}
}
