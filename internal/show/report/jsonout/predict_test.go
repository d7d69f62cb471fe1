package jsonout

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/prediction"
)

// fullPrediction returns a prediction in which every field is set.
func fullPrediction() *prediction.Prediction {
	var p prediction.Prediction
	fill(reflect.ValueOf(&p).Elem())
	p.Schema, p.Verdict, p.Findings[0].Severity = prediction.Schema, model.Valid, model.SeverityWarning
	x := &p.Points[0]
	x.Limit, x.Rate.Unit, x.Uncertainties[0].Low = prediction.ByFlushes, "1/s", -0.5
	for _, e := range []*model.Estimate{&p.Other, &p.Flushes[0].Estimate, &p.Read.Estimate, &x.Latency} {
		e.Unit = "s"
	}
	return &p
}

func predictionDocument(t *testing.T, p *prediction.Prediction) any {
	return decoded(t, func(b *bytes.Buffer) error { return WritePrediction(b, p) })
}

func TestPredictionsFitTheirSchema(t *testing.T) {
	schema := schemaOf(t, "prediction")
	unknown := fullPrediction()
	unknown.Points[0].Rate.Value, unknown.Points[0].Latency.High = math.NaN(), math.Inf(1)
	bare := fullPrediction()
	bare.Read, bare.Findings, bare.Costs[0].Processor, bare.Points[0].Busy = nil, nil, nil, nil
	for name, p := range map[string]*prediction.Prediction{"full": fullPrediction(), "not finite": unknown, "bare": bare} {
		if err := schema.Validate(predictionDocument(t, p)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	check(t, "prediction", predictionDocument(t, fullPrediction()), schema)
	for name, spoil := range map[string]func(*prediction.Prediction){
		"another schema":            func(p *prediction.Prediction) { p.Schema = "loadline.prediction/v9" },
		"no point":                  func(p *prediction.Prediction) { p.Points = nil },
		"no flush":                  func(p *prediction.Prediction) { p.Flushes = nil },
		"no client":                 func(p *prediction.Prediction) { p.Points[0].Clients = 0 },
		"an unknown limit":          func(p *prediction.Prediction) { p.Points[0].Limit = "luck" },
		"an unknown verdict":        func(p *prediction.Prediction) { p.Verdict = "fine" },
		"a model that is certain":   func(p *prediction.Prediction) { p.ModelError = 0 },
		"a rate below nothing":      func(p *prediction.Prediction) { p.Points[0].Rate.Low = -1 },
		"a doubt on the wrong side": func(p *prediction.Prediction) { p.Points[0].Uncertainties[0].Low = 0.5 },
	} {
		p := fullPrediction()
		spoil(p)
		if schema.Validate(predictionDocument(t, p)) == nil {
			t.Errorf("the schema accepts %s", name)
		}
	}
}

// The schema contains every limit.
func TestTheSchemaKnowsEveryLimit(t *testing.T) {
	schema := schemaOf(t, "prediction")
	for _, l := range prediction.Limits {
		p := fullPrediction()
		p.Points[0].Limit = l
		if err := schema.Validate(predictionDocument(t, p)); err != nil {
			t.Errorf("%s: %v", l, err)
		}
	}
}
