// The table of all estimates: a row for each workload and direction.

import { h, svg } from "../dom";
import * as format from "../format";
import type { Metric, Num, Report, Result } from "../model";
import { verdictSign, verdictTone } from "../theme";
import { flowName } from "./words";

export function results(report: Report): HTMLElement {
  if (report.results.length === 0) return h("p", {}, "No workload yields a number.");
  return tableOf(report.results, true);
}

/** tableOf makes the table; one that is not judged yet has no verdicts. */
export function tableOf(rows: Result[], judged: boolean): HTMLElement {
  const lines = rows.some((r) => (r.series?.length ?? 0) > 1);
  const head = ["workload", "pattern", "rate", "±95%", "mean", "p50", "p99", "p99.9", ...(lines ? ["over time"] : []), ...(judged ? ["verdict"] : [])];
  const numeric = new Set(["rate", "±95%", "mean", "p50", "p99", "p99.9"]);
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table of results" },
    h(
      "table",
      { class: "results" },
      h("thead", {}, h("tr", {}, ...head.map((t) => h("th", { scope: "col", class: numeric.has(t) ? "number" : t === "pattern" ? t : undefined }, t)))),
      h("tbody", {}, ...rows.map((r) => row(r, rows, judged, lines))),
    ),
  );
}

function row(r: Result, all: Result[], judged: boolean, lines: boolean): HTMLElement {
  const isRate = !isLatency(r.metric);
  const lead = isRate ? r : r.metrics.iops;
  const leadMetric = isRate ? r.metric : "iops";
  const number = (text: string, bold = false) => h("td", { class: bold ? "number headline" : "number" }, text);
  const name = flowName(r.workload, r.direction, all);
  const estimate = (m: "latency" | "p50" | "p99") => format.seconds(r.metrics[m]?.estimate ?? (m === "latency" ? r.latency?.mean : r.latency?.[m]));
  return h(
    "tr",
    { class: judged ? r.verdict : "" },
    h("th", { scope: "row" }, h("span", { class: "name" }, name)),
    h("td", { class: "faint pattern" }, h("span", { class: "name" }, r.description)),
    number(format.metric(leadMetric, lead?.estimate), leadMetric === r.metric),
    number(format.plusMinus(r)),
    number(estimate("latency"), r.metric === "latency"),
    number(estimate("p50"), r.metric === "p50"),
    number(estimate("p99"), r.metric === "p99"),
    number(format.seconds(r.latency?.["p99.9"]), r.metric === "p99.9"),
    lines ? h("td", {}, sparkline(r.series ?? [], r.direction)) : null,
    judged ? h("td", { class: `verdict ${verdictTone[r.verdict]}` }, `${verdictSign[r.verdict]} ${r.verdict}`, r.findings.length ? h("span", { class: "faint" }, ` ${r.findings.join(", ")}`) : null) : null,
  );
}

/** isLatency tells the metrics that have a column of their own beside the rate. */
const isLatency = (m: Metric) => m === "latency" || m.startsWith("p");

/** sparkline draws a series from zero up; it is decoration, the chart has the numbers. */
function sparkline(series: Num[], direction: string): SVGElement {
  const width = 96;
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
