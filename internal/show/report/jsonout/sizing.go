package jsonout

import (
	"io"

	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/study"
)

// WriteSizing is Write for a sizing, loadline.sizing/v1.
func WriteSizing(w io.Writer, s *sizing.Sizing) error { return write(w, s) }

// WriteStudy is Write for a study, loadline.study/v1.
func WriteStudy(w io.Writer, s *study.Study) error { return write(w, s) }

// WriteReference is Write for a reference report, loadline.reference/v1.
func WriteReference(w io.Writer, r *study.Reference) error { return write(w, r) }
