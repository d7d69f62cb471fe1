// How many I/Os took how long: a bar for each power of two, as biolatency draws them.

import * as format from "../format";
import type { TraceKind } from "../model";
import type { Theme } from "../theme";
import { columns, largest, linear, logarithmic, round, shortDuration, tip, tooltip } from "./common";
import type { Option } from "./echarts";
import type { Chart } from "./figure";
import { tiles } from "./shapes";

interface Count {
  from: number;
  to: number;
  ios: number;
}

/** low is where a bar begins: a logarithmic axis has no place for 0. */
const low = (b: Count): number => b.from || b.to / 2;

/** histogram draws the latencies of an operation; null where there are none. */
export function histogram(k: TraceKind, name: string, color: (t: Theme) => string): Chart | null {
  const list: Count[] = (k.bars ?? []).map((b) => ({ from: b.from ?? 0, to: b.to ?? 0, ios: b.ios }));
  if (list.length === 0) return null;
  const all = list.reduce((n, b) => n + b.ios, 0);
  const span = (b: Count) => `${format.duration(b.from)} to ${format.duration(b.to)}`;
  return {
    name: `${name}-histogram`,
    title: "Histogram of latencies",
    caption: "I/Os by latency; each bar is twice as wide as the one before it.",
    alt: `${list.map((b) => `${span(b)}: ${b.ios}`).join("; ")}.`,
    option: (t) =>
      ({
        grid: { left: 62, right: 18, top: 14, bottom: 48 },
        tooltip: tooltip(t, "item", ((p: { dataIndex: number }) => {
          const b = list[p.dataIndex];
          return b ? tip(span(b), [["I/Os", format.integer(b.ios)], ["of all", format.percent(b.ios / all)]]) : "";
        }) as never),
        xAxis: logarithmic(t, "x", { name: "latency (log scale)", show: shortDuration, min: low(list[0]!) / 1.02, max: list[list.length - 1]!.to * 1.02 }),
        yAxis: linear(t, "y", { name: "I/Os", whole: true, min: 0, ...round(largest(list.map((b) => b.ios))) }),
        series: [tiles(list.map((b) => ({ x: [low(b), b.to], y: [0, b.ios], color: color(t) })), 1)],
      }) as Option,
    table: () => ({
      columns: [columns.seconds("from"), columns.seconds("below"), columns.plain("I/Os"), { name: "share", show: format.percent }],
      rows: list.map((b) => [b.from, b.to, b.ios, Number((b.ios / all).toPrecision(4))]),
    }),
    stops: () => list.map((b, i) => ({ series: 0, index: i, words: `${span(b)}: ${format.integer(b.ios)} I/Os, ${format.percent(b.ios / all)}` })),
  };
}
