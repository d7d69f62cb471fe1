package application

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// CheckRequest refuses a request that sets what the application has no flag for: it would be ignored.
func (a Application) CheckRequest(r model.AppRequest) error {
	for _, f := range slices.Concat(a.Flags, a.BaselineFlags) {
		if f.Option != "" {
			r.Ask.Options = nil // these are for CheckOptions
			continue
		}
		reflect.ValueOf(f.To(&r)).Elem().SetZero()
	}
	// The number of clients follows from the loads.
	r.Name, r.Clients = "", 0
	if a.Pods != nil {
		r.Image = ""
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var left map[string]any
	if err := json.Unmarshal(text, &left); err != nil {
		return err
	}
	delete(left, "name")
	if len(left) == 0 {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s does not use %s, which the experiment sets", a.Title, strings.Join(slices.Sorted(maps.Keys(left)), ", ")), "leave it out")
}
