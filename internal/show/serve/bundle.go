package serve

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// bundle sends a directory of results as a tar, as it is read: plain files only, under
// the directory's own name. What a running one writes meanwhile is not in it.
func (s *Server) bundle(w http.ResponseWriter, r *http.Request) {
	o, err := s.library.open(r.Context(), r.URL.Query().Get("run"))
	if err != nil {
		fail(w, http.StatusNotFound, err.Error())
		return
	}
	defer o.close()
	name := strings.ReplaceAll(o.path, "/", "-")
	w.Header().Set("Content-Type", "application/x-tar")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name + ".tar"}))
	if r.Method == http.MethodHead {
		return
	}
	out := tar.NewWriter(&patientWriter{w: w, control: http.NewResponseController(w)})
	err = fs.WalkDir(o.files, ".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir(), !e.Type().IsRegular(), strings.HasPrefix(e.Name(), ".tmp-"):
			return nil
		}
		return addFile(out, o.files, p, path.Join(path.Base(o.path), p))
	})
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		// The head is sent: only a broken connection tells that the file is not whole.
		panic(http.ErrAbortHandler)
	}
}

// addFile adds one file, with the length that it has now. A file that went away
// meanwhile is left out: it was replaced, or is a temporary one.
func addFile(out *tar.Writer, files fs.FS, name, as string) error {
	f, err := files.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: as, Size: info.Size(), Mode: 0o600, ModTime: info.ModTime()}); err != nil {
		return err
	}
	if n, err := io.Copy(out, io.LimitReader(f, info.Size())); err != nil || n < info.Size() {
		return fmt.Errorf("%s became shorter while it was read: %w", name, err)
	}
	return nil
}

// patientWriter moves the deadline of the answer on with each piece that the visitor
// takes, so that a long one ends only when nobody takes it.
type patientWriter struct {
	w       io.Writer
	control *http.ResponseController
}

func (p *patientWriter) Write(b []byte) (int, error) {
	if err := p.control.SetWriteDeadline(system.Now().Add(stalled)); err != nil {
		return 0, err
	}
	return p.w.Write(b)
}

// stalled is how long a visitor may take nothing of what is sent.
const stalled = 30 * time.Second
