package prom

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
)

// amplifications adds what the disks behind each workload's volumes did, if that was counted.
func (e exposition) amplifications(r *model.Report) {
	for i := range r.Budgets {
		b := &r.Budgets[i]
		for k := range b.Amplification {
			if worst, known := worstOf(r.Results, b.Workload); known {
				e.amplification(&r.Run, b.Workload, worst, &b.Amplification[k])
			}
		}
	}
	for i := range r.Scales {
		for _, p := range r.Scales[i].Points {
			if p.Result != "" && p.Amplification != nil {
				e.amplification(&r.Run, p.Result, p.Verdict, p.Amplification)
			}
		}
	}
}

func (e exposition) amplification(run *model.RunInfo, workload string, verdict model.Verdict, a *amplification.Ratio) {
	if a.NotCounted != "" {
		return
	}
	labels := []string{run.ID, run.Target.Place(), workload, a.Operation, a.Direction, string(verdict)}
	e.estimate("loadline_amplification_ratio", "loadline_amplification_ratio_bound",
		model.Estimate{Value: a.Value, Low: a.Low, High: a.High, Confidence: a.Confidence}, labels...)
	if a.Expected > 0 {
		e.put("loadline_amplification_expected_ratio", a.Expected, labels...)
	}
	if share, known := a.IdleShare(); known {
		e.put("loadline_amplification_idle_ratio", share, labels...)
	}
}

// worstOf is the worst verdict on the results of a workload; false if it has none.
func worstOf(results []model.Result, workload string) (worst model.Verdict, known bool) {
	for _, res := range results {
		if res.Workload == workload && (!known || res.Verdict == model.Invalid || worst == model.Valid) {
			worst, known = res.Verdict, true
		}
	}
	return worst, known
}
