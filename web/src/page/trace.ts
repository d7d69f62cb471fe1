// A trace: how long the I/Os of each device and operation took, who did them, and what of
// them was not seen.

import { histogram } from "../charts/bars";
import type { Chart } from "../charts/figure";
import { heat } from "../charts/heat";
import { Clock, colorOf, type Group, type Subject } from "../charts/subject";
import { tail } from "../charts/tail";
import { latencies, throughput } from "../charts/time";
import { h, onFirstOpen, type Child } from "../dom";
import * as format from "../format";
import type { Estimate, Metric, Result, Severity, Trace, TraceKind, TraceRow } from "../model";
import type { Tone } from "../theme";
import { severityTone } from "../theme";
import { answerList, type Answer } from "./answers";
import { gridOf } from "./charts";
import { findings } from "./findings";
import { number, scrolled } from "./table";
import { commandWords, labelList, plainName } from "./words";

/** More operations than this are folded: their charts are made when they are asked for. */
const mostOpen = 6;

/** More of those who did I/O than this are folded. */
const mostRows = 20;

/** traceTitle names a trace by what it looked at. */
export function traceTitle(t: { run: Trace["run"] }): string {
  const { request, environment } = t.run;
  const of = [request.target, request.devices?.length ? `on ${request.devices.join(", ")}` : "all block devices"];
  if (request.container) of.push(`container ${request.container}`);
  else if (request.pod) of.push(`pod ${request.pod}`);
  else if (request.cgroups?.length) of.push(`cgroup ${request.cgroups.join(", ")}`);
  if (request.pid) of.push(`process ${request.pid}`);
  return `Trace of ${of.filter(Boolean).join(", ")}${environment.hostname ? ` at ${environment.hostname}` : ""}`;
}

/** howOf says by which method a trace was made. */
function howOf(t: Trace): string {
  return { bpf: "by BPF", perf: "by perf events", counters: "by the device's counters only" }[t.run.method];
}

/** traceHead is the title of a trace, how it was made, and the answers. */
export function traceHead(t: Trace): HTMLElement {
  const { run } = t;
  const words = [`${format.span(run.seconds)} ${howOf(t)}`, format.moment(run.started), run.environment.kernel && `kernel ${run.environment.kernel}`, run.status !== "complete" && run.status];
  return h("div", {}, h("h1", {}, traceTitle(t)), labelList(run.labels), h("p", { class: "faint" }, words.filter(Boolean).join(" · ")), answerList(answersOf(t)));
}

function answersOf(t: Trace): Answer[] {
  const all = [...t.kinds].sort((a, b) => b.ios - a.ios);
  const list: Answer[] = [];
  const busiest = all[0];
  if (!busiest) return [{ question: "How long?", sentence: "There was no I/O.", tone: "plain" }];
  const rate = busiest.metrics?.iops;
  const told = (m: Metric, words: string) => (busiest.metrics?.[m] ? `, ${words} ${withInterval(m, busiest.metrics[m])}` : "");
  list.push({ question: "How long?", sentence: `Most were ${nameOf(busiest)}s: ${rate ? withInterval("iops", rate) : `${format.integer(busiest.ios)} I/Os`}${told("latency", "mean")}${told("p99", "p99")}.`, tone: "plain" });
  const sum = t.kinds.reduce((n, k) => n + k.ios, 0);
  const first = t.run.method !== "counters" ? mostOf(t.rows) : null;
  if (first && sum > 0) list.push({ question: "Who?", sentence: `${first.name} did ${format.percent(first.ios / sum)} of the I/Os.`, tone: "plain" });
  // Of a device without I/O nothing can have been missed.
  const unseen = t.findings.filter((f) => f.rule === "unseen" && t.kinds.some((k) => f.results?.includes(k.device)));
  const order: Severity[] = ["invalid", "warning", "not-checked", "note", "passed"];
  const worst = unseen.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))[0];
  if (worst) {
    const tone: Tone = worst.severity === "not-checked" ? "unsure" : severityTone[worst.severity];
    list.push({ question: "Was all of it seen?", sentence: sentenceOf(worst.message), tone });
  }
  return list;
}

/** mostOf is who did most, in all operations together; null where nobody is known. */
function mostOf(rows: TraceRow[]): { name: string; ios: number } | null {
  const sums = new Map<number, { name: string; ios: number }>();
  for (const r of rows) {
    if (!r.pid) continue;
    const one = sums.get(r.pid) ?? { name: `${r.command ?? ""} (process ${r.pid})`.trim(), ios: 0 };
    one.ios += r.ios;
    sums.set(r.pid, one);
  }
  return [...sums.values()].sort((a, b) => b.ios - a.ios)[0] ?? null;
}

const sentenceOf = (words: string): string => words.replace(/\.?$/, ".");

const nameOf = (k: { device: string; operation: string }): string => `${k.device} ${k.operation}`;

const whoOf = (r: TraceRow): string => (r.unowned ? "unowned flushes" : (r.command ?? "several"));

function withInterval(m: Metric, e: Estimate): string {
  const interval = format.interval(m, e);
  return format.metric(m, e.estimate) + (interval === "–" ? "" : ` ${interval}`);
}

