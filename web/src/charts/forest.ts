// A comparison as a forest: the change of each row with its interval, and the margin
// within which a change is none.

import * as format from "../format";
import type { Change, Comparison, Row } from "../model";
import { metricWords, flowName, placeName, plainName } from "../page/words";
import { changeSign, changeTone, type Theme } from "../theme";
import { columns, keyOf, tip, tooltip, type KeyItem } from "./common";
import type { Option } from "./echarts";
import type { Chart } from "./figure";
import { heightOf, rowAxis, rowGrid } from "./rows";
import { bars, tiles } from "./shapes";

/** toneOf is the colour of a verdict on a change. */
export function toneOf(t: Theme, change: Change): string {
  return { good: t.good, bad: t.bad, unsure: t.unsure, plain: t.faint }[changeTone[change]];
}

const marks: Record<Change, string> = { better: "triangle", worse: "path://M0,0L10,0L5,9Z", same: "rect", unclear: "circle", unusable: "path://M0,1L1,0L5,4L9,0L10,1L6,5L10,9L9,10L5,6L1,10L0,9L4,5Z" };

/** The signs of marks that are drawn as shapes. */
const drawnSign: Partial<Record<Change, string>> = { same: "■", unclear: "●" };

/** forest draws the rows of a comparison that have a ratio. */
export function forest(c: Comparison, nth: number, [a, b]: [string, string]): Chart | null {
  const rows = c.rows.filter((r) => r.ratio.estimate !== null && r.ratio.estimate > 0);
  if (rows.length === 0) return null;
  const names = rows.map((r) => `${flowName(r.workload, r.direction, c.rows)} ${short[r.metric] ?? r.metric}`);
  const { min, max, ticks: all } = rangeOf(rows);
  // Narrow drawings have the ends of the axis and no change between them.
  const some = [all[0]!, 1, all[all.length - 1]!];
  const low = (r: Row) => (r.ratio.confidence && r.ratio.low !== null ? Math.max(r.ratio.low, min) : r.ratio.estimate!);
  const high = (r: Row) => (r.ratio.confidence && r.ratio.high !== null ? Math.min(r.ratio.high, max) : r.ratio.estimate!);
  return {
    name: `forest-${nth + 1}-${plainName(placeName(c.b.target))}`,
    title: `Change from ${a} to ${b}`,
    caption: "Each mark is a change, the line its interval; the shaded strip is the margin within which a change counts as none. For latencies less is better.",
    alt: `${rows.map((r, i) => `${names[i]} ${format.change(r.ratio.estimate)} ${r.verdict}`).join("; ")}.`,
    height: heightOf(rows.length),
    wide: true,
    option: (t, width) =>
      ({
        grid: rowGrid(names, width),
        tooltip: tooltip(t, "item", ((p: { seriesIndex: number; dataIndex: number }) => (p.seriesIndex === 2 ? tipOf(rows[p.dataIndex]!, names[p.dataIndex]!, [a, b], t) : "")) as never),
        xAxis: {
          type: "log",
          min,
          max,
          name: `change from ${a} to ${b} (%)`,
          nameLocation: "middle",
          nameGap: 30,
          nameTextStyle: { color: t.faint, fontSize: 12 },
          axisLine: { show: true, onZero: false, lineStyle: { color: t.faint } },
          axisTick: { customValues: width < 500 ? some : all },
          axisLabel: { color: t.faint, fontSize: 11, customValues: width < 500 ? some : all, hideOverlap: true, formatter: (v: number) => format.change(v) },
          splitLine: { show: true, lineStyle: { color: t.line } },
        },
        yAxis: rowAxis(t, names, width),
        series: [
          tiles(rows.map((r, i) => ({ x: [1 - r.margin, 1 / (1 - r.margin)], y: [i + 0.5, i - 0.5], color: t.ramp })), 0, { silent: true, z: 1 }),
          bars(rows.map((r, i) => ({ at: i, low: low(r), high: high(r), color: toneOf(t, r.verdict), width: 2 })), "x"),
          {
            type: "scatter",
            z: 5,
            symbolSize: 11,
            data: rows.map((r, i) => ({ value: [Math.min(max, Math.max(min, r.ratio.estimate!)), i], symbol: marks[r.verdict], itemStyle: { color: toneOf(t, r.verdict), borderColor: toneOf(t, r.verdict) } })),
            markLine: { silent: true, symbol: "none", animation: false, label: { show: false }, lineStyle: { color: t.text, type: "solid", width: 1 }, data: [{ xAxis: 1 }] },
          },
        ],
      }) as Option,
    key: (t) => {
      const seen = (["better", "worse", "same", "unclear", "unusable"] as const).filter((v) => rows.some((r) => r.verdict === v));
      const items: KeyItem[] = seen.map((v) => ({ words: v, sign: drawnSign[v] ?? changeSign[v], color: toneOf(t, v), form: "mark" }));
      return keyOf([...items, { words: "margin: no change that counts", color: t.ramp, form: "area" }]);
    },
    table: () => ({
      columns: [
        { name: "workload" },
        { name: "metric" },
        columns.metric(a, 1),
        columns.metric(b, 1),
        { name: `${b} / ${a}`, show: format.change },
        { name: "from", show: format.change },
        { name: "to", show: format.change },
        { name: "p (adjusted)", show: (v) => (v < 0.001 ? "< 0.001" : v.toPrecision(2)) },
        { name: "blocks" },
        { name: "verdict" },
      ],
      rows: c.rows.map((r) => [flowName(r.workload, r.direction, c.rows), r.metric, r.a.estimate, r.b.estimate, r.ratio.estimate, r.ratio.low, r.ratio.high, r.adjusted_p, r.blocks, r.verdict]),
    }),
    stops: () => rows.map((r, i) => ({ series: 2, index: i, words: `${names[i]}: ${format.change(r.ratio.estimate)}, ${intervalOf(r)}, ${r.verdict}` })),
  };
}

