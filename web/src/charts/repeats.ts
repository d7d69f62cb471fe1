// Every repeat of every workload as a mark: whether repeats agree, and with the interval.

import * as format from "../format";
import type { Report, Result } from "../model";
import { flowName } from "../page/words";
import { columns, keyOf, round, tip, tooltip } from "./common";
import type { Option } from "./echarts";
import type { Chart } from "./figure";
import { below, heightOf, rowAxis, rowGrid } from "./rows";
import { bars } from "./shapes";

/** repeats draws each repeat as a change from its result's estimate; null where nothing was repeated. */
export function repeats(report: Report, suffix = ""): Chart | null {
  const rows = report.results.filter((r) => r.estimate && r.repeat_values.filter((v) => v !== null).length > 1);
  if (rows.length === 0) return null;
  const names = rows.map((r) => flowName(r.workload, r.direction, report.results));
  const marks = rows.flatMap((r, row) => r.repeat_values.flatMap((v, i) => (v === null ? [] : [{ r, row, i, v, off: (v / r.estimate! - 1) * 100 }])));
  const half = Math.max(1, ...marks.map((v) => Math.abs(v.off)), ...rows.map((r) => (format.halfWidth(r) ?? 0) * 100));
  const ends = round(half);
  const words = (v: (typeof marks)[number]) => `${format.metric(v.r.metric, v.v)} (${format.change(v.v / v.r.estimate!)})`;
  return {
    name: `repeats${suffix}`,
    title: "Each repeat against the estimate",
    caption: "Each mark is one repeat, as a change from the estimate; the line is the interval of the estimate.",
    alt: `${rows.map((r, i) => `${names[i]}: ${r.repeat_values.length} repeats from ${format.metric(r.metric, Math.min(...finite(r)))} to ${format.metric(r.metric, Math.max(...finite(r)))}`).join("; ")}.`,
    height: heightOf(rows.length),
    wide: true,
    option: (t, width) =>
      ({
        grid: rowGrid(names, width),
        tooltip: tooltip(t, "item", ((p: { seriesIndex: number; dataIndex: number }) => {
          const v = marks[p.dataIndex];
          return p.seriesIndex !== 1 || !v ? "" : tip(names[v.row]!, [[`repeat ${v.i + 1} of ${v.r.repeat_values.length}`, words(v)], ["estimate", `${format.metric(v.r.metric, v.r.estimate)} ${format.interval(v.r.metric, v.r)}`]]);
        }) as never),
        xAxis: below(t, { name: "repeat against the estimate (%)", min: -Math.min(ends.max, Math.ceil(100 / ends.interval) * ends.interval), ...ends, show: (v) => (v > 0 ? "+" : v < 0 ? "−" : "") + Number(Math.abs(v).toPrecision(3)) + "%" }),
        yAxis: rowAxis(t, names, width),
        series: [
          bars(
            rows.flatMap((r, i) => (r.confidence && r.low !== null && r.high !== null ? [{ at: i, low: (r.low / r.estimate! - 1) * 100, high: (r.high / r.estimate! - 1) * 100, color: t.faint, width: 2 }] : [])),
            "x",
          ),
          {
            type: "scatter",
            symbolSize: 9,
            z: 5,
            data: marks.map((v) => ({ value: [v.off, v.row], itemStyle: { color: t.direction[v.r.direction], opacity: 0.75 } })),
            markLine: { silent: true, symbol: "none", animation: false, label: { show: false }, lineStyle: { color: t.faint, type: "solid", width: 1 }, data: [{ xAxis: 0 }] },
          },
        ],
      }) as Option,
    key: (t) => {
      const seen = (["read", "write", "mixed", "sync"] as const).filter((d) => rows.some((r) => r.direction === d));
      return keyOf([...seen.map((d) => ({ words: `repeat: ${d === "sync" ? "flush" : d}`, color: t.direction[d], form: "mark" as const })), { words: "95% interval of the estimate", color: t.faint, form: "line" }]);
    },
    table: () => ({
      columns: [{ name: "workload" }, { name: "metric" }, columns.plain("repeat"), columns.metric("value", 1), { name: "against the estimate", show: (v) => format.change(v) }],
      rows: marks.map((v) => [names[v.row]!, v.r.metric, v.i + 1, v.v, Number((v.v / v.r.estimate!).toPrecision(5))]),
    }),
    stops: () => marks.map((v, index) => ({ series: 1, index, words: `${names[v.row]}, repeat ${v.i + 1}: ${words(v)}` })),
  };
}

const finite = (r: Result): number[] => r.repeat_values.filter((v) => v !== null);
