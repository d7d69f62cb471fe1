package session

import (
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/model"
)

// TestNoSecretTravelsWithAJob checks that a Job has no secrets: anyone who may view Jobs can read its
// command.
func TestNoSecretTravelsWithAJob(t *testing.T) {
	exp := model.Experiment{Scenario: "profile", Target: "sc:fast", Profile: "own.yaml", ProfileText: "# --token hunter2hunter2\n", Note: "curl -u me:hunter2 x"}
	_, _, err := JobCommand(exp, nil, time.Hour)
	if err == nil || !strings.Contains(err.Error(), "looks like a password") {
		t.Errorf("%v", err)
	}
	exp.ProfileText = "# mine\n"
	_, document, err := JobCommand(exp, nil, time.Hour)
	if err != nil || strings.Contains(string(document), "hunter2") {
		t.Errorf("%v\n%s", err, document)
	}
	exp.ProfileText = strings.Repeat("# mine\n", 30_000)
	if _, _, err = JobCommand(exp, nil, time.Hour); err == nil || !strings.Contains(err.Error(), "a Job can carry only 122880") {
		t.Errorf("%v", err)
	}
	data, _ := spec.MarshalExperiment(exp)
	if _, err := spec.ParseExperiment("x", data); err != nil {
		t.Error(err)
	}
}
