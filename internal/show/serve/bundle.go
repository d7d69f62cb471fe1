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

// bundle streams a directory of results as a tar file: plain files only, under the directory's own
// name. Files that a running measurement adds meanwhile are not included.
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
		// The header is already sent: breaking the connection is the only way to show that the file
		// is incomplete.
		panic(http.ErrAbortHandler)
	}
}

// addFile adds one file with its current length. A file that has disappeared meanwhile is left out:
// it was replaced or was a temporary file.
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

// patientWriter extends the write deadline after each piece that the client accepts, so that a long
// download ends only when the client stops reading.
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

// stalled is how long a client may accept no data before the download ends.
const stalled = 30 * time.Second
