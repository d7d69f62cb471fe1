package spec

import (
	"strings"
	"testing"
)

// TestLabelsOfAFileAreChecked: labels edited in a file must follow the rules of the command line, and
// the error gives the position.
func TestLabelsOfAFileAreChecked(t *testing.T) {
	const head = "scenario: profile\ntarget: /data\n"
	e, err := ParseExperiment("x.yaml", []byte(head+"labels:\n  - env=staging\n"))
	if err != nil || e.Labels["env"] != "staging" {
		t.Fatalf("%v, %v", e.Labels, err)
	}
	for text, says := range map[string]string{"labels: [a-b=1]": "not allowed", "labels: [env]": "no value", "labels: [e=1, e=2]": "given twice"} {
		if _, err := ParseExperiment("x.yaml", []byte(head+text+"\n")); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "x.yaml:3") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
