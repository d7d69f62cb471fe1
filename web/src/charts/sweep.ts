// A closed-loop sweep: the latency that each rate costs, and depth × block size as a map.

import * as format from "../format";
import type { Direction, Metric, Report, SweepPoint } from "../model";
import { plainName } from "../page/words";
import { dash, mark, verdictSign, type Theme } from "../theme";
import { columns, keyOf, largest, linear, logarithmic, logRange, metricAxis, round, shortDuration, tip, tooltip, unitFor, type TipLine } from "./common";
import type { Option } from "./echarts";
import type { Chart, Table } from "./figure";
import { scaleKey } from "./heat";
import { bars, inkOn, shadeOf, tiles } from "./shapes";

/** gridCharts draws a sweep of depth × block size × jobs: the charts of each direction. */
export function gridCharts(report: Report, suffix = ""): (Chart | null)[][] {
  const points = report.sweep?.points ?? [];
  const directions = unique(points.map((p) => p.direction));
  return directions.map((d) => {
    const own = points.filter((p) => p.direction === d);
    const name = `sweep-${plainName(report.sweep!.base)}-${d}${suffix}`;
    const words = directions.length > 1 ? ` (${d})` : "";
    return [curve(own, name, words, d), ...maps(own, name, words)];
  });
}

const unique = <T>(list: T[]): T[] => [...new Set(list)];
const value = (v: number | null | undefined): number | null => (v !== null && v !== undefined && v > 0 && Number.isFinite(v) ? v : null);

interface Line {
  words: string;
  points: SweepPoint[];
}

/** linesOf has one line for each block size and number of jobs, along the depth. */
function linesOf(points: SweepPoint[]): Line[] {
  const jobs = unique(points.map((p) => p.jobs));
  const keys = unique(points.map((p) => `${p.block_size}/${p.jobs}`));
  return keys
    .map((k) => points.filter((p) => `${p.block_size}/${p.jobs}` === k).sort((a, b) => a.depth - b.depth))
    .sort((a, b) => a[0]!.block_size - b[0]!.block_size || a[0]!.jobs - b[0]!.jobs)
    .map((own) => ({ words: format.block(own[0]!.block_size) + (jobs.length > 1 ? `, ${format.count(own[0]!.jobs, "job")}` : ""), points: own }));
}

/** colorAt goes from pale to strong with the block size; one line alone has its direction's colour. */
function colorAt(t: Theme, i: number, n: number, d: Direction): string {
  return n === 1 ? t.direction[d] : shadeOf(t, 0.55 + (0.45 * i) / (n - 1));
}

/** No axis reaches farther from an estimate than this factor. */
const farthest = 10;

