package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/foreign/imported"
	"github.com/loadline/loadline/internal/model"
)

// splitNamed splits NAME=FILE. If a file exists whose own name contains a =, that file is meant.
func splitNamed(arg string) (name, file string, err error) {
	name, file, ok := strings.Cut(arg, "=")
	if !ok {
		return "", arg, nil
	}
	if _, err := os.Stat(arg); err == nil {
		return "", arg, nil
	}
	if name = strings.TrimSpace(name); name == "" || strings.TrimSpace(file) == "" {
		return "", "", model.RefusedError(fmt.Sprintf("%q does not name a system and a file", arg), "write NAME=FILE, or only the file")
	}
	return name, file, nil
}

// sameSystems maps names that sources use for the same system to the other name.
type sameSystems []sameSystem

type sameSystem struct {
	name, other string
	met         bool
}

// same parses NAME=OTHER.
func (f *ImportOptions) same() (list sameSystems, err error) {
	for _, s := range f.Same {
		name, other, ok := strings.Cut(s, "=")
		if name, other = strings.TrimSpace(name), strings.TrimSpace(other); !ok || name == "" || other == "" || strings.EqualFold(name, other) {
			return nil, model.RefusedError(fmt.Sprintf("--same %q does not name two systems", s), "write NAME=OTHER: what the document says of OTHER belongs to NAME")
		}
		list = append(list, sameSystem{name: name, other: other})
	}
	return list, nil
}

// of is the system name that a name stands for.
func (l sameSystems) of(name string) string {
	for i := range l {
		if strings.EqualFold(l[i].other, name) {
			l[i].met = true
			return l[i].name
		}
	}
	return name
}

// unknown refuses names that no source has.
func (l sameSystems) unknown(systems []*system) error {
	for _, s := range l {
		if !s.met {
			return model.RefusedError(fmt.Sprintf("--same: there is no system %q", s.other), "there are "+systemNames(systems))
		}
	}
	return nil
}

// readSource reads a file or standard input.
func readSource(stdin io.Reader, file string) ([]byte, error) {
	const hint = "name a file with results, or - for standard input"
	in := stdin
	if file != "-" {
		f, err := env.Open(file)
		if err != nil {
			return nil, model.RefusedError(fmt.Sprintf("%s cannot be read: %v", file, err), hint)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, model.RefusedError(file+" is a directory", "name the files in it that hold results; a run directory of Loadline's own is read by loadline analyze and loadline compare")
		}
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() <= imported.Most {
			// If it grows meanwhile, only the original size is read.
			data := make([]byte, info.Size())
			n, err := io.ReadFull(f, data)
			if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return data[:n], nil
			}
			return nil, model.RefusedError(fmt.Sprintf("%s cannot be read: %v", file, err), "")
		}
		in = f
	}
	data, err := readPieces(in, imported.Most+1)
	if err != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s cannot be read: %v", file, err), hint)
	}
	return data, nil
}

// readPieces reads at most the given number of bytes. A buffer that grows by copying would take twice
// the memory for something that is then refused; one byte above the limit is enough to recognize it as
// too large.
func readPieces(in io.Reader, most int) ([]byte, error) {
	var pieces [][]byte
	total := 0
	for total < most {
		piece := make([]byte, min(1<<20, most-total))
		n, err := io.ReadFull(in, piece)
		pieces, total = append(pieces, piece[:n]), total+n
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if total == most {
		// It will be refused because of its length alone.
		return make([]byte, most), nil
	}
	return bytes.Join(pieces, nil), nil
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

// unused is the directory name for a system: its own, or with a number if another system has it.
func unused(name string, taken []string) string {
	base := strings.ToLower(rawName(name))
	unique := base
	for i := 2; slices.Contains(taken, unique); i++ {
		unique = fmt.Sprintf("%s-%d", base, i)
	}
	return unique
}
