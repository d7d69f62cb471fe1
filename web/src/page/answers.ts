// The answers, one sentence for each question that a reader comes with: how fast, can it be
// trusted, is it better, does it keep what it promised.

import { h, type Child } from "../dom";
import * as format from "../format";
import type { Comparison, Documents, Estimate, Goal, Report, Result, Run, Scale, Sweep, SweepPoint } from "../model";
import type { Tone } from "../theme";
import { letter } from "../theme";
import { winners } from "./ranking";
import { flowName, headline, placeName, sameRun, sidesOf, tooBrief, unconverged, verdictCounts } from "./words";

export interface Answer {
  question: string;
  sentence: string;
  tone: Tone;
  /** It has a row for itself, so that the same question of several runs stands side by side. */
  wide?: boolean;
}

/** answers lists the answers that the documents allow. */
export function answers(documents: Documents): Answer[] {
  const who = (i: number) => (documents.reports.length > 1 ? ` (${letter(i)})` : "");
  const list: Answer[] = [];
  // Who compares asks for the change first.
  for (const c of comparisonsOf(documents)) list.push({ question: "Better?", wide: true, ...better(c, sidesOf(documents.reports, c)) });
  documents.reports.forEach((r, i) => {
    if (r.ranking) {
      list.push({ question: `Which is best?${who(i)}`, ...winners(r.ranking) });
      return;
    }
    const grown = (r.scales ?? []).map(growth).filter(Boolean);
    if (r.sweep) list.push({ question: `How much load?${who(i)}`, sentence: load(r.sweep, r.results), tone: "plain" });
    else if (r.results.length || grown.length === 0) list.push({ question: `How fast?${who(i)}`, sentence: speed(inComparison(r, comparisonsOf(documents))), tone: "plain" });
    if (grown.length) list.push({ question: `How does it grow?${who(i)}`, sentence: grown.join(" "), tone: "plain" });
  });
  documents.reports.forEach((r, i) => {
    if (!r.ranking) list.push({ question: `Trustworthy?${who(i)}`, ...belief(r) });
  });
  for (const r of documents.reports) {
    if (r.goals?.length) list.push({ question: "Goals?", ...goals(r.goals) });
    for (const d of r.durability ?? []) {
      const tone: Tone = d.result === "clean" ? "good" : d.result === "unproven" ? "unsure" : "bad";
      list.push({ question: "Durable?", sentence: d.statement, tone });
    }
  }
  return list;
}

/** comparisonsOf lists the comparisons of a page, those inside of reports too. */
export function comparisonsOf(documents: Documents): Comparison[] {
  const own = documents.comparisons ?? [];
  const inside = documents.reports.flatMap((r) => (r.comparison ? [r.comparison] : []));
  return [...own, ...inside.filter((c) => !own.some((o) => sameRun(o.a, c.a) && sameRun(o.b, c.b)))];
}

/** inComparison is a report with the estimates of the only comparison that it is a side of: one page says one number. The
 * results of the run itself are estimated from all of its repeats, the comparison's from the blocks of both sides. */
function inComparison(report: Report, compared: Comparison[]): Report {
  const c = compared[0];
  if (!c || compared.length > 1) return report;
  const side = sameRun(report.run, c.a) ? "a" : sameRun(report.run, c.b) ? "b" : null;
  if (!side) return report;
  const results = report.results.map((r) => {
    const row = c.rows.find((o) => o.workload === r.workload && o.direction === r.direction && o.metric === r.metric);
    return row ? { ...r, ...row[side] } : r;
  });
  return { ...report, results };
}

/** speed names the largest rates of each kind, and the latency of a single I/O. */
function speed(report: Report): string {
  const workloads = new Map((report.run.workloads ?? []).map((w) => [w.name, w]));
  const of = (access: string, direction: string, metric: string): Result | undefined => {
    const fit = report.results.filter((r) => {
      const w = workloads.get(r.workload);
      return w?.access === access && r.direction === direction && r.metric === metric && r.estimate !== null && r.verdict !== "invalid";
    });
    const lower = metric === "latency";
    return fit.sort((a, b) => (lower ? a.estimate! - b.estimate! : b.estimate! - a.estimate!))[0];
  };
  const parts: string[] = [];
  for (const [access, direction, metric, words] of [
    ["rand", "read", "iops", "random reads reach"],
    ["rand", "write", "iops", "random writes"],
    ["seq", "read", "bandwidth", "sequential reads"],
    ["seq", "write", "bandwidth", "sequential writes"],
    ["rand", "read", "latency", "a single read takes"],
    ["rand", "write", "latency", "a single write"],
  ] as const) {
    const r = of(access, direction, metric);
    if (r) parts.push(`${words} ${told(r)}`);
  }
  if (parts.length === 0) {
    const some = report.results.slice(0, 3).map((r) => `${flowName(r.workload, r.direction, report.results)} ${told(r)}`);
    return some.length ? some.join(", ") + "." : ended(report.run) || "Nothing was measured.";
  }
  const sentence = parts.join(", ") + ".";
  return sentence[0]!.toUpperCase() + sentence.slice(1);
}

