package flags

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/application"
)

// OfApplication is what an application's own flags say.
type OfApplication struct {
	// Request is where the flags store their values, apart from those that Complete adds.
	Request model.AppRequest
	// bound stores in a request what flags hold apart from it.
	bound []func(*env.Env, *model.AppRequest) error
}

// Register adds an application's own flags, each of which stores its value in the request.
func (o *OfApplication) Register(cmd *cobra.Command, own []application.Flag) {
	set := cmd.Flags()
	for _, f := range own {
		if f.Option != "" {
			var n int
			CountVar(set, Count{Name: f.Name, To: &n, Least: f.Least, Most: f.Most, Such: f.Such}, 0, f.Usage)
			o.bound = append(o.bound, func(_ *env.Env, r *model.AppRequest) error {
				if n != 0 {
					r.Ask.Options = append(slices.Clip(r.Ask.Options), f.Option+strconv.Itoa(n))
				}
				return nil
			})
			continue
		}
		switch to := f.To(&o.Request).(type) {
		case *string:
			if f.File {
				o.registerFile(cmd, f)
				continue
			}
			set.StringVar(to, f.Name, "", f.Usage)
		case *bool:
			set.BoolVar(to, f.Name, false, f.Usage)
		case *int:
			CountVar(set, Count{Name: f.Name, To: to, Least: f.Least, Most: f.Most, Such: f.Such}, 0, f.Usage)
		case *[]string:
			set.StringArrayVar(to, f.Name, nil, f.Usage)
		case *[]int:
			set.Var(numbersValue{f.Name, to}, f.Name, f.Usage)
		case *float64:
			set.Var(floatValue{f.Name, f.Time, to}, f.Name, f.Usage)
		default:
			panic(fmt.Sprintf("the flag %s stores its value in a %T", f.Name, to))
		}
	}
}

// registerFile adds a flag that names a file, whose text is stored.
func (o *OfApplication) registerFile(cmd *cobra.Command, f application.Flag) {
	var file string
	cmd.Flags().StringVar(&file, f.Name, "", f.Usage)
	o.bound = append(o.bound, func(e *env.Env, r *model.AppRequest) error {
		if file == "" {
			return nil
		}
		text, err := spec.Read(e.ReadFile, "--"+f.Name, file)
		if err == nil && (len(bytes.TrimSpace(text)) == 0 || bytes.IndexByte(text, 0) >= 0) {
			err = model.RefusedError(fmt.Sprintf("--%s %s is empty, or not a text file", f.Name, file), "name a file with at least one command")
		}
		*f.To(r).(*string) = string(text)
		return err
	})
}

// Complete returns the request that the flags describe, with the text of the files that they name.
func (o *OfApplication) Complete(e *env.Env) (model.AppRequest, error) {
	request := o.Request
	for _, store := range o.bound {
		if err := store(e, &request); err != nil {
			return request, err
		}
	}
	return request, nil
}

// numbersValue is the value of a flag that takes a list of whole numbers; it is sorted.
type numbersValue struct {
	name string
	to   *[]int
}

func (v numbersValue) String() string {
	if v.to == nil {
		return ""
	}
	return application.Flag{}.Text(v.to)
}

func (v numbersValue) Type() string { return "string" }

func (v numbersValue) Set(s string) (err error) {
	if *v.to, err = ParseList("--"+v.name, s, ReadWhole); err == nil {
		slices.Sort(*v.to)
	}
	return err
}

// floatValue is the value of a flag that takes a rate in 1/s or, with time, a duration.
type floatValue struct {
	name string
	time bool
	to   *float64
}

func (v floatValue) String() string {
	if v.to == nil {
		return ""
	}
	return application.Flag{Time: v.time}.Text(v.to)
}

func (v floatValue) Type() string { return "string" }

// leastRate and mostRate are the bounds of a rate, in 1/s: one in a quarter of an hour, and more than any
// load tool does.
const leastRate, mostRate = 0.001, 1e9

func (v floatValue) Set(s string) (err error) {
	if v.time {
		*v.to, err = ParseSpan("--"+v.name, s)
		return err
	}
	rate, err := units.ParseDecimal(strings.TrimSuffix(s, "/s"))
	if err != nil || !(rate >= leastRate && rate <= mostRate) {
		if strings.TrimSpace(s) == "" {
			return Empty(v.name)
		}
		return model.RefusedError(fmt.Sprintf("--%s %q is not a rate from %g to %g per second%s", v.name, s, leastRate, mostRate, units.Plainly(err)), fmt.Sprintf("give one, such as --%s 500", v.name))
	}
	*v.to = rate
	return nil
}
