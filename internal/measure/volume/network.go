package volume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/volume/nbd"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
)

// answerTime is the timeout for a server's reply to a probe.
const answerTime = 15 * time.Second

// probeNBD connects to the export and returns what the server reports about it.
func probeNBD(ctx context.Context, t model.Target) (model.Storage, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	c, err := dial(ctx, t)
	if err != nil {
		return model.Storage{}, err
	}
	defer c.Close()
	s := model.Storage{
		DeviceSize: c.Size, ReadOnly: c.Flags.Has(nbd.ReadOnly), Server: "nbd: " + c.Flags.String(),
		NoFlush:      !c.Flags.Has(nbd.CanFlush),
		LogicalBlock: int(c.MinBlock), PhysicalBlock: int(c.PreferredBlock),
	}
	if c.Size == 0 {
		return s, model.RefusedError(fmt.Sprintf("%s is empty: the server gives it a size of 0", t.Name), "look at the export: nbdinfo "+safetext.ShellWord(t.URI))
	}
	return s, nil
}

// dial connects and turns a failure into a refusal that quotes the server's message.
func dial(ctx context.Context, t model.Target) (*nbd.Conn, error) {
	c, err := nbd.Dial(ctx, t.URI)
	if err == nil {
		return c, nil
	}
	a, uriErr := nbd.ParseURI(t.URI)
	if uriErr != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s: %v", t.Name, uriErr), "write nbd+unix:///EXPORT?socket=/path/to/socket")
	}
	var no *nbd.RefusedError
	switch {
	case errors.As(err, &no) && no.Unknown:
		hint := "list the server's exports: nbdinfo --list " + safetext.ShellWord(t.URI)
		if len(no.Exports) > 0 {
			hint = fmt.Sprintf("the server has these exports: %s", strings.Join(quoted(no.Exports), ", "))
		}
		return nil, model.RefusedError(fmt.Sprintf("the NBD server at %s does not know the export %q: %s", a.Server, a.Export, sentence(no.Words)), hint)
	case errors.As(err, &no) && no.TLS:
		return nil, model.RefusedError(fmt.Sprintf("the NBD server at %s wants TLS, which Loadline does not speak: %s", a.Server, sentence(no.Words)),
			"serve the export without TLS on a unix socket")
	case errors.As(err, &no):
		return nil, model.RefusedError(fmt.Sprintf("the NBD server at %s refused the export %q: %s", a.Server, a.Export, sentence(no.Words)), "")
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, model.RefusedError(fmt.Sprintf("nothing listens at %s: %s", a.Server, syscall.ECONNREFUSED), "start the NBD server, or correct the address in the URI")
	case errors.Is(err, fs.ErrNotExist):
		return nil, model.RefusedError(fmt.Sprintf("nothing listens at %s: there is no such socket", a.Server), "start the NBD server, or correct socket= in the URI")
	case errors.Is(err, context.DeadlineExceeded):
		return nil, model.RefusedError(fmt.Sprintf("the NBD server at %s did not answer in time", a.Server), "look whether it hangs or serves another client only: nbdinfo "+safetext.ShellWord(t.URI))
	case errors.Is(err, context.Canceled):
		return nil, err
	}
	return nil, model.RefusedError(fmt.Sprintf("the NBD server at %s cannot be used: %v", a.Server, err), "look at it with: nbdinfo "+safetext.ShellWord(t.URI))
}

// sentence adapts a server's message to fit into one of our sentences.
func sentence(words string) string {
	return strings.TrimRight(strings.TrimSpace(safetext.Clean(words)), ".")
}

func quoted(names []string) []string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = fmt.Sprintf("%q", n)
	}
	return q
}

// probeRBD queries Ceph's own tool about the image.
func probeRBD(ctx context.Context, e *env.Env, t model.Target) (model.Storage, error) {
	out, err := rbd(ctx, e, t, "info", "--format", "json", t.URI)
	if err != nil {
		return model.Storage{}, err
	}
	var info struct {
		Size       int64    `json:"size"`
		ObjectSize int64    `json:"object_size"`
		Features   []string `json:"features"`
	}
	if err := json.Unmarshal(out, &info); err != nil || info.Size <= 0 {
		return model.Storage{}, model.RefusedError(fmt.Sprintf("%s: rbd info did not tell the image's size", t.Name), "look at it: "+rbdLine(t, "info", t.URI))
	}
	return model.Storage{
		DeviceSize: info.Size,
		Server:     fmt.Sprintf("ceph: objects of %s, %s", units.FormatSize(info.ObjectSize), strings.Join(info.Features, " ")),
	}, nil
}

// rbd runs Ceph's tool and returns what it prints.
func rbd(ctx context.Context, e *env.Env, t model.Target, args ...string) ([]byte, error) {
	if _, err := e.LookPath("rbd"); err != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s cannot be probed: the program rbd is not installed", t.Name), "install it: apt-get install ceph-common")
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	out, err := e.Command(ctx, "rbd", asUser(t, args)...).Output()
	if err == nil {
		return out, nil
	}
	if ctx.Err() != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s cannot be reached: rbd %s did not answer in %.0f s", t.Name, args[0], answerTime.Seconds()),
			"look whether the cluster is up: ceph -s")
	}
	words := err.Error()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		words = ownWords(exit.Stderr)
	}
	return nil, model.RefusedError(fmt.Sprintf("%s cannot be opened: rbd %s says: %s", t.Name, args[0], sentence(words)), "look whether the cluster, the pool and the image are there, and whether the user may: ceph -s; "+rbdLine(t, "info", t.URI))
}

// asUser adds the user given in the target. Without one the tool uses its own default: the user in
// $CEPH_ARGS, else admin.
func asUser(t model.Target, args []string) []string {
	if t.User == "" {
		return args
	}
	return append(slices.Clone(args), "--id", t.User)
}

// rbdLine returns such a command line for the user to type.
func rbdLine(t model.Target, args ...string) string {
	words := []string{"rbd"}
	for _, a := range asUser(t, args) {
		words = append(words, safetext.ShellWord(a))
	}
	return strings.Join(words, " ")
}

// ownWords returns the last line printed by rbd itself rather than by the library below it, whose
// lines begin with a timestamp.
func ownWords(stderr []byte) string {
	words := lastLine(stderr)
	for line := range strings.Lines(string(stderr)) {
		if own, ok := strings.CutPrefix(strings.TrimSpace(line), "rbd: "); ok {
			words = own
		}
	}
	return words
}

func lastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return lines[len(lines)-1]
}
