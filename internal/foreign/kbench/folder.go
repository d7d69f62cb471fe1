package kbench

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Found is what a folder of results holds.
type Found struct {
	// Values are those of all files, the newest where several hold the same job.
	Values Values
	// Reports are the documents of Loadline's reports, oldest first.
	Reports [][]byte
	// Unreadable tells of each file that holds nothing known, or not yet all of it.
	Unreadable []string
}

// reportMark is how a report is told from a file of fio's.
const reportMark = `"loadline.report/v1"`

// mostTogether bounds the files of a folder together, in bytes: a scrape reads them all,
// and a report of a day has a few megabytes.
const mostTogether = 128 << 20

// Look reads all JSON files of a folder, as Kbench's exporter does. It never fails:
// a folder that is not there yet is empty, and what cannot be read is named.
func Look(folder fs.FS) Found {
	type file struct {
		name     string
		modified time.Time
	}
	var files []file
	f := Found{Values: Values{Jobs: map[string]float64{}, Idle: map[Aspect]float64{}}}
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return f
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") || strings.HasPrefix(e.Name(), ".") || e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil {
			files = append(files, file{e.Name(), info.ModTime()})
		}
	}
	slices.SortStableFunc(files, func(a, b file) int { return cmp.Or(a.modified.Compare(b.modified), cmp.Compare(a.name, b.name)) })
	left := mostTogether
	for _, x := range files {
		data, err := fs.ReadFile(folder, x.name)
		if left -= len(data); left < 0 {
			f.Unreadable = append(f.Unreadable, x.name+": with the others it is more than results are")
			return f
		}
		switch {
		case err != nil:
			f.Unreadable = append(f.Unreadable, x.name+": "+err.Error())
		case strings.Contains(string(data[:min(len(data), 200)]), reportMark):
			f.Reports = append(f.Reports, data)
		default:
			if err := f.Values.Read(data); err != nil {
				f.Unreadable = append(f.Unreadable, x.name+": "+err.Error())
			}
		}
	}
	return f
}
