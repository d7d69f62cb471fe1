package text

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// transactions writes what a transaction of each workload cost the server and its storage: a rate
// of transactions alone says nothing about either.
func (p *page) transactions(r *model.Report) {
	name := &column{title: "per transaction"}
	flushes, flush, busy := &column{title: "flushes", numeric: true}, &column{title: "each", numeric: true, drop: 3}, &column{title: "flushing", numeric: true, drop: 2}
	log, pages := &column{title: "log", numeric: true, drop: 4}, &column{title: "pages", numeric: true, drop: 5}
	reads, hits := &column{title: "reads", numeric: true, drop: 7}, &column{title: "hits", numeric: true, drop: 6}
	device := &column{title: "device r/w/f", numeric: true, drop: 1}
	logDevice := &column{title: "log's r/w/f", numeric: true, drop: 1}
	columns := []*column{name, flushes, flush, busy, log, pages, reads, hits, device}
	if slices.ContainsFunc(r.Results, func(res model.Result) bool { return res.App != nil && res.App.LogDeviceWrites != nil }) {
		columns = append(columns, logDevice)
	}
	for _, res := range r.Results {
		a := res.App
		if a == nil {
			continue
		}
		name.cells = append(name.cells, cell{text: p.Text(res.Workload)})
		flushes.cells = append(flushes.cells, p.cost(a.Flushes, few))
		flush.cells = append(flush.cells, p.cost(a.FlushTime, units.FormatDuration))
		busy.cells = append(busy.cells, p.cost(a.Flushing, percentOf))
		log.cells = append(log.cells, p.cost(a.LogBytes, func(v float64) string { return units.FormatSize(int64(v)) }))
		pages.cells = append(pages.cells, p.cost(a.PageImages, few))
		reads.cells = append(reads.cells, p.cost(a.Reads, few))
		hits.cells = append(hits.cells, p.cost(a.HitRate, percentOf))
		device.cells = append(device.cells, p.threeCosts(a.DeviceReads, a.DeviceWrites, a.DeviceFlushes))
		logDevice.cells = append(logDevice.cells, p.threeCosts(a.LogDeviceReads, a.LogDeviceWrites, a.LogDeviceFlushes))
	}
	if len(name.cells) == 0 {
		return
	}
	p.blank()
	p.fitted(columns)
	if server := words.Server(&r.Run); server != "" {
		p.remark("", term.Dim, server)
	}
}

// saturation writes up to how many clients each load of an application grows.
func (p *page) saturation(r *model.Report) {
	if len(r.Saturation) == 0 {
		return
	}
	p.blank()
	for _, c := range r.Saturation {
		p.remark("·", term.Plain, c.Says)
	}
}

// threeCosts returns the reads, writes and flushes of a device, a dash for unknown ones.
func (p *page) threeCosts(reads, writes, flushes *float64) cell {
	if reads == nil || writes == nil || flushes == nil {
		return p.cost(nil, few)
	}
	return cell{text: few(*reads) + " / " + few(*writes) + " / " + few(*flushes)}
}

// cost formats a figure per transaction, a dash if it is unknown.
func (p *page) cost(v *float64, write func(float64) string) cell {
	if v == nil {
		return cell{text: p.Text("–"), paint: term.Dim}
	}
	return cell{text: p.Text(write(*v))}
}

// few formats a number of the order of one.
func few(v float64) string {
	if v < 0.005 && v > 0 {
		return "<0.01"
	}
	return units.TrimZeros(fmt.Sprintf("%.2f", v))
}

// ofSession are the sources of settings that belong to a session, or to the way in which a server
// was built.
var ofSession = []string{"client", "session", "override", "default"}

// remarks writes what was found on an existing server before the measurement.
func (p *page) remarks(s *model.AppState) {
	if s == nil || s.Server == nil {
		return
	}
	for _, r := range s.Server.Remarks {
		for _, l := range term.Wrap("found: "+p.Text(r), p.width) {
			p.line(l)
		}
	}
	if len(s.Server.Remarks) > 0 {
		p.blank()
	}
}

// settings writes the settings that differ from the server's own.
func (p *page) settings(s *model.AppState) {
	if s == nil {
		return
	}
	name, value, usual := &column{title: "setting"}, &column{title: "here"}, &column{title: s.Name + "'s own"}
	for _, x := range s.Settings {
		own := x.Source != "command line"
		if s.Server != nil {
			own = !x.Differs() || slices.Contains(ofSession, x.Source)
		}
		if own {
			continue
		}
		name.cells = append(name.cells, cell{text: p.Text(x.Name)})
		value.cells = append(value.cells, cell{text: p.Text(x.Value)})
		usual.cells = append(usual.cells, cell{text: p.Text(x.Default), paint: term.Dim})
	}
	if len(name.cells) > 0 {
		p.table([]*column{name, value, usual})
	}
	if s.Version == "" {
		p.line("Its version and its other settings are those of its image, which is not looked at before it runs.")
		p.blank()
		return
	}
	p.line(fmt.Sprintf("The other %d settings of %s %s are its own (--format json lists them).", len(s.Settings)-len(name.cells), s.Name, s.Version))
	if s.Assumed {
		p.line("The version is that in the image's name: the image is not looked at before it runs.")
	}
	p.blank()
}
