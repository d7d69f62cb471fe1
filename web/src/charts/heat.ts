// How many I/Os took how long, over time: what a percentile hides.

import { h } from "../dom";
import * as format from "../format";
import { plainName } from "../page/words";
import { columns, linear, logarithmic, shortDuration, tip, tooltip } from "./common";
import type { Option } from "./echarts";
import type { Chart } from "./figure";
import { shadeOf, tiles, type Tile } from "./shapes";
import { timeName, type Group, type Subject } from "./subject";
import type { Theme } from "../theme";

interface Cell {
  from: number;
  to: number;
  low: number;
  high: number;
  ios: number;
  share: number;
  moment: [number, number];
}

/** A share this small has the palest colour. */
const least = 1e-4;

/** A map of fewer columns or rows than these says no more than lines do. */
const fewestColumns = 12;
const fewestRows = 4;

/** Of a trace, which nobody can measure again, less is shown. */
const fewestWatched = 3;

/** heat draws the latency heatmap of one run's workload. */
export function heat(g: Group, s: Subject): Chart | null {
  const map = s.course.heat;
  if (!map?.cells?.length) return null;
  // Of a few columns, or of one narrow band, the percentiles over time tell all.
  if (new Set(map.cells.map(([x]) => x)).size < (g.watched ? fewestWatched : fewestColumns) || new Set(map.cells.map(([, y]) => y)).size < (g.watched ? fewestWatched : fewestRows)) return null;
  const cells = cellsOf(s);
  const low = map.bounds[0]!;
  const high = map.bounds[map.bounds.length - 1]!;
  const shade = (c: Cell) => 1 - Math.log(Math.max(c.share, least)) / Math.log(least);
  return {
    name: `${plainName(g.name)}-heat${s.runs > 1 ? `-${s.run + 1}` : ""}`,
    title: `Latency heatmap${s.runs > 1 ? ` of ${s.label}` : ""}`,
    caption: "Each column is a stretch of time; the darker a cell, the larger the share of its I/Os that took so long.",
    alt: `${g.name}: latencies from ${format.duration(low)} to ${format.duration(high)}.`,
    option: (t) =>
      ({
        grid: { left: 66, right: 18, top: 14, bottom: 48 },
        tooltip: tooltip(t, "item", ((p: { dataIndex: number }) => {
          const c = cells[p.dataIndex];
          if (!c) return "";
          return tip(`${format.duration(c.low)} to ${format.duration(c.high)}`, [
            ["I/Os", format.integer(c.ios)],
            ["of this column", format.percent(c.share)],
            [g.watched ? "time" : "run time", `${c.moment[0].toFixed(0)} to ${c.moment[1].toFixed(0)} s`],
          ]);
        }) as never),
        xAxis: linear(t, "x", { name: timeName(g), min: 0, max: s.clock.length }),
        yAxis: logarithmic(t, "y", { name: "latency (log scale)", show: shortDuration, gap: 58, min: low / 1.02, max: high * 1.02 }),
        series: [tiles(cells.map((c): Tile => ({ x: [c.from, c.to], y: [c.low, c.high], color: shadeOf(t, shade(c)) })), 0)],
      }) as Option,
    key: (t) => scaleKey(t, "0.01% of a column's I/Os", "all of them"),
    table: () => ({
      columns: [columns.clock("from"), columns.clock("to"), columns.seconds("latency from"), columns.seconds("latency to"), columns.plain("I/Os"), { name: "share", show: format.percent }],
      rows: cells.map((c) => [c.moment[0], c.moment[1], c.low, c.high, c.ios, Number(c.share.toPrecision(4))]),
    }),
    stops: () => cells.map((c, i) => ({ series: 0, index: i, words: `${c.moment[0].toFixed(0)} to ${c.moment[1].toFixed(0)} s, ${format.duration(c.low)} to ${format.duration(c.high)}: ${format.percent(c.share)}` })),
  };
}

function cellsOf(s: Subject): Cell[] {
  const map = s.course.heat!;
  const sums = new Map<number, number>();
  for (const [x, , n] of map.cells ?? []) sums.set(x, (sums.get(x) ?? 0) + n);
  const own = (moment: number) => {
    const i = s.clock.spans.findIndex((p) => moment >= p.ramp - 0.01 && moment <= p.end + 0.01);
    return s.clock.own(Math.max(0, i), moment);
  };
  return (map.cells ?? []).map(([x, y, ios]) => {
    const [begin, end] = [map.from[x]!, map.times[x]!];
    return { from: own(begin + 0.02), to: own(end - 0.02), low: map.bounds[y]!, high: map.bounds[y + 1]!, ios, share: ios / sums.get(x)!, moment: [begin, end] };
  });
}

/** scaleKey shows the colours from few to many. */
export function scaleKey(t: Theme, few: string, many: string): HTMLElement {
  const strip = h("span", { class: "strip", "aria-hidden": "true" });
  strip.style.background = `linear-gradient(to right, ${t.heat.join(", ")})`;
  return h("div", { class: "key" }, few, strip, many);
}

