package model

import "testing"

func TestOptionsAloneAreNoLoad(t *testing.T) {
	options := AppAsk{Options: []string{"--protocol=prepared"}}
	if options.OwnLoad() || !options.Given() {
		t.Error("options alone take the place of a profile")
	}
	with := options
	with.Threads = 2
	if !with.OwnLoad() || len(with.Options) != 1 {
		t.Errorf("%+v", with)
	}
}