/** curve draws the latency against the rate, one line per block size, along the depth. */
function curve(points: SweepPoint[], name: string, words: string, d: Direction): Chart | null {
  const metric: "p99" | "mean" = points.some((p) => value(p.p99?.estimate)) ? "p99" : "mean";
  const y = (p: SweepPoint) => value(p[metric]?.estimate);
  const lines = linesOf(points.filter((p) => value(p.iops.estimate) && y(p)));
  if (lines.length === 0) return null;
  const all = lines.flatMap((l) => l.points);
  // The axes reach as far as the intervals do, unless one is far wider than all that was measured.
  const ends = (e: SweepPoint["iops"] | undefined) => (e?.estimate ? [e.estimate, ...(e.confidence ? [Math.max(value(e.low) ?? 0, e.estimate / farthest), Math.min(e.high ?? Infinity, e.estimate * farthest)] : [])] : []);
  const rates = all.flatMap((p) => ends(p.iops));
  const wide = Math.max(...rates) / Math.min(...rates) > 20;
  const axis = { name: `IOPS${wide ? " (log scale)" : ""}` };
  return {
    name: `${name}-curve`,
    title: `Latency against throughput${words}`,
    caption: `One line for each block size, with a mark for each depth, labeled with the depth: where a line turns upwards, more depth costs latency and brings little. Lines along both axes are intervals.`,
    alt: lines.map((l) => `${l.words}: from ${pointWords(l.points[0]!, metric)} to ${pointWords(l.points[l.points.length - 1]!, metric)}`).join("; ") + ".",
    height: 380,
    wide: true,
    option: (t, width) =>
      ({
        grid: { left: 66, right: width > 500 ? 48 : 30, top: 22, bottom: 48 },
        tooltip: tooltip(t, "item", ((p: { seriesIndex: number; dataIndex: number }) => {
          const at = lines[p.seriesIndex]?.points[p.dataIndex];
          return at ? tip(cellName(at), tipLines(at)) : "";
        }) as never),
        xAxis: wide ? logarithmic(t, "x", { ...axis, ...logRange(rates) }) : linear(t, "x", { ...axis, min: 0, ...round(Math.max(...rates) * 1.03) }),
        yAxis: logarithmic(t, "y", { name: `${metric} latency (log scale)`, show: shortDuration, gap: 58, ...logRange(all.flatMap((p) => ends(p[metric]))) }),
        series: [
          ...lines.map((l, i) => {
            const color = colorAt(t, i, lines.length, d);
            return {
              type: "line",
              name: l.words,
              data: l.points.map((p) => ({ value: [p.iops.estimate, y(p)], itemStyle: p.verdict === "valid" ? { color } : { color: t.paper, borderColor: color, borderWidth: 2 } })),
              symbol: mark(i),
              symbolSize: 9,
              showSymbol: true,
              itemStyle: { color },
              lineStyle: { color, width: 2, type: dash(i) },
              label: { show: true, position: "right", distance: width > 500 ? 3 : 2, offset: [0, 9], color: t.text, fontSize: width > 500 ? 10 : 9, textBorderColor: t.paper, textBorderWidth: 3, formatter: (q: { dataIndex: number }) => String(l.points[q.dataIndex]!.depth) },
              // A number that finds no room at the right goes above its mark, rather than away.
              labelLayout: { moveOverlap: "shiftY" },
              emphasis: { disabled: true },
            };
          }),
          ...lines.map((l, i) => bars(l.points.flatMap((p) => (p[metric]?.confidence ? [{ at: p.iops.estimate!, low: p[metric]!.low!, high: p[metric]!.high!, color: colorAt(t, i, lines.length, d), width: 1 }] : [])), "y")),
          ...lines.map((l, i) => bars(l.points.flatMap((p) => (p.iops.confidence ? [{ at: y(p)!, low: p.iops.low!, high: p.iops.high!, color: colorAt(t, i, lines.length, d), width: 1 }] : [])), "x")),
        ],
      }) as Option,
    key: (t) => {
      const items = lines.map((l, i) => ({ words: l.words, color: colorAt(t, i, lines.length, d), form: dash(i) === "solid" ? ("line" as const) : ("dashed" as const) }));
      const doubtful = all.some((p) => p.verdict !== "valid");
      return keyOf(doubtful ? [...items, { words: "hollow: suspect or invalid", color: t.faint, form: "ring" }] : items);
    },
    table: () => sweepTable(points),
    stops: () => lines.flatMap((l, series) => l.points.map((p, index) => ({ series, index, words: `${cellName(p)}: ${pointWords(p, metric)}` }))),
  };
}

const pointWords = (p: SweepPoint, metric: "p99" | "mean"): string => `${format.metric("iops", p.iops.estimate)} at ${metric} ${format.metric(metric === "mean" ? "latency" : metric, p[metric]?.estimate)}`;
export const cellName = (p: SweepPoint): string => `${format.block(p.block_size)}, depth ${p.depth}${p.jobs > 1 ? `, ${p.jobs} jobs` : ""}`;

/** tipLines are all the numbers of a point. */
export function tipLines(p: SweepPoint): TipLine[] {
  const lines: TipLine[] = [["rate", `${format.metric("iops", p.iops.estimate)} ${format.interval("iops", p.iops)}`], ["bandwidth", format.metric("bandwidth", p.bandwidth.estimate)]];
  for (const key of ["mean", "p50", "p99", "p99.9"] as const) if (p[key]) lines.push([key, `${format.metric(key === "mean" ? "latency" : key, p[key].estimate)} ${format.interval(key === "mean" ? "latency" : key, p[key])}`]);
  lines.push(["verdict", `${verdictSign[p.verdict]} ${p.verdict}`]);
  return lines;
}

/** sweepTable has a row for each point. */
export function sweepTable(points: SweepPoint[]): Table {
  const open = points.some((p) => p.offered);
  return {
    columns: [
      { name: "block size", unit: "B", show: format.block },
      ...(open ? [columns.rate("offered"), { name: "of capacity", show: format.percent }] : [{ name: "depth" }, { name: "jobs" }]),
      columns.rate("rate"),
      columns.rate("from"),
      columns.rate("to"),
      columns.bandwidth("bandwidth"),
      columns.seconds("mean"),
      columns.seconds("p50"),
      columns.seconds("p99"),
      columns.seconds("p99.9"),
      { name: "verdict" },
    ],
    rows: points.map((p) => [
      p.block_size,
      ...(open ? [p.offered ?? null, p.fraction ?? null] : [p.depth, p.jobs]),
      p.iops.estimate,
      p.iops.low,
      p.iops.high,
      p.bandwidth.estimate,
      ...(["mean", "p50", "p99", "p99.9"] as const).map((k) => p[k]?.estimate ?? null),
      p.verdict,
    ]),
  };
}

