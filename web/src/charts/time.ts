// Throughput and latency over the time of a workload's own repeats.

import * as format from "../format";
import type { Metric } from "../model";
import { plainName } from "../page/words";
import { columns, keyOf, largest, linear, logarithmic, logRange, metricAxis, shortDuration, tip, tooltip, unitFor, type KeyItem, type TipLine } from "./common";
import type { Option } from "./echarts";
import type { Chart, Stop, Table } from "./figure";
import { broken, colorOf, dashOf, markOf, positive, timeName, type Group, type Subject } from "./subject";
import type { Theme } from "../theme";

/** Few points get a mark each; many would hide the line. */
const mostMarks = 80;

/** throughput draws the rate of a group. */
export function throughput(g: Group): Chart {
  const metric: Metric = g.metric === "bandwidth" ? "bandwidth" : "iops";
  const values = (s: Subject) => s.course.points[metric];
  const unit = unitFor(metric, largest(g.subjects.flatMap((s) => values(s))));
  const name = `${plainName(g.name)}-rate`;
  const only = g.subjects.length === 1 ? g.subjects[0]! : null;
  return {
    name,
    title: metric === "iops" ? (g.direction === "sync" ? "Flushes per second" : "IOPS over time") : "Bandwidth over time",
    caption: captionOf(g),
    alt: `${g.name}: ${g.subjects.map((s) => `${s.runs > 1 ? s.label + " " : ""}${overall(s, metric)}`).join("; ")}.`,
    option: (t) => {
      const estimate = only?.result?.metrics[metric];
      return {
        grid: grid(),
        tooltip: pointTip(t, g, metric),
        xAxis: linear(t, "x", { name: timeName(g), min: 0, max: end(g) }),
        yAxis: linear(t, "y", { name: metricAxis(metric, unit), min: 0 }),
        series: g.subjects.map((s, i) => ({
          ...line(s, t, s.clock.middles(s.course), values(s).map((v) => v / unit.by)),
          ...(i === 0 ? { markArea: shades(g, t, estimate && estimate.confidence ? [estimate.low! / unit.by, estimate.high! / unit.by] : undefined) } : {}),
        })),
      } as Option;
    },
    key: (t) => {
      const items = runItems(g, t);
      if (only?.result?.metrics[metric]?.confidence) items.push({ words: "95% interval of the estimate", color: band(t), form: "area" });
      return keyOf([...items, ...shadeItems(g, t)]);
    },
    table: () => pointTable(g),
    stops: () => pointStops(g, metric),
  };
}

const percentiles = [
  { key: "p50", metric: "p50", dash: "solid", width: 1.2, opacity: 0.65 },
  { key: "p99", metric: "p99", dash: "solid", width: 2.2, opacity: 1 },
  { key: "p99.9", metric: "p99.9", dash: [2, 2], width: 1.6, opacity: 1 },
] as const;

/** latencies draws percentiles of a group on a logarithmic axis: of several runs only p99. */
export function latencies(g: Group): Chart | null {
  const several = g.subjects.length > 1;
  const drawn = percentiles.filter((p) => (!several || p.key === "p99") && g.subjects.some((s) => s.course.points[p.key].some((v) => v > 0)));
  if (drawn.length === 0) return null;
  const all = g.subjects.flatMap((s) => drawn.flatMap((p) => s.course.points[p.key]));
  return {
    name: `${plainName(g.name)}-latency`,
    title: several ? "p99 latency over time" : "Latency percentiles over time",
    caption: several ? captionOf(g) : `${drawn.map((p) => p.key).join(", ")} of each ${interval(g)}, on a logarithmic axis. A percentile is drawn only where enough I/Os ended.`,
    alt: `${g.name}: ${g.subjects.map((s) => `${several ? s.label + " " : ""}${drawn.map((p) => `${p.key} ${format.seconds(s.result?.latency?.[p.key])}`).join(", ")}`).join("; ")} over all.`,
    option: (t) =>
      ({
        grid: grid(66),
        tooltip: pointTip(t, g, "p99"),
        xAxis: linear(t, "x", { name: timeName(g), min: 0, max: end(g) }),
        yAxis: logarithmic(t, "y", { name: "latency (log scale)", show: shortDuration, gap: 58, ...logRange(all) }),
        series: g.subjects.flatMap((s, i) =>
          drawn.map((p, j) => ({
            ...line(s, t, s.clock.middles(s.course), positive(s.course.points[p.key])),
            ...(several ? {} : { lineStyle: { color: colorOf(s, t), type: p.dash, width: p.width, opacity: p.opacity } }),
            ...(i === 0 && j === 0 ? { markArea: shades(g, t) } : {}),
          })),
        ),
      }) as Option,
    key: (t) => {
      const color = t.direction[g.direction];
      const forms: Record<string, KeyItem> = {
        p50: { words: "p50", color, form: "thin" },
        p99: { words: "p99", color, form: "thick" },
        "p99.9": { words: "p99.9", color, form: "dotted" },
      };
      return keyOf([...(several ? runItems(g, t) : drawn.map((p) => forms[p.key]!)), ...shadeItems(g, t)]);
    },
    table: () => pointTable(g),
    stops: () => pointStops(g, "p99"),
  };
}

