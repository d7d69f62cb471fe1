package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
)

// The walk through the folder goes at most depth levels deep and visits at most this many
// directories: a folder of results stays below both limits, a home directory may exceed both.
const (
	depth = 4
	most  = 50000
)

// settled is how old a directory's modification time must be before its card is cached: a change
// within the same clock tick would go unnoticed.
const settled = 2 * time.Second

// listTimeout is how long a list request waits for the folder to be read. Whatever has not been
// read by then appears in the next list.
const listTimeout = 700 * time.Millisecond

// freshFor is how long the result of a walk stays valid.
const freshFor = 400 * time.Millisecond

// library lists the directories of results below one folder. It reads each card once and again when
// it changes.
type library struct {
	root *os.Root
	// name is the folder as it was given; only is the single directory shown if the folder itself
	// is a directory of results.
	name, only string
	now        func() time.Time

	mu      sync.Mutex
	entries map[string]*entry
	// links and unnamed count what the list leaves out: symbolic links, and folders whose name is not UTF-8 text.
	links, unnamed int
	cut            bool
	err            error
	walked         time.Time
	walking        chan struct{}
	ended          sync.WaitGroup
}

// entry is one directory of results.
type entry struct {
	path     string
	card     store.Card
	problems []string
	// stamp changes when the directory does; "" never equals another stamp.
	stamp string
	// text is the text that a search matches, in lower case.
	text string
}

// openLibrary opens the folder. A directory of results is served alone.
func openLibrary(name string, now func() time.Time) (*library, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, model.RefusedError(fmt.Sprintf("there is no folder %s", name), "loadline run TARGET makes the first run; or name another folder: loadline serve DIR")
	case err != nil:
		return nil, model.RefusedError(fmt.Sprintf("%s cannot be read: %v", name, err), "")
	case !info.IsDir():
		return nil, model.RefusedError(fmt.Sprintf("%s is a file, not a folder of runs", name), "name the folder that the run directories are in")
	}
	inside, err := os.ReadDir(name)
	if err != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s cannot be read: %v", name, err), "")
	}
	l := &library{name: name, now: now, entries: map[string]*entry{}}
	folder := name
	if store.IsRecognized("", inside) {
		full, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		if full, err = filepath.EvalSymlinks(full); err != nil {
			return nil, err
		}
		folder, l.only = filepath.Dir(full), filepath.Base(full)
	}
	if l.root, err = os.OpenRoot(folder); err != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s cannot be opened: %v", folder, err), "")
	}
	return l, nil
}

func (l *library) close() error {
	l.ended.Wait()
	return l.root.Close()
}

// refresh updates the list within listTimeout and ctx, and reports whether everything has been
// read. Concurrent requests share one walk.
func (l *library) refresh(ctx context.Context) bool { return l.renew(ctx, freshFor) }

// renew is refresh for a list that may not be older than age.
func (l *library) renew(ctx context.Context, age time.Duration) bool {
	l.mu.Lock()
	if l.walking == nil {
		if l.now().Sub(l.walked) < age {
			l.mu.Unlock()
			return true
		}
		l.walking = make(chan struct{})
		l.ended.Go(l.walk)
	}
	walking := l.walking
	l.mu.Unlock()
	select {
	case <-walking:
		return true
	case <-system.After(listTimeout):
	case <-ctx.Done():
	}
	return false
}

// walk finds the directories and reads the cards of new and changed ones.
func (l *library) walk() {
	found := &finding{known: l.known()}
	err := l.find(".", 0, found)
	work := make(chan string)
	var readers sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for p := range work {
				l.read(p)
			}
		})
	}
	there := map[string]bool{}
	for _, p := range found.paths {
		there[p] = true
		work <- p
	}
	close(work)
	readers.Wait()

	l.mu.Lock()
	defer l.mu.Unlock()
	for p := range l.entries {
		if !there[p] {
			delete(l.entries, p)
		}
	}
	l.links, l.unnamed, l.cut, l.err = found.links, found.unnamed, found.folders >= most, err
	l.walked = l.now()
	close(l.walking)
	l.walking = nil
}

// known returns the paths of the entries and their kinds.
func (l *library) known() map[string]store.CardKind {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := make(map[string]store.CardKind, len(l.entries))
	for p, e := range l.entries {
		known[p] = e.card.Kind
	}
	return known
}

// finding is the result of a walk so far.
type finding struct {
	known          map[string]store.CardKind
	paths          []string
	links, folders int
	unnamed        int
}

// find collects the directories of results below dir. Symbolic links are counted but not followed;
// hidden directories are skipped.
func (l *library) find(dir string, level int, found *finding) error {
	inside, err := fs.ReadDir(l.root.FS(), dir)
	if err != nil {
		return err
	}
	for _, e := range inside {
		name := e.Name()
		if e.Type()&fs.ModeSymlink != 0 {
			found.links++
		}
		if !e.IsDir() || strings.HasPrefix(name, ".") || level == 0 && l.only != "" && name != l.only {
			continue
		}
		if !utf8.ValidString(name) {
			// Neither a path of the root nor a URL can hold such a name.
			found.unnamed++
			continue
		}
		if found.folders++; found.folders > most {
			return nil
		}
		below := path.Join(dir, name)
		if kind, known := found.known[below]; known && kind != store.RankingCard {
			found.paths = append(found.paths, below)
			continue
		}
		names, err := fs.ReadDir(l.root.FS(), below)
		switch {
		case err != nil && store.IsRecognized(name, nil), err == nil && store.IsRecognized(name, names) && !folderOfFolders(names):
			found.paths = append(found.paths, below)
			if hasName(names, store.RankingFile) && level < depth {
				// The systems of a ranking are runs in their own right.
				_ = l.find(below, level+1, found)
			}
		case err == nil && level < depth:
			// Whatever cannot be read below here is left out, but not the rest.
			_ = l.find(below, level+1, found)
		}
	}
	return nil
}

