package kbench

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Found is the content of a results directory.
type Found struct {
	// Values combines all files; if several contain the same job, the newest is used.
	Values Values
	// Reports are the documents of Loadline's reports, oldest first.
	Reports [][]byte
	// Unreadable has a message for each file with unknown or incomplete contents.
	Unreadable []string
}

// reportMark distinguishes a report from a file written by fio.
const reportMark = `"loadline.report/v1"`

// mostTogether is the maximum total size of the files in a directory, in bytes: a scrape reads them
// all, and the report of one day has a few megabytes.
const mostTogether = 128 << 20

// Look reads all JSON files in a directory, as Kbench's exporter does. It never fails: a missing
// directory is treated as empty, and unreadable files are listed.
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
