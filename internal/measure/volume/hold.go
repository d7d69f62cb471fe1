package volume

import (
	"os"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// hold is an open descriptor that several objects of one run may share.
type hold struct {
	file *os.File
	key  holdKey
	// refs counts the objects; unshare stops sharing the descriptor with other processes.
	refs    int
	unshare func()
	// nextScan is when to check next whether another process has it open.
	scanning sync.Mutex
	nextScan time.Time
}

// holdKey identifies what is held and by which run: two runs in one process share nothing.
type holdKey struct {
	path, share string
	write       bool
}

// holds are the shareable holds of this process.
var holds = struct {
	sync.Mutex
	by map[holdKey]*hold
}{by: map[holdKey]*hold{}}

// acquire opens the target, or joins the objects of the same run that have it open.
func acquire(t model.Target, write bool, share string) (*hold, error) {
	if share == "" {
		f, err := openTarget(t, write)
		return &hold{file: f, refs: 1, unshare: func() {}}, err
	}
	holds.Lock()
	defer holds.Unlock()
	key := holdKey{path: t.Path, share: share, write: write}
	if h := holds.by[key]; h != nil {
		h.refs++
		return h, nil
	}
	f, err := sharedDescriptor(t, write, share)
	if f == nil && err == nil {
		f, err = openTarget(t, write)
	}
	if err != nil {
		return nil, err
	}
	h := &hold{file: f, key: key, refs: 1, unshare: shareDescriptor(f, t, write, share)}
	holds.by[key] = h
	return h, nil
}

// release drops one reference and closes the descriptor with the last one.
func (h *hold) release() {
	holds.Lock()
	defer holds.Unlock()
	if h.refs--; h.refs > 0 {
		return
	}
	if h.key != (holdKey{}) {
		delete(holds.by, h.key)
	}
	h.unshare()
	_ = h.file.Close()
}