func hasName(names []fs.DirEntry, name string) bool {
	return slices.ContainsFunc(names, func(e fs.DirEntry) bool { return e.Name() == name })
}

// folderOfFolders reports whether a directory that is only named like a directory of results
// contains others.
func folderOfFolders(names []fs.DirEntry) bool {
	if store.IsRecognized("", names) {
		return false
	}
	for _, e := range names {
		if e.IsDir() && store.IsRecognized(e.Name(), nil) {
			return true
		}
	}
	return false
}

// read reads the card of one directory, unless it is already known and unchanged.
func (l *library) read(p string) {
	l.mu.Lock()
	old := l.entries[p]
	l.mu.Unlock()
	stamp := l.stamp(p, old != nil && old.card.Kind == store.ComparisonCard)
	if old != nil && stamp != "" && old.stamp == stamp && !old.moving() {
		return
	}
	e := &entry{path: p, stamp: stamp}
	dir, err := l.root.OpenRoot(p)
	if err != nil {
		e.card = store.Card{Kind: store.UnknownCard, ID: path.Base(p)}
		e.problems = []string{fmt.Sprintf("it cannot be opened: %v", errors.Unwrap(err))}
	} else {
		e.card, e.problems = store.ReadCard(store.Plain(dir), path.Base(p))
		dir.Close()
	}
	e.text = e.searchText()
	l.mu.Lock()
	l.entries[p] = e
	l.mu.Unlock()
}

// moving reports whether the entry may change without its directory's modification time changing.
func (e *entry) moving() bool {
	return e.card.Status == model.Running || e.card.Kind == store.DurabilityCard && e.card.Document == 0
}

// stamp returns a value that changes when anything in the directory is written: every file there is
// replaced by a rename, which changes the directory's modification time. It is empty for a
// directory so recently changed that the next change might have the same time.
func (l *library) stamp(p string, sides bool) string {
	names := []string{p, path.Join(p, store.CardFile)}
	if sides {
		names = append(names, path.Join(p, store.BaselineDir), path.Join(p, store.CandidateDir))
	}
	var b strings.Builder
	for _, name := range names {
		info, err := l.root.Lstat(name)
		if err != nil {
			b.WriteString("-;")
			continue
		}
		if l.now().Sub(info.ModTime()) < settled {
			return ""
		}
		fmt.Fprintf(&b, "%d,%d;", info.ModTime().UnixNano(), info.Size())
	}
	return b.String()
}

// searchText collects the text that a search matches.
func (e *entry) searchText() string {
	c := &e.card
	words := []string{e.path, c.ID, string(c.Kind), string(c.Status), c.Target, string(c.TargetKind), c.Baseline, c.Profile, c.Note, c.Host,
		string(c.Verdict), string(c.Durability), c.Statement}
	words = append(words, e.problems...)
	words = append(words, c.Labels.Words()...)
	for _, r := range c.Results {
		words = append(words, r.Workload)
	}
	return strings.ToLower(strings.Join(words, "\n"))
}

// open opens the directory of results at a path found by a walk, or one side of a comparison. It is an
// error if there is none.
func (l *library) open(ctx context.Context, p string) (*opened, error) {
	e := l.lookup(p)
	if e == nil {
		l.renew(ctx, 0)
		e = l.lookup(p)
	}
	if e == nil {
		return nil, fmt.Errorf("there is no run %q in this folder", p)
	}
	dir, err := l.root.OpenRoot(p)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be opened: %w", p, errors.Unwrap(err))
	}
	if e.text == "" || e.moving() {
		fresh := *e
		e = &fresh
		e.card, e.problems = store.ReadCard(store.Plain(dir), path.Base(p))
	}
	return &opened{entry: *e, root: dir, files: store.Plain(dir), dir: path.Join(filepath.ToSlash(l.shown()), p)}, nil
}

// shown is the folder's name for people.
func (l *library) shown() string {
	if l.only != "" {
		return filepath.Dir(filepath.Clean(l.name))
	}
	return filepath.Clean(l.name)
}

// lookup returns the entry at a path. A side of a comparison also counts as an entry; its card has
// not been read yet.
func (l *library) lookup(p string) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.entries[p]; e != nil {
		return e
	}
	parent, side := path.Split(p)
	whole := l.entries[strings.TrimSuffix(parent, "/")]
	if whole == nil || whole.card.Kind != store.ComparisonCard || side != store.BaselineDir && side != store.CandidateDir {
		return nil
	}
	return &entry{path: p}
}

// opened is a directory of results opened for reading.
type opened struct {
	entry
	root  *os.Root
	files fs.FS
	// dir is the path shown to people.
	dir string
}

func (o *opened) close() { o.root.Close() }
