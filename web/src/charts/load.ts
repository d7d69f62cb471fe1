// Latency against the offered rate in an open loop, its knee, and what was achieved.

import * as format from "../format";
import type { Num, Report, SweepPoint } from "../model";
import { plainName } from "../page/words";
import { columns, keyOf, round, sentence, linear, logarithmic, logRange, shortDuration, tip, tooltip } from "./common";
import type { Option } from "./echarts";
import type { Chart } from "./figure";
import { bars } from "./shapes";
import { sweepTable, tipLines } from "./sweep";

const drawn = [
  { key: "p50", dash: "solid", width: 1.2, mark: "circle" },
  { key: "p99", dash: "solid", width: 2.4, mark: "rect" },
  { key: "p99.9", dash: [2, 3], width: 1.8, mark: "triangle" },
] as const;

/** loadCharts draws a sweep over offered rates. */
export function loadCharts(report: Report, suffix = ""): (Chart | null)[] {
  const sweep = report.sweep!;
  const points = (sweep.points ?? []).filter((p) => p.offered).sort((a, b) => a.offered! - b.offered!);
  if (points.length === 0) return [];
  return [latency(report, points, suffix), achieved(report, points, suffix)];
}

const title = (p: SweepPoint) => `${format.metric("iops", p.offered!)} offered${p.fraction ? `, ${format.percent(p.fraction)} of the capacity` : ""}`;
const end = (points: SweepPoint[], more: Num = 0) => round(Math.max(more ?? 0, ...points.map((p) => p.offered!)) * 1.02);

function upright(x: number, words: string, color: string, above: boolean): object {
  return { xAxis: x, label: { show: true, formatter: words, color, fontSize: 11, position: above ? "insideEndTop" : "insideStartBottom", rotate: 90 }, lineStyle: { color, type: "dashed", width: 1.5 } };
}

function latency(report: Report, points: SweepPoint[], suffix: string): Chart {
  const { knee, capacity, base } = report.sweep!;
  const shown = drawn.filter((d) => points.some((p) => p[d.key]?.estimate));
  const direction = points[0]!.direction;
  const all = points.flatMap((p) => shown.flatMap((d) => [p[d.key]?.estimate, p[d.key]?.confidence ? p[d.key]!.high : null])).map((v) => v ?? null);
  return {
    name: `load-${plainName(base)}-latency${suffix}`,
    title: "Latency against offered rate",
    caption: `Open loop: I/Os begin when they are due, and latency counts from then.${knee ? ` ${sentence(knee.why)}` : ""}`,
    alt: points.map((p) => `${title(p)}: ${shown.map((d) => `${d.key} ${format.seconds(p[d.key]?.estimate)}`).join(", ")}`).join("; ") + ".",
    height: 360,
    option: (t) => {
      const color = t.direction[direction];
      const lines = [...(knee ? [upright(knee.offered, knee.beyond ? "knee" : "no knee up to here", t.good, true)] : []), ...(capacity?.estimate ? [upright(capacity.estimate, "closed-loop capacity", t.faint, false)] : [])];
      return {
        grid: { left: 66, right: 22, top: 14, bottom: 48 },
        tooltip: tooltip(t, "item", ((p: { seriesIndex: number; dataIndex: number }) => {
          const at = points[p.dataIndex];
          return at && p.seriesIndex < shown.length ? tip(title(at), tipLines(at)) : "";
        }) as never),
        xAxis: linear(t, "x", { name: "offered rate (IOPS)", min: 0, ...end(points, capacity?.estimate) }),
        yAxis: logarithmic(t, "y", { name: "latency (log scale)", show: shortDuration, gap: 58, ...logRange(all) }),
        series: [
          ...shown.map((d, i) => ({
            type: "line",
            name: d.key,
            data: points.map((p) => [p.offered, p[d.key]?.estimate ?? null]),
            symbol: d.mark,
            symbolSize: 8,
            showSymbol: true,
            itemStyle: { color },
            lineStyle: { color, width: d.width, type: d.dash },
            emphasis: { disabled: true },
            ...(i === 0 ? { markLine: { silent: true, symbol: "none", animation: false, data: lines } } : {}),
          })),
          ...shown.map((d) => bars(points.flatMap((p) => (p[d.key]?.confidence ? [{ at: p.offered!, low: p[d.key]!.low!, high: p[d.key]!.high!, color, width: 1 }] : [])), "y")),
        ],
      } as Option;
    },
    key: (t) => keyOf(shown.map((d) => ({ words: d.key, color: t.direction[direction], form: d.key === "p50" ? "thin" : d.key === "p99" ? "thick" : "dotted" }))),
    table: () => sweepTable(points),
    stops: () => points.map((p, index) => ({ series: Math.max(0, shown.findIndex((d) => d.key === "p99")), index, words: `${title(p)}: p99 ${format.seconds(p.p99?.estimate)}` })),
  };
}

function achieved(report: Report, points: SweepPoint[], suffix: string): Chart {
  const { base, capacity } = report.sweep!;
  const ends = end(points, capacity?.estimate);
  const direction = points[0]!.direction;
  return {
    name: `load-${plainName(base)}-achieved${suffix}`,
    title: "Achieved against offered rate",
    caption: "On the dashed line everything that was due was done; below it, work piles up.",
    alt: points.map((p) => `${title(p)}: ${format.metric("iops", p.iops.estimate)} achieved`).join("; ") + ".",
    height: 360,
    option: (t) =>
      ({
        grid: { left: 62, right: 22, top: 14, bottom: 48 },
        tooltip: tooltip(t, "item", ((p: { seriesIndex: number; dataIndex: number }) => {
          const at = points[p.dataIndex];
          return at && p.seriesIndex === 1 ? tip(title(at), tipLines(at)) : "";
        }) as never),
        xAxis: linear(t, "x", { name: "offered rate (IOPS)", min: 0, ...ends }),
        yAxis: linear(t, "y", { name: "achieved rate (IOPS)", min: 0, ...ends }),
        series: [
          { type: "line", silent: true, symbol: "none", data: [[0, 0], [ends.max, ends.max]], lineStyle: { color: t.faint, type: "dashed", width: 1.2 }, emphasis: { disabled: true } },
          { type: "line", data: points.map((p) => [p.offered, p.iops.estimate]), symbol: "circle", symbolSize: 9, showSymbol: true, itemStyle: { color: t.direction[direction] }, lineStyle: { color: t.direction[direction], width: 2 }, emphasis: { disabled: true } },
          bars(points.flatMap((p) => (p.iops.confidence ? [{ at: p.offered!, low: p.iops.low!, high: p.iops.high!, color: t.direction[direction] }] : [])), "y"),
        ],
      }) as Option,
    key: (t) => keyOf([{ words: "achieved", color: t.direction[direction], form: "line" }, { words: "all that was due", color: t.faint, form: "dashed" }]),
    table: () => ({
      columns: [columns.rate("offered"), columns.rate("achieved"), columns.rate("from"), columns.rate("to"), { name: "achieved share", show: format.percent }],
      rows: points.map((p) => [p.offered!, p.iops.estimate, p.iops.low, p.iops.high, Number(((p.iops.estimate ?? 0) / p.offered!).toPrecision(4))]),
    }),
    stops: () => points.map((p, index) => ({ series: 1, index, words: `${title(p)}: ${format.metric("iops", p.iops.estimate)} achieved` })),
  };
}
