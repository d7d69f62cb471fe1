package jsonout

import (
	"io"

	"github.com/loadline/loadline/internal/model"
)

// WriteSizing is Write for a sizing, loadline.sizing/v1.
func WriteSizing(w io.Writer, s *model.Sizing) error {
	c := *s
	c.Notes = append([]string{}, s.Notes...)
	return write(w, c)
}

// WriteStudy is Write for what points allow to conclude, loadline.study/v1.
func WriteStudy(w io.Writer, s *model.Study) error {
	c := *s
	c.Scales = append([]model.ScaleStudy{}, s.Scales...)
	return write(w, c)
}

// WriteReference is Write for a reference report, loadline.reference/v1.
func WriteReference(w io.Writer, r *model.Reference) error { return write(w, r) }
