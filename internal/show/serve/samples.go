package serve

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/show/report/csvout"
)

// samples sends the raw samples of a run as CSV: one row for each second of each worker in each
// direction.
func (s *Server) samples(w http.ResponseWriter, r *http.Request) {
	select {
	case s.heavy <- struct{}{}:
		defer func() { <-s.heavy }()
	case <-r.Context().Done():
		return
	}
	o, err := s.library.open(r.Context(), r.URL.Query().Get("run"))
	if err != nil {
		fail(w, http.StatusNotFound, err.Error())
		return
	}
	defer o.close()
	rec, err := store.ReadFS(o.files, o.dir)
	if err == nil && len(rec.Samples) == 0 {
		err = errors.New("nothing was measured second by second")
	}
	if err != nil {
		fail(w, http.StatusNotFound, fmt.Sprintf("%s has no raw samples: %v", o.path, err))
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": strings.ReplaceAll(o.path, "/", "-") + "-samples.csv"}))
	if r.Method == http.MethodHead {
		return
	}
	if err := csvout.WriteSamples(&patientWriter{w: w, control: http.NewResponseController(w)}, rec); err != nil {
		// The header is already sent: breaking the connection is the only way to show that the file
		// is incomplete.
		panic(http.ErrAbortHandler)
	}
}
