package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Zram returns a compressed disk in memory: like device mapper and MD devices it has no requests
// of its own, and it also exists in kernels that have neither of those.
func Zram(t T, size int64) string {
	t.Helper()
	needMounts(t)
	Lock(t)
	number, err := os.ReadFile("/sys/class/zram-control/hot_add")
	if err != nil {
		Unavailable(t, "zram devices cannot be made here: %v", err)
	}
	n := strings.TrimSpace(string(number))
	// From here on it is removed, if not by us then by the janitor.
	undo(t, fmt.Sprintf(`[ -e /sys/block/zram%[1]s ] || exit 0
for i in $(seq 100); do echo 1 > /sys/block/zram%[1]s/reset 2>/dev/null && break; sleep 0.1; done
echo %[1]s > /sys/class/zram-control/hot_remove`, quote(n)), nil)
	if err := os.WriteFile(filepath.Join("/sys/block", "zram"+n, "disksize"), fmt.Append(nil, size), 0); err != nil {
		Unavailable(t, "a zram device cannot be sized: %v", err)
	}
	return "/dev/zram" + n
}
