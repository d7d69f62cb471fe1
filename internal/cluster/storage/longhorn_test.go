package storage

import (
	"strings"
	"testing"
)

// What a pod mounts is named by an object that others may write.
func TestDirectoriesOfReplicas(t *testing.T) {
	for name, want := range map[string]bool{
		"/var/lib/longhorn": true, "/mnt/disk1": true, "/data": true, "/var/lib/longhorn/": true,
		"": false, "disk1": false, "/": false, "/etc": false, "/etc/kubernetes": false, "/mnt/../etc": false, "/var/lib/kubelet/pods": false, "/var": false, "/var/lib": false,
		"/root/.ssh": false, "/proc/1/root": false, "/etcetera": true,
	} {
		if got := isDataDirectory(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// Each write of a client becomes one or two writes of each replica, as long as none is being rebuilt.
func TestWritesOfAReplica(t *testing.T) {
	for _, c := range []struct {
		mode, uncounted string
		each            int
		of              string
	}{{"RW", "false", 2, "data, revision counter"}, {"RW", "true", 1, "data"}, {"WO", "false", 0, ""}, {"ERR", "false", 2, "data, revision counter"}} {
		lists := map[string]string{}
		for name, text := range longhornLists {
			text = strings.ReplaceAll(text, `"r-2":"WO"`, `"r-2":"`+c.mode+`"`)
			lists[name] = strings.ReplaceAll(text, `"revisionCounterDisabled":false`, `"revisionCounterDisabled":`+c.uncounted)
		}
		got := Describe(t.Context(), fake{drivers: longhornDrivers, lists: lists}, &longhornPV)
		if got.WritesEach != c.each || got.WritesOf != c.of || len(got.Disks) == 0 {
			t.Errorf("%+v: %d (%s) on %v", c, got.WritesEach, got.WritesOf, got.Disks)
		}
	}
}
