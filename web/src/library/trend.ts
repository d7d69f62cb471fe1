// One result over the runs that the list shows: whether it has become better or worse.

import { columns, keyOf, linear, logarithmic, logRange, metricAxis, round, tip, tooltip, unitFor, largest, short } from "../charts/common";
import type { Option } from "../charts/echarts";
import type { Chart } from "../charts/figure";
import { bars } from "../charts/shapes";
import * as format from "../format";
import { metricWords } from "../page/words";
import { mark, verdictSign, type Theme } from "../theme";
import type { Trend, TrendPoint } from "./api";

/** Of more targets than these the others share a colour. */
const mostTargets = 6;

/** trendChart draws a trend: a mark for each run, in order of time, evenly spaced; null for a single run. */
export function trendChart(t: Trend): Chart | null {
  const { metric } = t;
  const points = t.points.filter((p) => p.estimate !== null);
  if (!metric || points.length < 2) return null;
  const targets = mostFrequent(points);
  const of = (p: TrendPoint) => targets.indexOf(p.target);
  const color = (theme: Theme, i: number) => (i < 0 ? theme.faint : theme.runs[i % theme.runs.length]!);
  const ends = points.flatMap((p) => [p.estimate!, ...(p.confidence ? [p.low, p.high] : [])]).filter((v): v is number => v !== null && v > 0);
  const unit = unitFor(metric, largest(ends));
  const wide = Math.max(...ends) / Math.min(...ends) > 20;
  const words = (p: TrendPoint) => `${format.metric(metric, p.estimate, t.direction)} ${format.interval(metric, p, t.direction)}`.replace(/ –$/, "");
  const y = (v: number) => v / unit.by;
  const name = { name: `${metricAxis(metric, unit)}${wide ? " (log scale)" : ""}`, gap: 58 };
  // Runs of one day are told apart by their hour.
  const days = new Set(points.map((p) => format.when(p.started).slice(0, 10)));
  const day = (p?: TrendPoint) => (days.size > 1 ? format.when(p?.started).slice(0, 10) : format.when(p?.started).slice(11));
  const left = [t.earlier && `${format.count(t.earlier, "earlier run")} left out`, t.other_metric && `${format.count(t.other_metric, "run")} whose result of that name is no ${metricWords[metric]}`, t.undated && `${format.count(t.undated, "run")} of unknown date`].filter(Boolean);
  const marks = targets.map((target, i) => ({ target, own: points.flatMap((p, x) => (of(p) === i ? [{ p, x }] : [])) }));
  const others = points.flatMap((p, x) => (of(p) < 0 ? [{ p, x }] : []));
  const lines = [...marks.map((m, i) => ({ ...m, i })), ...(others.length ? [{ target: "other targets", own: others, i: -1 }] : [])];
  return {
    name: "trend",
    title: `${t.workload} over ${format.count(points.length, "run")}`,
    caption: `One mark for each run, the oldest at the left, evenly spaced; lines are intervals, and a hollow mark is suspect or invalid.${left.length ? ` Not here: ${left.join(", ")}.` : ""}`,
    alt: `From ${words(points[0]!)} on ${format.when(points[0]!.started)} to ${words(points[points.length - 1]!)} on ${format.when(points[points.length - 1]!.started)}.`,
    height: 260,
    wide: true,
    option: (theme, width) =>
      ({
        grid: { left: 72, right: 26, top: 14, bottom: 48 },
        tooltip: tooltip(theme, "item", ((p: { seriesIndex: number; dataIndex: number }) => {
          const at = lines[p.seriesIndex]?.own[p.dataIndex]?.p;
          if (!at) return "";
          return tip(format.when(at.started), [["target", at.target], [metricWords[metric], words(at)], ["verdict", `${verdictSign[at.verdict]} ${at.verdict}`], ...(at.host ? [["host", at.host] as [string, string]] : []), ...(at.note ? [["note", at.note] as [string, string]] : [])]);
        }) as never),
        xAxis: { ...linear(theme, "x", { name: "run", min: -0.5, max: points.length - 0.5 }), axisTick: { show: false }, axisLabel: { color: theme.faint, fontSize: 11, hideOverlap: true, customValues: labels(points.length, width), formatter: (v: number) => day(points[v]) } },
        yAxis: wide ? logarithmic(theme, "y", { ...name, ...logRange(ends.map(y)) }) : linear(theme, "y", { ...name, min: 0, ...round(y(Math.max(...ends)) * 1.03), show: short }),
        series: [
          ...lines.map(({ target, own, i }) => ({
            type: i < 0 ? "scatter" : "line",
            name: target,
            data: own.map(({ p, x }) => ({ value: [x, y(p.estimate!)], itemStyle: p.verdict === "valid" ? { color: color(theme, i) } : { color: theme.paper, borderColor: color(theme, i), borderWidth: 2 } })),
            symbol: mark(Math.max(0, i)),
            symbolSize: 8,
            showSymbol: true,
            itemStyle: { color: color(theme, i) },
            lineStyle: { color: color(theme, i), width: 1.4 },
            emphasis: { disabled: true },
          })),
          bars(lines.flatMap(({ own, i }) => own.flatMap(({ p, x }) => (p.confidence && p.low !== null && p.high !== null ? [{ at: x, low: y(p.low), high: y(p.high), color: color(theme, i), width: 1 }] : []))), "y"),
        ],
      }) as Option,
    key: (theme) => keyOf(lines.map(({ target, i }) => ({ words: target, color: color(theme, i), form: "line" as const }))),
    table: () => ({
      columns: [{ name: "run" }, { name: "started" }, { name: "target" }, { name: "metric" }, columns.metric("value", 3), columns.metric("from", 3), columns.metric("to", 3), { name: "verdict" }],
      rows: points.map((p) => [p.path, p.started, p.target, metric, p.estimate, p.confidence ? p.low : null, p.confidence ? p.high : null, p.verdict]),
    }),
    stops: () => lines.flatMap(({ own }, series) => own.map(({ p }, index) => ({ series, index, words: `${format.when(p.started)}, ${p.target}: ${words(p)}, ${p.verdict}` }))),
  };
}

function mostFrequent(points: TrendPoint[]): string[] {
  const counts = new Map<string, number>();
  for (const p of points) counts.set(p.target, (counts.get(p.target) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, mostTargets).map(([target]) => target);
}

/** labels are the runs whose date is written, as many as there is room for. */
function labels(n: number, width: number): number[] {
  const every = Math.max(1, Math.ceil(n / Math.max(2, Math.floor(width / 110))));
  return Array.from({ length: Math.ceil(n / every) }, (_, i) => i * every);
}