const grid = (left = 62) => ({ left, right: 18, top: 14, bottom: 48 });
const end = (g: Group) => Math.max(...g.subjects.map((s) => s.clock.length));
const band = (t: Theme) => (t.dark ? "rgba(95,207,125,0.30)" : "rgba(17,119,45,0.20)");

function line(s: Subject, t: Theme, x: number[], y: (number | null)[]): object {
  const color = colorOf(s, t);
  return {
    type: "line",
    name: s.label,
    data: broken(x, y, s.course.points.span),
    symbol: markOf(s),
    showSymbol: x.length <= mostMarks || alone(s.course.points.span),
    symbolSize: 5,
    itemStyle: { color },
    lineStyle: { color, width: 1.6, type: dashOf(s) },
    connectNulls: false,
    emphasis: { disabled: true },
  };
}

/** alone tells whether some repeat has a single point, which no line shows. */
function alone(span: number[]): boolean {
  return span.some((v, i) => v !== span[i - 1] && v !== span[i + 1]);
}

function shades(g: Group, t: Theme, estimate?: [number, number]): object {
  const data: object[] = (g.subjects.length > 1 ? [] : g.subjects[0]!.clock.shades(t)).map((s) => [{ xAxis: s.from, itemStyle: { color: s.color } }, { xAxis: s.to }]);
  if (estimate) data.push([{ yAxis: estimate[0], itemStyle: { color: band(t) } }, { yAxis: estimate[1] }]);
  return { silent: true, data, animation: false };
}

function shadeItems(g: Group, t: Theme): KeyItem[] {
  if (g.subjects.length > 1) return [];
  const { clock } = g.subjects[0]!;
  const items: KeyItem[] = [];
  if (clock.ramps) items.push({ words: "ramp, not measured", color: t.ramp, form: "area" });
  if (clock.spans.length > 1) items.push({ words: "every second repeat", color: t.stripe, form: "area" });
  return items;
}

function runItems(g: Group, t: Theme): KeyItem[] {
  if (g.subjects.length === 1) return [];
  return g.subjects.map((s) => ({ words: s.label, color: colorOf(s, t), form: dashOf(s) === "solid" ? "line" : "dashed" }));
}

function interval(g: Group): string {
  const n = g.subjects[0]!.course.thinned;
  return n > 1 ? `${n} seconds` : "second";
}

function captionOf(g: Group): string {
  const s = g.subjects[0]!;
  const repeats = s.clock.spans.length;
  if (g.watched) return `A point for each ${interval(g)}.`;
  const behind = repeats > 1 ? `${format.count(repeats, "repeat")} one after another; what ran between them is left out` : "One repeat";
  const volumes = s.course.workers > 1 ? `, the sum of ${s.course.workers} volumes` : "";
  return `${behind}; a point for each ${interval(g)}${volumes}.`;
}

function overall(s: Subject, metric: Metric): string {
  const e = s.result?.metrics[metric];
  return e ? `${format.metric(metric, e.estimate)} ${format.interval(metric, e)}` : "no estimate";
}

