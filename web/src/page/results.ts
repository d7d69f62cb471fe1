// The table of all estimates: a row for each workload and direction. What it is, whether
// it can be trusted and the headline stand first, so that a narrow window shows them.

import { figure } from "../charts/figure";
import { repeats } from "../charts/repeats";
import { h, onFirstOpen, svg } from "../dom";
import * as format from "../format";
import type { Num, Report, Result } from "../model";
import { verdictSign, verdictTone } from "../theme";
import { costs } from "./costs";
import { flowName, tooBrief, unconverged } from "./words";

/** More rows than this are folded: what was varied has its own charts. */
const mostRows = 24;

/** results shows each repeat against its estimate, and the table of estimates. */
export function results(report: Report, suffix = ""): HTMLElement {
  if (report.results.length === 0) return h("div", {}, h("p", {}, "No workload yields a number."), notMeasured(report));
  const make = () => {
    const chart = repeats(report, suffix);
    return [chart && h("div", { class: "charts" }, figure(chart)), tableOf(report.results, true, report.run.schedule.precision), notMeasured(report), costs(report)];
  };
  if (report.results.length <= mostRows) return h("div", {}, ...make());
  const details = h("details", { class: "folded" }, h("summary", {}, `All ${report.results.length} results`));
  onFirstOpen(details, () => make().forEach((part) => part && details.append(part)));
  return details;
}

/** notMeasured names the planned workloads without a result, so that nothing is missing silently. */
function notMeasured(report: Report): HTMLElement | null {
  const names = (report.run.workloads ?? []).map((w) => w.name).filter((name) => !report.results.some((r) => r.workload === name));
  return names.length ? h("p", { class: "unmeasured" }, `Planned, but not measured: ${names.join(", ")}.`) : null;
}

/** tableOf makes the table; one that is not judged yet has no verdicts. */
export function tableOf(rows: Result[], judged: boolean, precision = 0): HTMLElement {
  const lines = rows.some((r) => (r.series?.length ?? 0) > 1);
  const spread = rows.some((r) => repeatsOf(r).length > 1);
  const numeric = ["result", "95% CI", ...(spread ? ["repeats"] : []), "mean", "p50", "p99", "p99.9"];
  const head = ["workload", ...(judged ? ["verdict"] : []), ...numeric, ...(lines ? ["over time"] : [])];
  const wide = judged && precision > 0 && rows.some(unconverged);
  const brief = (r: Result) => tooBrief(r, precision);
  const meaning = [
    rows.some((r) => unconverged(r) && !brief(r)) && `not shown to be within the ±${format.asked(precision)} that was requested`,
    rows.some(brief) && "observed too briefly to rely on this interval",
  ].filter(Boolean).join(", or ");
  return h(
    "div",
    {},
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table of results" },
      h(
        "table",
        { class: "results" },
        h("thead", {}, h("tr", {}, ...head.map((t) => h("th", { scope: "col", class: numeric.includes(t) ? "number" : undefined }, t)))),
        h("tbody", {}, ...rows.map((r) => row(r, rows, { judged, lines, spread, wide }))),
      ),
    ),
    spread || wide
      ? h("p", { class: "faint legend" }, [spread && "repeats: how many there were, and by how much the lowest and the highest differ from the result", wide && `*: ${meaning}`].filter(Boolean).join(" · "))
      : null,
  );
}

/** What a table shows beside the numbers. */
interface Columns {
  judged: boolean;
  lines: boolean;
  spread: boolean;
  wide: boolean;
}

function row(r: Result, all: Result[], c: Columns): HTMLElement {
  const number = (text: string, bold = false) => h("td", { class: bold ? "number headline" : "number" }, text);
  const estimate = (m: "latency" | "p50" | "p99") => format.metric(m, r.metrics[m]?.estimate ?? (m === "latency" ? r.latency?.mean : r.latency?.[m]));
  const quantile = r.metric.startsWith("p") ? `${r.metric} ` : "";
  return h(
    "tr",
    { class: c.judged ? r.verdict : "" },
    h("th", { scope: "row" }, h("span", { class: "name" }, flowName(r.workload, r.direction, all)), h("span", { class: "name faint" }, r.description)),
    c.judged ? h("td", { class: `verdict ${verdictTone[r.verdict]}` }, `${verdictSign[r.verdict]} ${r.verdict}`, r.findings.length ? h("span", { class: "name faint" }, r.findings.join(", ")) : null) : null,
    number(quantile + format.metric(r.metric, r.estimate, r.direction), true),
    number(format.interval(r.metric, r, r.direction) + (c.wide && unconverged(r) ? "*" : "")),
    c.spread ? number(spreadWords(r)) : null,
    number(estimate("latency")),
    number(estimate("p50")),
    number(estimate("p99")),
    number(format.percentile(r.latency?.["p99.9"])),
    c.lines ? h("td", {}, sparkline(r.series ?? [], r.direction)) : null,
  );
}

const repeatsOf = (r: Result): number[] => (r.estimate ? r.repeat_values.filter((v) => v !== null) : []);

/** spreadWords tells how many repeats there are and how far they lie from the result: "4, −3.7% to +6.8%". */
function spreadWords(r: Result): string {
  const list = repeatsOf(r);
  if (list.length < 2) return list.length ? "1" : "–";
  return `${list.length}, ${format.change(Math.min(...list) / r.estimate!)} to ${format.change(Math.max(...list) / r.estimate!)}`;
}

/** sparkline draws a series from zero up; it is decoration, the chart has the numbers. */
function sparkline(series: Num[], direction: string): SVGElement {
  const width = 72;
  const height = 22;
  const box = svg("svg", { class: `spark ${direction}`, viewBox: `0 0 ${width} ${height}`, width: String(width), height: String(height), "aria-hidden": "true" });
  const points = series.map((v) => v ?? 0);
  const top = Math.max(...points, 0);
  if (points.length < 2 || top <= 0) return box;
  const x = (i: number) => ((i / (points.length - 1)) * (width - 2) + 1).toFixed(1);
  const y = (v: number) => (height - 1 - (v / top) * (height - 3)).toFixed(1);
  const line = points.map((v, i) => `${x(i)},${y(v)}`).join(" ");
  box.append(svg("polygon", { points: `${x(0)},${height} ${line} ${x(points.length - 1)},${height}` }), svg("polyline", { points: line }));
  return box;
}
