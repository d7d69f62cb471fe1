package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// splitNamed takes NAME=FILE apart. A file whose own name holds a = is one when it is
// there.
func splitNamed(arg string) (name, file string) {
	name, file, ok := strings.Cut(arg, "=")
	if !ok {
		return "", arg
	}
	if _, err := os.Stat(arg); err == nil {
		return "", arg
	}
	return strings.TrimSpace(name), file
}

// sourceMost is how much is read of a source: one byte more than is taken, so that a
// source that is too large is told from one that just fits.
const sourceMost = 256<<20 + 1

// readSource reads a file or standard input.
func readSource(e *env.Env, file string) ([]byte, error) {
	in := e.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, model.RefusedError(fmt.Sprintf("%s cannot be read: %v", file, err), "name a file with results, or - for standard input")
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, model.RefusedError(file+" is a directory", "name the files in it that hold results; a run directory of Loadline's own is read by loadline analyze and loadline compare")
		}
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, sourceMost))
	if err != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s cannot be read: %v", file, err), "")
	}
	return data, nil
}

var notName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// rawName is a file name that is safe under raw/.
func rawName(name string) string {
	name = strings.Trim(notName.ReplaceAllString(filepath.Base(name), "-"), "-.")
	if len(name) > 80 {
		name = name[len(name)-80:]
	}
	if name == "" {
		return "source"
	}
	return name
}

// unused is the directory name for a system: its own, or with a number when another
// system has it.
func unused(name string, taken []string) string {
	base := strings.ToLower(rawName(name))
	unique := base
	for i := 2; slices.Contains(taken, unique); i++ {
		unique = fmt.Sprintf("%s-%d", base, i)
	}
	return unique
}
