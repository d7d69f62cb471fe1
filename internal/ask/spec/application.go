package spec

import "github.com/loadline/loadline/internal/model"

var appFields = []string{"name", "program", "image", "fit", "scale", "set", "wal", "baseline_wal", "client_node", "baseline_client_node", "clients", "ask"}

var askFields = []string{"load", "script", "clients", "threads", "connect", "rate", "limit", "options"}

// app returns how to set up an application; nil if the field is absent.
func (o *object) app(field string) *model.AppRequest {
	if !o.has(field) {
		return nil
	}
	s := o.object(field, "an application", appFields)
	s.require("name", "such as postgres")
	return &model.AppRequest{Name: s.text("name"), Program: s.text("program"), Image: s.text("image"), Fit: s.text("fit"), Scale: int(s.whole("scale", 1, 1<<31-1)),
		Set: s.texts("set"), Log: s.text("wal"), BaselineLog: s.text("baseline_wal"), Client: s.text("client_node"), BaselineClient: s.text("baseline_client_node"), Clients: int(s.whole("clients", 1, 1<<20)), Ask: s.ask("ask")}
}

// ask returns a load specified by the user.
func (o *object) ask(field string) model.AppAsk {
	if !o.has(field) {
		return model.AppAsk{}
	}
	s := o.object(field, "a load", askFields)
	return model.AppAsk{Load: s.text("load"), Script: s.text("script"), Clients: s.wholes("clients"), Threads: int(s.whole("threads", 1, 1<<20)),
		Connect: s.truth("connect"), Rate: s.number("rate"), Limit: s.seconds("limit"), Options: s.texts("options")}
}

// formatApp formats what app parses.
func formatApp(r *model.AppRequest) any {
	if r == nil {
		return nil
	}
	return []pair{
		{"name", r.Name}, {"program", optional(r.Program)}, {"image", optional(r.Image)}, {"fit", optional(r.Fit)}, {"scale", formatWhole(r.Scale)}, {"set", list(r.Set)},
		{"wal", optional(r.Log)}, {"baseline_wal", optional(r.BaselineLog)}, {"client_node", optional(r.Client)}, {"baseline_client_node", optional(r.BaselineClient)}, {"clients", formatWhole(r.Clients)}, {"ask", formatAsk(r.Ask)},
	}
}

// formatAsk formats what ask parses.
func formatAsk(a model.AppAsk) any {
	if !a.Given() {
		return nil
	}
	return []pair{
		{"load", optional(a.Load)}, {"script", formatFile(a.Script)}, {"clients", formatWholes(a.Clients)}, {"threads", formatWhole(a.Threads)},
		{"connect", formatTruth(a.Connect)}, {"rate", formatNumber(a.Rate)}, {"limit", formatSeconds(a.Limit)}, {"options", list(a.Options)},
	}
}
