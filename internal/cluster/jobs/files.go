package jobs

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// Files are the user's files that a Job takes along, by the names that its command calls
// them by. They travel as arguments: a profile is a few lines, and so they need no object
// and no right of their own, come and go with the Job, and are read where they are named.
type Files map[string][]byte

// argumentLimit is how long one argument of a program may be on Linux, in bytes.
const argumentLimit = 128<<10 - 1

// Gather makes an env in which every file that is read is added: what was
// checked here is what travels.
func (f Files) Gather(e *env.Env) *env.Env {
	gathering := *e
	gathering.ReadFile = func(name string) ([]byte, error) {
		if data, known := f[name]; known {
			// It may be a pipe, which can be read once.
			return data, nil
		}
		data, err := e.ReadFile(name)
		if err == nil {
			f[name] = data
		}
		return data, err
	}
	return &gathering
}

// Check refuses what is too large to travel.
func (f Files) Check() error {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if room := base64.RawStdEncoding.DecodedLen(argumentLimit - len(name) - 1); len(f[name]) > room {
			return model.RefusedError(fmt.Sprintf("%s is %d bytes long, and a file that travels with a Job may be %d", name, len(f[name]), room),
				"shorten it; or mount it into a Job of your own, as deploy/job.yaml shows")
		}
	}
	return nil
}

// Pack is the files as arguments of "loadline job".
func (f Files) Pack() (args []string) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		args = append(args, "--file", name+"="+base64.RawStdEncoding.EncodeToString(f[name]))
	}
	return args
}

// Unpack reads what pack has written.
func Unpack(packed []string) (Files, error) {
	f := Files{}
	for _, p := range packed {
		// A name may hold a "=", the content does not.
		at := strings.LastIndex(p, "=")
		data, err := base64.RawStdEncoding.DecodeString(p[at+1:])
		if at < 1 || err != nil {
			return nil, model.RefusedError(fmt.Sprintf("--file %.60q is no NAME=CONTENT with the content in base64", p), "loadline run --in-cluster writes it")
		}
		f[p[:at]] = data
	}
	return f, nil
}

// Provide makes an env in which the files lie where they were.
func (f Files) Provide(e *env.Env) *env.Env {
	providing := *e
	providing.ReadFile = func(name string) ([]byte, error) {
		if data, known := f[name]; known {
			return data, nil
		}
		return e.ReadFile(name)
	}
	return &providing
}