/** A part of a trace: its id, its title, and what is in it. */
type Part = [id: string, title: string, ...content: Child[]];

/** partsOf are the parts of a trace; time is what it shows of its kinds over time. */
function partsOf(t: Trace, time: Child[]): Part[] {
  const list: Part[] = [["latency", "Latency", t.kinds.length ? kindTable(t.kinds) : h("p", {}, "No I/O was seen.")]];
  if (t.run.method !== "counters") list.push(["who", "Who did the I/O", rowsOf(t.rows)]);
  if (time.length) list.push(["time", "Over time", ...time]);
  if (t.run.devices?.length) list.push(["devices", "What the devices counted", deviceTable(t)]);
  const lost = t.run.limitations ?? [];
  const damage = t.damage ?? [];
  list.push(["findings", "Findings", findings(t.findings), lost.length ? h("div", {}, h("p", { class: "title" }, "What this trace cannot tell"), h("ul", {}, ...lost.map((w) => h("li", {}, w)))) : null, damage.length ? h("ul", { class: "faint" }, ...damage.map((w) => h("li", {}, w))) : null]);
  return list;
}

/** traceBeside is the trace made beside a run, as parts of a section of the run's page. */
export function traceBeside(t: Trace, suffix: string): Child[] {
  const { run } = t;
  const parts = partsOf(t, heatmaps(t, `${suffix}-trace`)).map(([id, title, ...content]) => h("section", { id: `trace-${id}${suffix}`, "aria-label": `${title}, traced` }, h("h3", {}, title), ...content));
  const all = t.directory ? h("p", { class: "faint" }, "All charts and the samples: ", h("code", {}, commandWords(["loadline", "report", t.directory, "--format", "html"]))) : null;
  return [h("p", { class: "faint" }, `${traceTitle(t)} beside the run: ${format.span(run.seconds)} ${howOf(t)}${run.status === "complete" ? "" : `, ${run.status}`}.`), answerList(answersOf(t), 1, `trace-answers${suffix}`), ...parts, all];
}

/** heatmaps are those of the operations with the most I/Os; of what was too short for one, its percentiles over time. */
function heatmaps(t: Trace, suffix: string): Child[] {
  const kinds = t.kinds.filter((k) => k.course).sort((a, b) => b.ios - a.ios);
  const charts = kinds.slice(0, mostOpen).map((k) => {
    const { group, subject } = drawnOf(k, suffix);
    const chart = heat(group, subject) ?? latencies(group);
    return chart && { ...chart, title: `${nameOf(k)}: ${chart.title[0]!.toLowerCase()}${chart.title.slice(1)}` };
  });
  const rest = kinds.slice(mostOpen);
  return charts.some((c) => c) ? [gridOf(charts), rest.length ? h("p", { class: "faint" }, `Not drawn here: ${rest.map(nameOf).join(", ")}.`) : null] : [];
}

/** traceSections are the parts of the nth trace of a page. */
export function traceSections(t: Trace, nth: number): HTMLElement[] {
  const suffix = nth ? `-${nth + 1}` : "";
  const section = (id: string, title: string, ...parts: Child[]) => h("section", { id: id + suffix, "aria-label": title }, h("h2", {}, title), ...parts);
  const time = t.kinds.filter((k) => k.course).map((k) => charts(k, suffix, t.kinds.length));
  const list = partsOf(t, time).map((p) => section(...p));
  if (t.run.command?.length) list.push(section("reproduce", "To reproduce it", h("pre", { class: "command", tabindex: "0", "aria-label": "Command" }, commandWords(t.run.command)), t.directory ? h("p", { class: "faint saved" }, `saved in ${t.directory}`) : null));
  return list;
}

/** What a narrow window shows stands first. */
const figureHead = ["I/Os", "mean", "95% CI", "p99", "95% CI", "p50", "95% CI", "rate", "data", "max", "wait"];

/** figures are the cells of a row: an interval stands behind each number that has one. */
function figures(f: TraceKind | TraceRow | NonNullable<TraceKind["sizes"]>[number]): HTMLElement[] {
  const interval = (m: Metric) => number(f.metrics?.[m] ? format.interval(m, f.metrics[m]) : "–");
  const rate = f.metrics?.iops?.estimate;
  return [
    number(format.integer(f.ios)),
    number(format.seconds(f.mean), true),
    interval("latency"),
    number(format.percentile(f.p99), true),
    interval("p99"),
    number(format.percentile(f.p50)),
    interval("p50"),
    number(rate ? format.metric("iops", rate) : "–"),
    number(f.bytes ? format.size(f.bytes) : "–"),
    number(f.max ? format.seconds(f.max) : "–"),
    number(format.seconds(f.wait)),
  ];
}