/** told is a headline, marked when it is not to be trusted. */
const told = (r: Result): string => headline(r) + (r.verdict === "invalid" ? " (invalid)" : "");

/** growth says how the total grows with the volumes, by the chosen law. */
function growth(s: Scale): string {
  const points = [...(s.points ?? [])].sort((a, b) => a.volumes - b.volumes);
  const last = points[points.length - 1];
  if (!last) return "";
  const value = (e: Estimate) => `${format.metric(s.metric, e.estimate)} ${format.interval(s.metric, e)}`.replace(/ –$/, "");
  const first = points.length > 1 ? `from ${value(points[0]!.total)} with ${format.count(points[0]!.volumes, "volume")} ` : "";
  const law = s.laws?.find((l) => l.chosen);
  const capacity = law?.capacity ? ` The law that fits best gives a capacity of ${value(law.capacity)}${law.knee && !law.all_saturated ? `, reached at about ${format.three(law.knee)} volumes` : ""}${law.capacity_extrapolated ? ", which is more than was measured" : ""}.` : "";
  return `${s.workload}: ${first}${first ? "to" : ""} ${value(last.total)} with ${format.count(last.volumes, "volume")}.${capacity}`.replace("  ", " ");
}

/** load says what a sweep found: the knee of an open loop, or the best cell of a grid. Invalid numbers are left out. */
function load(s: Sweep, results: Result[]): string {
  const all = s.points ?? [];
  const points = all.filter((p) => p.verdict !== "invalid");
  if (s.kind === "load") {
    const believed = !results.some((r) => r.workload === "capacity" && r.verdict === "invalid");
    const capacity = s.capacity && believed ? ` The closed loop reaches ${format.metric("iops", s.capacity.estimate)}.` : "";
    if (!s.knee) return `No offered rate is a knee.${capacity}`;
    const at = `${format.metric("iops", s.knee.offered)}${s.knee.fraction ? ` (${(100 * s.knee.fraction).toFixed(0)} % of the capacity)` : ""}, with p99 at ${format.percentile(s.knee.p99)}`;
    return s.knee.beyond ? `It sustains ${at}: ${s.knee.why.replace(/\.$/, "")}.${capacity}` : `It sustains at least ${at}.${capacity}`;
  }
  const best = (metric: "iops" | "bandwidth") => points.reduce<SweepPoint | undefined>((a, b) => ((b[metric].estimate ?? 0) > (a?.[metric].estimate ?? 0) ? b : a), undefined);
  const words = (metric: "iops" | "bandwidth") => {
    const p = best(metric);
    return p ? `${format.metric(metric, p[metric].estimate)} ${format.interval(metric, p[metric])} at block size ${format.block(p.block_size)} and depth ${p.depth}${p.jobs > 1 ? ` in each of ${p.jobs} jobs` : ""}` : "";
  };
  const parts = [words("iops"), words("bandwidth")].filter(Boolean);
  if (all.length && !points.length) return `No number can be trusted: ${all.length === 1 ? "the only point is" : `all ${all.length} points are`} invalid.`;
  const left = all.length - points.length;
  const without = left ? `; ${left} of ${format.count(all.length, "point")} ${left === 1 ? "is" : "are"} invalid and left out` : "";
  return parts.length ? `At most ${parts.join(", and ")}${without}.` : "Nothing was measured.";
}

function ended(run: Run): string {
  if (run.status === "complete") return "";
  if (run.status === "unknown") return "Its record does not tell how it ended.";
  const words = { running: "The run was cut off", interrupted: "The run was interrupted", failed: "The run failed" }[run.status];
  return `${words}${run.reason ? ": " + run.reason.replace(/\.$/, "") : ""}.`;
}

