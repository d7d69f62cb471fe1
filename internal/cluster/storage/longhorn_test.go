package storage

import "testing"

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