const mapped: [metric: Metric, title: string][] = [["iops", "IOPS"], ["bandwidth", "Bandwidth"], ["p99", "p99 latency"]];

/** maps draws depth × block size, one map for each metric and number of jobs. */
function maps(points: SweepPoint[], name: string, words: string): (Chart | null)[] {
  const jobs = unique(points.map((p) => p.jobs)).sort((a, b) => a - b);
  const several = unique(points.map((p) => p.depth)).length > 1 && unique(points.map((p) => p.block_size)).length > 1;
  if (!several) return [];
  return jobs.flatMap((j) => {
    const own = points.filter((p) => p.jobs === j);
    const of = jobs.length > 1 ? `, ${format.count(j, "job")}` : "";
    return mapped.map(([metric, title]) => map(own, metric, `${title} by depth and block size${of}${words}`, `${name}-${j}-${metric === "p99" ? "p99" : metric}`));
  });
}

function map(points: SweepPoint[], metric: Metric, title: string, name: string): Chart | null {
  const of = (p: SweepPoint) => value((p as unknown as Record<string, { estimate: number | null } | undefined>)[metric]?.estimate);
  const cells = points.filter((p) => of(p));
  if (cells.length < 2) return null;
  const depths = unique(points.map((p) => p.depth)).sort((a, b) => a - b);
  const sizes = unique(points.map((p) => p.block_size)).sort((a, b) => a - b);
  const [low, high] = [Math.min(...cells.map((p) => of(p)!)), Math.max(...cells.map((p) => of(p)!))];
  const share = (v: number) => (high > low ? Math.log(v / low) / Math.log(high / low) : 0.5);
  const unit = unitFor(metric, largest([high]));
  const show = (v: number) => (metric === "iops" ? format.rate(v) : metric === "bandwidth" ? format.three(v / unit.by) : format.metric(metric, v));
  const words = (p: SweepPoint) => `${cellName(p)}: ${format.metric(metric, of(p))}`;
  return {
    name,
    title,
    caption: `${metric === "p99" ? "p99 latency" : sentenceCase(metricAxis(metric, unit))} in each cell; the stronger the color, the larger, on a logarithmic scale.${cells.length < points.length ? " A dash: too few I/Os to tell." : ""}`,
    alt: `The largest at ${words(cells.reduce((a, b) => (of(b)! > of(a)! ? b : a)))}, the smallest at ${words(cells.reduce((a, b) => (of(b)! < of(a)! ? b : a)))}.`,
    height: sizes.length * 36 + 70,
    option: (t) =>
      ({
        grid: { left: 62, right: 12, top: 10, bottom: 50 },
        tooltip: tooltip(t, "item", ((p: { dataIndex: number }) => {
          const at = cells[p.dataIndex];
          return at ? tip(cellName(at), tipLines(at)) : "";
        }) as never),
        xAxis: steps(t, "x", "depth (I/Os in flight)", depths.map(String)),
        yAxis: steps(t, "y", "block size (bytes)", sizes.map(format.block)),
        series: [
          tiles(
            cells.map((p) => {
              const [x, y, s] = [depths.indexOf(p.depth), sizes.indexOf(p.block_size), share(of(p)!)];
              return { x: [x - 0.5, x + 0.5], y: [y - 0.5, y + 0.5], color: shadeOf(t, s), text: show(of(p)!) + (p.verdict === "valid" ? "" : ` ${verdictSign[p.verdict]}`), textColor: inkOn(t, s) };
            }),
            2,
          ),
          tiles(
            points.filter((p) => !of(p)).map((p) => {
              const [x, y] = [depths.indexOf(p.depth), sizes.indexOf(p.block_size)];
              return { x: [x - 0.5, x + 0.5], y: [y - 0.5, y + 0.5], color: t.stripe, text: "–", textColor: t.faint };
            }),
            2,
            { silent: true },
          ),
        ],
      }) as Option,
    key: (t) => scaleKey(t, format.metric(metric, low), format.metric(metric, high)),
    table: () => sweepTable(points),
    stops: () => cells.map((p, index) => ({ series: 0, index, words: words(p) })),
  };
}

const sentenceCase = (words: string): string => words[0]!.toUpperCase() + words.slice(1);

/** steps is an axis of names with equal room each. */
function steps(t: Theme, at: "x" | "y", name: string, names: string[]): object {
  const words = { name, min: -0.5, max: names.length - 0.5, gap: at === "y" ? 44 : 30, show: (v: number) => names[Math.round(v)] ?? "" };
  const axis = linear(t, at, words) as { axisLabel: object };
  const customValues = names.map((_, i) => i);
  return { ...axis, splitLine: { show: false }, axisLine: { show: false }, axisTick: { show: false }, axisLabel: { ...axis.axisLabel, customValues, showMaxLabel: true } };
}