/** partOf tells how many of so many things are it: "2 of 6 numbers are", "both numbers are". */
function partOf(n: number, all: number, thing: string): string {
  if (n === all) return all === 1 ? `the only ${thing} is` : all === 2 ? `both ${thing}s are` : `all ${all} ${thing}s are`;
  return `${n} of ${format.count(all, thing)} ${n === 1 ? "is" : "are"}`;
}

function belief(report: Report): { sentence: string; tone: Tone } {
  const n = verdictCounts(report.results);
  const all = report.results.length;
  const passed = report.findings.filter((f) => f.severity === "passed").length;
  const unchecked = report.findings.filter((f) => f.severity === "not-checked").length;
  const runInvalid = report.findings.some((f) => f.severity === "invalid" && !f.results?.length);
  const checks = `${format.count(passed, "check")} passed${unchecked ? `, ${unchecked} could not be made` : ""}`;
  const broken = ended(report.run);
  const tail = broken ? ` ${broken}` : "";
  if (all === 0 && report.scales?.length) return { sentence: `The points that it is made of were not checked.${tail}`, tone: "unsure" };
  if (all === 0) return { sentence: `There is no number to trust.${tail}`, tone: "bad" };
  if (n.invalid || runInvalid) {
    const how = n.invalid ? `${partOf(n.invalid, all, "number")} invalid` : "the run as a whole is invalid";
    return { sentence: `No: ${how}; the findings say why. ${checks}.${tail}`, tone: "bad" };
  }
  if (n.suspect) return { sentence: `With care: ${partOf(n.suspect, all, "number")} suspect; ${checks}.${tail}`, tone: "unsure" };
  const precision = report.run.schedule.precision;
  const open = precision ? report.results.filter(unconverged) : [];
  const wide = open.filter((r) => !tooBrief(r, precision)).length;
  if (wide) return { sentence: `Yes, but ${partOf(wide, all, "number")} not shown to be within the ±${format.asked(precision)} that was requested; ${checks}.${tail}`, tone: "unsure" };
  if (open.length) return { sentence: `Yes, but ${partOf(open.length, all, "number")} based on too short a time to rely on the interval; ${checks}.${tail}`, tone: "unsure" };
  return { sentence: `Yes: ${partOf(all, all, "number")} valid${report.run.schedule.precision ? ", and as precise as was requested" : ""}; ${checks}.${tail}`, tone: broken ? "unsure" : "good" };
}

function better(c: Comparison, [a, b]: [string, string]): { sentence: string; tone: Tone } {
  const n = (v: string) => c.rows.filter((r) => r.verdict === v).length;
  const decided = (["better", "worse", "same"] as const).filter((v) => n(v)).map((v) => `${v === "same" ? "the same" : v} in ${n(v)}`);
  const open = (["unclear", "unusable"] as const).filter((v) => n(v)).map((v) => `${n(v)} ${n(v) === 1 ? "is" : "are"} ${v}`);
  const rows = format.count(c.rows.length, "row");
  const care = c.comparable ? "" : " They are not comparable: the change cannot be attributed to the storage alone.";
  const tone: Tone = n("worse") || n("unusable") ? "bad" : n("better") ? "good" : n("unclear") ? "unsure" : "plain";
  return {
    sentence: `${b} (${placeName(c.b.target)}) against ${a} (${placeName(c.a.target)}): ${c.rows.length ? [decided.length ? `${decided.join(", ")} of ${rows}` : `inconclusive, with none of ${rows} decided`, ...open].join("; ") : "nothing was compared"}.${care}`,
    tone: c.comparable ? tone : "unsure",
  };
}

function goals(list: Goal[]): { sentence: string; tone: Tone } {
  const n = (o: string) => list.filter((g) => g.outcome === o).length;
  const rest = [n("missed") && `${n("missed")} missed`, n("undecided") && `${n("undecided")} undecided`].filter(Boolean).join(", ");
  return {
    sentence: `${n("met")} of ${format.count(list.length, "goal")} met${rest ? `; ${rest}` : ""}.`,
    tone: n("missed") ? "bad" : n("undecided") ? "unsure" : "good",
  };
}

/** answerList shows answers, of so many runs. */
export function answerList(list: Answer[], runs = 1, id = "answers"): HTMLElement {
  const items: Child[] = [];
  for (const a of list) items.push(h("div", { class: `answer ${a.tone}${a.wide && runs > 1 ? " whole" : ""}` }, h("dt", {}, a.question), h("dd", {}, a.sentence)));
  const beside = runs < 2 ? "" : runs % 3 === 0 || runs === 5 ? " by-3" : " by-2";
  return h("dl", { class: `answers${beside}`, id }, ...items);
}
