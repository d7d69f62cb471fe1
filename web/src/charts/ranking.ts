// A ranking as rows: every test has one, with a dot for each system at its share of the
// best, and the interval where the source has one.

import * as format from "../format";
import type { Metric, RankEntry, Ranking, RankRow } from "../model";
import { mark, type Theme } from "../theme";
import { columns, keyOf, round, tip, tooltip, type KeyItem } from "./common";
import type { Option } from "./echarts";
import type { Chart } from "./figure";
import { below, heightOf, rowAxis, rowGrid } from "./rows";
import { bars } from "./shapes";

/** rowName is a test's name in its group; the direction only where the name is not enough. */
export function rowName(k: Ranking, r: RankRow): string {
  const several = (k.rows ?? []).some((o) => o.group === r.group && o.workload === r.workload && o.direction !== r.direction);
  return r.workload.slice(r.workload.lastIndexOf("/") + 1) + (several ? ` ${r.direction}` : "");
}

/** fullName is a test's name among all: with its group, unless the name begins with that, and with its metric where two are alike. */
function fullName(k: Ranking, r: RankRow, all: RankRow[]): string {
  const name = (o: RankRow) => {
    const own = rowName(k, o);
    return o.group && !own.toLowerCase().startsWith(o.group.toLowerCase()) ? `${o.group} ${own}` : own;
  };
  return all.some((o) => o !== r && name(o) === name(r)) ? `${name(r)} ${r.metric}` : name(r);
}

/** lower tells metrics of which less is better. */
const lower = (m: Metric): boolean => m === "latency" || m === "elapsed" || m.startsWith("p");

interface Dot {
  row: number;
  r: RankRow;
  e: RankEntry;
  /** Shares of the best, in percent. */
  at: number;
  low: number;
  high: number;
}

/** rankingChart draws all tests; null where no two systems can be held against each other. */
export function rankingChart(k: Ranking, nth: number): Chart | null {
  const rows = (k.rows ?? []).filter((r) => usable(r).length > 1);
  if (rows.length === 0) return null;
  const names = rows.map((r) => fullName(k, r, rows));
  const dots = rows.flatMap(dotsOf);
  const system = (e: RankEntry) => k.systems?.[e.system]?.name ?? "";
  const words = (d: Dot) => `${format.metric(d.r.metric, d.e.estimate.estimate, d.r.direction)} ${format.interval(d.r.metric, d.e.estimate, d.r.direction)}`.replace(/ –$/, ", no interval");
  const seen = [...new Set(dots.map((d) => d.e.system))].sort((a, b) => a - b);
  const most = Math.max(...dots.map((d) => d.high));
  const ends = most > 105 ? round(Math.min(200, most)) : { max: 105, interval: 20 };
  return {
    name: `ranking-${nth + 1}`,
    title: "Every system against the best, test by test",
    caption: "Farther to the right is better, of latencies and times too: 50% is half as fast as the best, or takes twice as long. Lines are intervals; a mark without one is a single number.",
    alt: `${rows.map((r, i) => `${names[i]}: ${usable(r).map((e) => `${system(e)} ${format.metric(r.metric, e.estimate.estimate, r.direction)}`).join(", ")}`).join("; ")}.`,
    height: heightOf(rows.length),
    wide: true,
    keyAbove: true,
    option: (t, width) =>
      ({
        grid: rowGrid(names, width),
        tooltip: tooltip(t, "item", ((p: { seriesIndex: number; dataIndex: number }) => {
          const d = p.seriesIndex === 1 ? dots[p.dataIndex] : undefined;
          return d ? tip(names[d.row]!, [...dots.filter((o) => o.row === d.row).map((o): [string, string, string] => [system(o.e), `${words(o)} (${format.percent(o.at / 100)})`, colorOf(t, o.e.system)])]) : "";
        }) as never),
        xAxis: below(t, { name: "share of the best (%)", min: 0, ...ends, show: (v) => `${v}%` }),
        yAxis: rowAxis(t, names, width),
        series: [
          bars(dots.filter((d) => d.high > d.low).map((d) => ({ at: d.row, low: d.low, high: Math.min(d.high, ends.max), color: colorOf(t, d.e.system), width: 2 })), "x"),
          {
            type: "scatter",
            z: 5,
            symbolSize: 11,
            data: dots.map((d) => ({ value: [d.at, d.row], symbol: mark(d.e.system), itemStyle: { color: colorOf(t, d.e.system), opacity: 0.85 } })),
            markLine: { silent: true, symbol: "none", animation: false, label: { show: false }, lineStyle: { color: t.faint, type: "solid", width: 1 }, data: [{ xAxis: 100 }] },
          },
        ],
      }) as Option,
    key: (t) => keyOf(seen.map((s): KeyItem => ({ words: k.systems?.[s]?.name ?? "", mark: s, color: colorOf(t, s), form: "mark" }))),
    table: () => ({
      columns: [{ name: "test" }, { name: "metric" }, { name: "system" }, columns.metric("value", 1), columns.metric("from", 1), columns.metric("to", 1), { name: "share of the best (%)", show: (v) => format.percent(v / 100) }],
      rows: dots.map((d) => [names[d.row]!, d.r.metric, system(d.e), d.e.estimate.estimate, d.e.estimate.confidence ? d.e.estimate.low : null, d.e.estimate.confidence ? d.e.estimate.high : null, Number(d.at.toPrecision(4))]),
    }),
    stops: () => dots.map((d, index) => ({ series: 1, index, words: `${names[d.row]}, ${system(d.e)}: ${words(d)}, ${format.percent(d.at / 100)} of the best` })),
  };
}

const colorOf = (t: Theme, system: number): string => t.runs[system % t.runs.length]!;

const usable = (r: RankRow): RankEntry[] => (r.entries ?? []).filter((e) => e.trust !== "invalid" && (e.estimate.estimate ?? 0) > 0);

function dotsOf(r: RankRow, row: number): Dot[] {
  const list = usable(r);
  const values = list.map((e) => e.estimate.estimate!);
  const less = lower(r.metric);
  const best = less ? Math.min(...values) : Math.max(...values);
  const share = (v: number | null) => (v !== null && v > 0 ? (100 * (less ? best / v : v / best)) : 0);
  return list.map((e) => {
    const at = share(e.estimate.estimate);
    const ends = e.estimate.confidence ? [share(e.estimate.low), share(e.estimate.high)] : [at, at];
    return { row, r, e, at, low: Math.min(...ends), high: Math.max(...ends) };
  });
}
