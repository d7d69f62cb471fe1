package trust

import (
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
)

// otherLoad is the command that made the run, with another load on the same server: its location,
// image, settings and size stay. Goals and selections are dropped with the loads that they name.
func (ev Evidence) otherLoad(options ...string) string {
	again := ev.Recorded.Run.Again
	if again.Application() == "" {
		return ev.made(options...)
	}
	return slices.DeleteFunc(slices.Clone(again), func(word string) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		return strings.HasPrefix(word, "--") && flagtable.Is(name, flagtable.Load)
	}).With(options...).String()
}

// scaled is the command that made the run, with another scale: it replaces a size that is fitted
// automatically.
func (ev Evidence) scaled(scale string) string {
	again := ev.Recorded.Run.Again
	if again.Application() == "" {
		return ev.made("--scale", scale)
	}
	fit := func(word string) bool { return strings.HasPrefix(word, "--fit=") }
	return model.CommandLine(slices.DeleteFunc(slices.Clone(again), fit)).With("--scale", scale).String()
}
