package application

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// A request is written as the flags that it stands for, in the order of the application.
func TestARequestIsWrittenAsFlags(t *testing.T) {
	app := Application{
		Flags: []Flag{
			Clients("numbers"), Rate("transactions"), LatencyLimit("transactions"),
			{Name: "script", File: true, Load: true, To: func(r *model.AppRequest) any { return &r.Ask.Script }},
			{Name: "connect", To: func(r *model.AppRequest) any { return &r.Ask.Connect }},
			{Name: "value-size", Option: "--val-size="},
		},
		BaselineFlags: []Flag{Settings("settings")},
	}
	r := model.AppRequest{Set: []string{"a=1", "b=2"}, Ask: model.AppAsk{Clients: []int{1, 16}, Rate: 1e6, Limit: 0.1, Script: "SELECT 1", Connect: true, Options: []string{"--other=1", "--val-size=100"}}}
	want := model.CommandLine{"--clients=1,16", "--rate=1e+06", "--latency-limit=0.1s", "--connect", "--value-size=100", "--set=a=1", "--set=b=2"}
	if diff := cmp.Diff(want, app.CommandLine(&r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if words := app.CommandLine(&model.AppRequest{}); len(words) > 0 {
		t.Errorf("an empty request is written as %q", words)
	}
	if got := app.LoadFlags(); got != "--clients, --rate, --latency-limit and --script" {
		t.Errorf("a load of one's own: %s", got)
	}
}
