package flags_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/model/modeltest"
	"github.com/loadline/loadline/internal/plan/application"
)

// invented is an application with a flag of every kind.
var invented = application.Application{
	App: apps.App{Kind: "invented", Title: "Invented"}, CheckOptions: func([]string) error { return nil },
	Flags: []application.Flag{
		{Name: "load", Load: true, To: func(r *model.AppRequest) any { return &r.Ask.Load }},
		{Name: "script", File: true, To: func(r *model.AppRequest) any { return &r.Ask.Script }},
		application.Clients("clients"), application.Rate("messages"), application.LatencyLimit("messages"),
		{Name: "connect", To: func(r *model.AppRequest) any { return &r.Ask.Connect }},
		{Name: "threads", Least: 1, Most: 8, To: func(r *model.AppRequest) any { return &r.Ask.Threads }},
		{Name: "message-size", Option: "--size=", Least: 1, Most: 1 << 20, Such: 1024},
		application.Settings("settings"),
	},
	BaselineFlags: []application.Flag{{Name: "baseline-wal", To: func(r *model.AppRequest) any { return &r.BaselineLog }}},
}

// What is typed arrives in the request, and the request is written as what was typed.
func TestFlagsOfAnApplicationComeAndGo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte("PUT\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	typed := model.CommandLine{"--load=a b", "--clients=1,16", "--rate=7.5", "--latency-limit=0.1s", "--connect", "--threads=2", "--message-size=100", "--set=a=1", "--set=b=2", "--baseline-wal=/log"}
	read := func(words ...string) (model.AppRequest, error) {
		var own flags.OfApplication
		cmd := &cobra.Command{Use: "invented"}
		own.Register(cmd, invented.Flags)
		own.Register(cmd, invented.BaselineFlags)
		if err := cmd.ParseFlags(words); err != nil {
			return own.Request, err
		}
		return own.Complete(env.OS())
	}
	request, err := read(append(slices.Clone(typed), "--clients=16,1", "--latency-limit=100ms", "--script="+file)...)
	if err != nil {
		t.Fatal(err)
	}
	want := model.AppRequest{Set: []string{"a=1", "b=2"}, BaselineLog: "/log",
		Ask: model.AppAsk{Load: "a b", Script: "PUT\n", Clients: []int{1, 16}, Rate: 7.5, Limit: 0.1, Connect: true, Threads: 2, Options: []string{"--size=100"}}}
	if diff := cmp.Diff(want, request, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(typed, invented.CommandLine(&request)); diff != "" {
		t.Error(diff)
	}
	if again := invented.CommandLine(&model.AppRequest{}); len(again) > 0 {
		t.Errorf("an empty request is written as %q", again)
	}
	for words, flag := range map[string]string{
		"is not a whole number from 1 to 8": "--threads=9", `--clients: "x" is not a whole number`: "--clients=x", `--rate "-1" is not a rate`: "--rate=-1",
		"--latency-limit \"0\" must be longer": "--latency-limit=0", "such as --message-size 1024": "--message-size=0",
	} {
		_, err := read(flag)
		if err == nil {
			t.Errorf("%s is accepted", flag)
			continue
		}
		modeltest.Refused(t, usage.BadFlag(err, "help"), words)
	}
}