const short: Partial<Record<Row["metric"], string>> = { iops: "IOPS", latency: "mean" };

/** intervalOf writes the interval of a change: "[+20%, +27%]". */
export function intervalOf(r: Row): string {
  return r.ratio.confidence ? `[${format.change(r.ratio.low)}, ${format.change(r.ratio.high)}]` : "no interval";
}

function tipOf(r: Row, name: string, [a, b]: [string, string], t: Theme): HTMLElement {
  return tip(name, [
    ["metric", metricWords[r.metric]],
    [a, `${format.metric(r.metric, r.a.estimate)} ${format.interval(r.metric, r.a)}`],
    [b, `${format.metric(r.metric, r.b.estimate)} ${format.interval(r.metric, r.b)}`],
    ["change", format.change(r.ratio.estimate)],
    ["interval", intervalOf(r)],
    ["verdict", `${changeSign[r.verdict]} ${r.verdict}`, toneOf(t, r.verdict)],
  ]);
}

const more = [1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000];
const less = [0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001];

/** rangeOf is symmetric about no change; what lies ten times farther out than every estimate is cut off. */
function rangeOf(rows: Row[]): { min: number; max: number; ticks: number[] } {
  const far = (v: number | null) => (v !== null && v > 0 && Number.isFinite(v) ? Math.abs(Math.log(v)) : 0);
  const center = Math.max(...rows.map((r) => far(r.ratio.estimate)));
  const most = Math.min(Math.max(...rows.flatMap((r) => [far(r.ratio.low), far(r.ratio.high), center, r.margin * 1.3])), center + Math.log(10));
  const max = Math.exp(most * 1.06);
  const ticks = [...less.filter((v) => v > 1 / max).slice(-4).reverse(), 1, ...more.filter((v) => v < max).slice(-4)];
  return { min: 1 / max, max, ticks };
}
