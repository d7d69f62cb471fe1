package perf

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/store"
)

const (
	// libraryRuns is the size of the folder that the goals are for.
	libraryRuns = 2000
	// libraryColds is how often the server is restarted, libraryAsks how often a
	// running one is asked each question.
	libraryColds, libraryAsks = 5, 40
)

// folderOfRuns makes copies of a real run, each with its own card.
func folderOfRuns(b *testing.B) string {
	b.Helper()
	folder := b.TempDir()
	first := filepath.Join(folder, "20260101-000000-first")
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	results := b.TempDir()
	if out, err := exec.Command(program(b), "run", "fake:?iops=3000&cv=0.02", "--profile", "kbench", "--results", results, "--quiet").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	made, err := filepath.Glob(filepath.Join(results, "*"))
	check(err)
	check(os.CopyFS(first, os.DirFS(made[0])))
	text, err := os.ReadFile(filepath.Join(first, store.CardFile))
	check(err)
	var card store.Card
	check(json.Unmarshal(text, &card))
	for i := 1; i < libraryRuns; i++ {
		c := card
		c.Started = card.Started.Add(time.Duration(i) * time.Minute)
		c.Finished = c.Started.Add(time.Duration(i%97) * time.Second)
		c.ID = store.Name(c.Started, fmt.Sprintf("target-%d", i%50))
		c.Target, c.Note, c.Host = fmt.Sprintf("/srv/target-%d", i%50), fmt.Sprintf("attempt %d", i), fmt.Sprintf("node-%d", i%7)
		for k := range c.Results {
			c.Results = slices.Clone(c.Results)
			c.Results[k].Value *= 1 + float64(i%113)/100
		}
		dir := filepath.Join(folder, c.ID)
		check(os.MkdirAll(dir, 0o755))
		for _, name := range []string{"plan.json", "run.json", "environment.json", store.ReportFile, store.PageFile, "samples.jsonl.zst"} {
			check(os.Link(filepath.Join(first, name), filepath.Join(dir, name)))
		}
		file, err := c.File(int(card.Document))
		check(err)
		check(store.WriteFile(dir, file.Name, file.Data))
	}
	return folder
}

// forget drops the cards from the page cache, as far as the kernel allows.
func forget(b *testing.B, folder string) {
	b.Helper()
	syscall.Sync()
	cards, err := filepath.Glob(filepath.Join(folder, "*", store.CardFile))
	if err != nil || len(cards) != libraryRuns {
		b.Fatalf("%d cards: %v", len(cards), err)
	}
	for _, name := range cards {
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// served starts "loadline serve" and returns its address.
func served(b *testing.B, loadline, folder string) (address string, end func()) {
	b.Helper()
	cmd := exec.Command(loadline, "serve", folder, "--listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line), func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			b.Errorf("loadline serve: %v", err)
		}
	}
}

// ask requests a list, and returns how long the response took and whether it covers the
// whole folder.
func ask(b *testing.B, address string, matches int) (time.Duration, bool) {
	b.Helper()
	began := time.Now()
	resp, err := http.Get(address)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	took := time.Since(began)
	var l struct {
		Matches int  `json:"matches"`
		Reading bool `json:"reading"`
	}
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("%s: %s %v\n%s", address, resp.Status, err, text)
	}
	if !l.Reading && l.Matches != matches {
		b.Fatalf("%s: %d runs, want %d", address, l.Matches, matches)
	}
	return took, !l.Reading
}

// BenchmarkLibrary prints how long the list of loadline serve takes for a folder of
// 2,000 runs: the first time (goal: within 1 s) and from then on (within 100 ms).
func BenchmarkLibrary(b *testing.B) {
	for range b.N {
		folder, loadline := folderOfRuns(b), program(b)
		list := "api/list?limit=100"
		var colds []time.Duration
		var address string
		for i := range libraryColds {
			forget(b, folder)
			next, end := served(b, loadline, folder)
			began := time.Now()
			for whole := false; !whole; {
				_, whole = ask(b, next+list, libraryRuns)
			}
			colds = append(colds, time.Since(began))
			if i < libraryColds-1 {
				end()
				continue
			}
			address = next
			defer end()
		}
		timesRow(b, "first list, cards not in memory", colds)
		for _, q := range []struct {
			words, query string
			matches      int
			pause        time.Duration
		}{
			{"list again", "", libraryRuns, 0},
			{"list again, the folder looked through anew", "", libraryRuns, 500 * time.Millisecond},
			{"search for two words", "&q=target-7+node-3", 0, 0},
			{"sorted by a result", "&workload=rand-read-iops&sort=result", libraryRuns, 0},
			{"last page", "&offset=1900", libraryRuns, 0},
		} {
			if strings.Contains(q.query, "q=") {
				for i := 1; i < libraryRuns; i++ {
					// Only "target-7" matches; the run directory's name contains it too.
					if i%50 == 7 && i%7 == 3 {
						q.matches++
					}
				}
			}
			var times []time.Duration
			for range libraryAsks {
				time.Sleep(q.pause)
				took, whole := ask(b, address+list+q.query, q.matches)
				if !whole {
					b.Fatal("a folder that was read is being read again")
				}
				times = append(times, took)
			}
			timesRow(b, q.words, times)
		}
	}
}

// timesRow prints a row of the table.
func timesRow(b *testing.B, words string, times []time.Duration) {
	slices.Sort(times)
	b.Logf("%-45s median %8s   slowest %8s   of %d", words, times[len(times)/2].Round(100*time.Microsecond), times[len(times)-1].Round(100*time.Microsecond), len(times))
}
