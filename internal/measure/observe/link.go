package observe

import (
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// megabit is 10⁶ bits in bytes: the unit of a network interface's speed file.
const megabit = 1e6 / 8

// links reads how much each network interface of known speed has transferred so far. Bridges, tunnels
// and the loopback have no hardware and no speed of their own (the kernel's
// Documentation/ABI/testing/sysfs-class-net).
func links(files fs.FS) map[string]model.Link {
	cards := map[string]model.Link{}
	for line := range strings.Lines(text(files, "proc/net/dev")) {
		name, counts, ok := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		f := strings.Fields(counts)
		if !ok || len(f) < 9 {
			continue
		}
		speed, err := strconv.ParseFloat(strings.TrimSpace(text(files, path.Join("sys/class/net", name, "speed"))), 64)
		if _, hardware := fs.Stat(files, path.Join("sys/class/net", name, "device")); err != nil || hardware != nil || speed <= 0 {
			continue
		}
		received, errIn := strconv.ParseUint(f[0], 10, 64)
		sent, errOut := strconv.ParseUint(f[8], 10, 64)
		if errIn == nil && errOut == nil {
			cards[name] = model.Link{Name: name, Received: received, Sent: sent, Speed: speed * megabit}
		}
	}
	return cards
}

// busiest returns the interface with the highest utilisation between two readings; nil if there is
// none.
func busiest(before, now map[string]model.Link) *model.Link {
	var most *model.Link
	share := -1.0
	for name, b := range before {
		n, ok := now[name]
		if !ok || n.Received < b.Received || n.Sent < b.Sent {
			continue
		}
		l := model.Link{Name: name, Received: n.Received - b.Received, Sent: n.Sent - b.Sent, Speed: n.Speed}
		if s := float64(max(l.Received, l.Sent)) / l.Speed; s > share {
			most, share = &l, s
		}
	}
	return most
}
