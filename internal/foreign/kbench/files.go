package kbench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/outfile"
)

// resultFiles returns the files that a request will write, except the summary.
func resultFiles(r Request) []string {
	names := []string{r.ReportFile()}
	written := map[string]bool{}
	for _, job := range r.Jobs() {
		if name := r.OutputFile(aspectOf(job)); !written[name] {
			written[name] = true
			names = append(names, name)
		}
	}
	return names
}

// CheckResults refuses to measure if results would overwrite a file that is not a result, or the
// measured file itself.
func CheckResults(r Request, overwrite bool) error {
	names := resultFiles(r)
	if !r.SkipParse {
		names = append(names, r.SummaryFile())
	}
	return mayReplace(names, overwrite, r.File)
}

// CheckPair is CheckResults for a comparison.
func CheckPair(pair [2]Request, overwrite bool) error {
	names := append(append(resultFiles(pair[0]), resultFiles(pair[1])...), PairFile(pair))
	return mayReplace(names, overwrite, pair[0].File, pair[1].File)
}

func mayReplace(names []string, overwrite bool, measured ...string) error {
	for _, name := range names {
		for _, file := range measured {
			if sameName(name, file) {
				return model.RefusedError(fmt.Sprintf("%s is measured, and is also the name of a result: it would be lost", file), "set OUTPUT to another prefix, such as OUTPUT=/tmp/device")
			}
		}
		if err := mayReplaceOne(name, overwrite); err != nil {
			return err
		}
	}
	return nil
}

func mayReplaceOne(name string, overwrite bool) error {
	const elsewhere = "set OUTPUT to another prefix, such as OUTPUT=/tmp/device"
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		// It does not exist yet. A problem with the directory is reported when the file is created.
		return nil
	case !info.Mode().IsRegular():
		return model.RefusedError(fmt.Sprintf("%s is %s, and a result is a file", name, store.Kind(name)), elsewhere)
	case outfile.OwnFolder(filepath.Dir(name)):
		return model.RefusedError(fmt.Sprintf("%s belongs to the saved run in %s", name, filepath.Dir(name)), elsewhere)
	case overwrite:
		return nil
	}
	ours, err := outfile.BeginsAsReport(name, info)
	if err == nil && !ours {
		ours, err = isKbenchResult(name)
	}
	if err != nil {
		return model.RefusedError(fmt.Sprintf("%s exists and cannot be read: %v", name, err), elsewhere)
	}
	if ours {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s exists and is not a result of Kbench or Loadline; it would be lost", name), elsewhere+", or add --overwrite")
}

// isKbenchResult reports whether a file begins like fio's JSON, with keys in Kbench's or in
// alphabetical order, or like a summary.
func isKbenchResult(name string) (bool, error) {
	head, err := outfile.ReadHead(name)
	if err != nil {
		return false, err
	}
	text := bytes.TrimSpace(head)
	if bytes.HasPrefix(text, []byte("=====")) {
		return bytes.Contains(text, []byte("FIO Benchmark ")), nil
	}
	for _, key := range []string{`"fio version"`, `"cpu_idleness"`, `"disk_util"`} {
		if bytes.Contains(text, []byte(key)) {
			return true, nil
		}
	}
	return false, nil
}

// sameName reports whether two names refer to the same file, which need not exist.
func sameName(a, b string) bool {
	one, errA := os.Stat(a)
	other, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(one, other)
	}
	return settled(a) == settled(b)
}

// settled returns a name with symbolic links resolved: only those of its directory if the file does not
// exist.
func settled(name string) string {
	whole, err := filepath.Abs(name)
	if err != nil {
		return filepath.Clean(name)
	}
	if there, err := filepath.EvalSymlinks(whole); err == nil {
		return there
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(whole)); err == nil {
		return filepath.Join(folder, filepath.Base(whole))
	}
	return whole
}
