package jsonout

import (
	"io"

	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/prediction"
)

// WriteExplanation is Write for an explanation, loadline.explanation/v1.
func WriteExplanation(w io.Writer, x *budget.Explanation) error { return write(w, x) }

// WritePrediction is Write for a prediction, loadline.prediction/v1.
func WritePrediction(w io.Writer, p *prediction.Prediction) error { return write(w, p) }