/** spotOf finds the point that a place in a broken line belongs to. */
function spotOf(s: Subject, index: number): number {
  const { span } = s.course.points;
  let place = -1;
  for (let i = 0; i < span.length; i++) {
    place += i > 0 && span[i] !== span[i - 1] ? 2 : 1;
    if (place >= index) return i;
  }
  return span.length - 1;
}

function pointTip(t: Theme, g: Group, lead: Metric): object {
  return tooltip(t, "axis", ((items: { seriesIndex: number; dataIndex: number }[]) => {
    const item = items[0];
    if (!item) return "";
    const lines: TipLine[] = [];
    let title = "";
    const seen = new Set<Subject>();
    for (const { seriesIndex, dataIndex } of items) {
      const s = g.subjects.length > 1 ? g.subjects[seriesIndex] : g.subjects[0];
      if (!s || seen.has(s)) continue;
      seen.add(s);
      const i = spotOf(s, dataIndex);
      if (g.subjects.length > 1) {
        lines.push([s.label, lead === "p99" ? (s.course.points.p99[i] ? format.duration(s.course.points.p99[i]!) : "–") : format.metric(lead, s.course.points[lead as "iops"][i]!), colorOf(s, t)]);
        title ||= `${s.clock.middles(s.course)[i]!.toFixed(0)} s`;
      } else {
        title = momentOf(g, s, i);
        lines.push(...linesOf(s, i));
      }
    }
    return tip(title, lines);
  }) as never);
}

function momentOf(g: Group, s: Subject, i: number): string {
  if (g.watched) return `${s.course.points.at[i]!.toFixed(1)} s of the trace`;
  const repeat = s.clock.spans[s.course.points.span[i]!];
  return `${s.course.points.at[i]!.toFixed(1)} s of the run${s.clock.spans.length > 1 && repeat ? `, repeat ${repeat.round}` : ""}`;
}

function linesOf(s: Subject, i: number): TipLine[] {
  const p = s.course.points;
  const lines: TipLine[] = [[s.course.direction === "sync" ? "flushes" : "rate", format.metric("iops", p.iops[i]!, s.course.direction)]];
  if (s.course.direction !== "sync") lines.push(["bandwidth", format.bandwidth(p.bandwidth[i]!)]);
  for (const key of ["mean", "p50", "p99", "p99.9"] as const) if (p[key][i]! > 0) lines.push([key, format.duration(p[key][i]!)]);
  return lines;
}

function pointTable(g: Group): Table {
  const several = g.subjects.length > 1;
  return {
    columns: [
      ...(several ? [{ name: "run" }] : []),
      ...(g.watched ? [] : [{ name: "repeat" }]),
      columns.clock("end of interval"),
      columns.clock("length"),
      columns.rate("rate"),
      columns.bandwidth("bandwidth"),
      columns.seconds("mean"),
      columns.seconds("p50"),
      columns.seconds("p99"),
      columns.seconds("p99.9"),
    ],
    rows: g.subjects.flatMap((s) => {
      const p = s.course.points;
      const some = (v: number) => (v > 0 ? v : null);
      return p.at.map((at, i) => [
        ...(several ? [s.label] : []),
        ...(g.watched ? [] : [String(s.clock.spans[p.span[i]!]?.round ?? "")]),
        at,
        p.seconds[i]!,
        p.iops[i]!,
        p.bandwidth[i]!,
        some(p.mean[i]!),
        some(p.p50[i]!),
        some(p.p99[i]!),
        some(p["p99.9"][i]!),
      ]);
    }),
  };
}

function pointStops(g: Group, lead: Metric): Stop[] {
  const s = g.subjects[0]!;
  const key = lead === "p99" ? "p99" : lead === "bandwidth" ? "bandwidth" : "iops";
  let place = -1;
  return s.course.points.at.map((_, i) => {
    const { span } = s.course.points;
    place += i > 0 && span[i] !== span[i - 1] ? 2 : 1;
    return { series: 0, index: place, words: `${momentOf(g, s, i)}: ${format.metric(lead, s.course.points[key][i]!)}` };
  });
}