function kindTable(kinds: TraceKind[]): HTMLElement {
  const head = ["device and operation", ...figureHead];
  const name = (k: TraceKind) => h("th", { scope: "row" }, h("span", { class: "name" }, nameOf(k)), k.sizes?.length === 1 ? h("span", { class: "name faint" }, sizeWords(k.sizes[0]!.size)) : null);
  const sized = kinds.flatMap((k) => ((k.sizes?.length ?? 0) > 1 ? k.sizes!.map((size) => ({ k, size })) : []));
  const sizes = h("details", {}, h("summary", {}, "By size"));
  onFirstOpen(sizes, () =>
    sizes.append(
      scrolled(
        "Table of latencies by size",
        head,
        figureHead,
        sized.map(({ k, size }) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: "name" }, nameOf(k)), h("span", { class: "name faint" }, sizeWords(size.size))), ...figures(size))),
      ),
    ),
  );
  return h(
    "div",
    {},
    scrolled("Table of latencies by device and operation", head, figureHead, kinds.map((k) => h("tr", {}, name(k), ...figures(k)))),
    h("p", { class: "faint legend" }, "latency: from the last issue to the driver to the completion; wait: before that, in scheduler and queue · a percentile stands where ten I/Os or more lie beyond it, its interval where there are enough that do not depend on each other"),
    sized.length ? sizes : null,
  );
}

/** sizeWords is a class of sizes: those from a power of two to the next one. */
const sizeWords = (size: number): string => `${format.block(size)} to below ${format.block(2 * size)}`;

function rowsOf(rows: TraceRow[]): HTMLElement {
  if (rows.length === 0) return h("p", {}, "Nobody did any.");
  const table = (list: TraceRow[], label: string) =>
    scrolled(
      label,
      ["command", "pid", "device", "operation", ...figureHead, "cgroup"],
      ["pid", ...figureHead],
      list.map((r) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: "name" }, whoOf(r))), number(r.pid ? String(r.pid) : "–"), h("td", {}, r.device), h("td", {}, r.operation), ...figures(r), h("td", { class: "faint" }, r.cgroup ?? ""))),
    );
  const rest = rows.slice(mostRows);
  if (rest.length === 0) return table(rows, "Table of who did the I/O");
  const details = h("details", { class: "folded" }, h("summary", {}, `${rest.length} more`));
  onFirstOpen(details, () => details.append(table(rest, "The rest of who did the I/O")));
  return h("div", {}, table(rows.slice(0, mostRows), "Table of who did the I/O"), details);
}

/** charts of one operation on one device; of many they are folded. */
function charts(k: TraceKind, suffix: string, all: number): HTMLElement {
  const id = `time-${plainName(nameOf(k))}${suffix}`;
  const make = () => gridOf(drawn(k, suffix));
  if (all <= mostOpen) return h("section", { id, "aria-label": nameOf(k) }, h("h3", {}, nameOf(k)), make());
  const details = h("details", { class: "folded", id }, h("summary", {}, nameOf(k), h("span", { class: "faint" }, ` ${format.count(k.ios, "I/O")}`)));
  onFirstOpen(details, () => details.append(make()));
  return details;
}

function drawn(k: TraceKind, suffix: string): (Chart | null)[] {
  const { group: g, subject: s } = drawnOf(k, suffix);
  return [heat(g, s), throughput(g), latencies(g), histogram(k, plainName(g.name), (t) => colorOf(s, t)), tail(g)];
}

/** drawnOf is an operation as charts over time draw it. */
function drawnOf(k: TraceKind, suffix: string): { group: Group; subject: Subject } {
  const course = k.course!;
  const result = { metrics: k.metrics ?? {}, latency: { p50: k.p50, p99: k.p99, "p99.9": k["p99.9"] } } as unknown as Result;
  const name = nameOf(k);
  const subject = { run: 0, runs: 1, label: name, course, result, clock: new Clock(course.spans) };
  const group: Group = { name: name + suffix, workload: k.device, direction: course.direction, metric: "iops", description: "", subjects: [subject], watched: true };
  return { group, subject };
}

function deviceTable(t: Trace): HTMLElement {
  const head = ["device", "reads", "writes", "flushes", "discards", "busy", "in flight", "unseen", "not seen to begin", "no room"];
  const seconds = t.run.seconds || 0;
  const share = (v: number | null | undefined) => (v === null || v === undefined ? "–" : v < 0 ? `−${format.percent(-v)}` : format.percent(v));
  const rows = (t.run.devices ?? [])
    .filter((d) => d.operations || d.counters)
    .map((d) => {
      const c = d.counters;
      const count = (v: number | undefined) => (v === undefined ? "–" : format.integer(v));
      const cells = [count(c?.reads), count(c?.writes), count(c?.flushes), count(c?.discards), c && seconds ? format.percent(Math.min(1, (c.busy_seconds ?? 0) / seconds)) : "–", c && seconds ? format.three((c.weighted_seconds ?? 0) / seconds) : "–", share(d.unseen), count(d.unmatched ?? 0), count((d.overflowed ?? 0) + (d.dropped ?? 0))];
      return h("tr", {}, h("th", { scope: "row" }, h("span", { class: "name" }, d.name), h("span", { class: "name faint" }, d.number)), ...cells.map((c) => number(c)));
    });
  return h("div", {}, scrolled("Table of what the devices counted", head, head.slice(1), rows), h("p", { class: "faint legend" }, "by the devices' own counters, between the same instants; their writes include those that only wait for a flush · unseen: the share of them that the trace did not see"));
}
