// The complementary distribution of latencies: the share of I/Os that took longer, on
// two logarithmic axes, where a tail can be read off.

import * as format from "../format";
import { plainName } from "../page/words";
import { columns, keyOf, logarithmic, logRange, shortDuration, tip, tooltip } from "./common";
import type { Option } from "./echarts";
import type { Chart } from "./figure";
import { colorOf, dashOf, type Group, type Subject } from "./subject";
import type { Theme } from "../theme";

/** tail draws the distributions of a group: one line for each run. */
export function tail(g: Group): Chart | null {
  // A logarithmic axis has no place for a share of 0.
  const points = (s: Subject) => (s.course.tail ?? []).filter((p) => p.above > 0 && p.latency > 0);
  const subjects = g.subjects.filter((s) => points(s).length > 1);
  if (subjects.length === 0) return null;
  const several = g.subjects.length > 1;
  const least = Math.min(...subjects.flatMap((s) => points(s).map((p) => p.above)));
  const told = (s: Subject) => (["p50", "p99", "p99.9"] as const).filter((p) => s.result?.latency?.[p]).map((p) => `${p} ${format.seconds(s.result!.latency![p])}`);
  return {
    name: `${plainName(g.name)}-tail`,
    title: "How long the slowest took",
    caption: "The share of all I/Os that took longer than a latency (complementary distribution); both axes are logarithmic.",
    alt: `${g.name}: ${subjects.map((s) => (several ? `${s.label} ` : "") + told(s).join(", ")).join("; ")}.`,
    option: (t: Theme) =>
      ({
        grid: { left: 66, right: 22, top: 14, bottom: 48 },
        tooltip: tooltip(t, "item", ((p: { seriesIndex: number; dataIndex: number }) => {
          const s = subjects[p.seriesIndex];
          const at = s && points(s)[p.dataIndex];
          if (!s || !at) return "";
          return tip(several ? s.label : g.name, [["longer than", format.duration(at.latency)], ["share of I/Os", shareWords(at.above)], ["percentile", percentileWords(at.above)]]);
        }) as never),
        xAxis: logarithmic(t, "x", { name: "latency (log scale)", show: shortDuration, ...logRange(subjects.flatMap((s) => points(s).map((p) => p.latency))) }),
        yAxis: logarithmic(t, "y", { name: "share of I/Os that took longer (log scale)", show: shareWords, gap: 58, min: Math.min(least, 0.05) / 1.3, max: 1.02 }),
        series: subjects.map((s) => ({
          type: "line",
          name: s.label,
          data: points(s).map((p) => [p.latency, p.above]),
          symbol: "circle",
          symbolSize: 7,
          showSymbol: true,
          itemStyle: { color: colorOf(s, t), opacity: 0 },
          emphasis: { itemStyle: { opacity: 1 } },
          lineStyle: { color: colorOf(s, t), width: 2, type: dashOf(s) },
        })),
      }) as Option,
    key: several ? (t) => keyOf(subjects.map((s) => ({ words: s.label, color: colorOf(s, t), form: dashOf(s) === "solid" ? "line" : "dashed" }))) : undefined,
    table: () => ({
      columns: [...(several ? [{ name: "run" }] : []), columns.seconds("latency"), { name: "share that took longer", show: shareWords }],
      rows: subjects.flatMap((s) => points(s).map((p) => [...(several ? [s.label] : []), p.latency, p.above])),
    }),
    stops: () =>
      subjects.flatMap((s, series) =>
        points(s).map((p, index) => ({ series, index, words: `${several ? s.label + ": " : ""}${shareWords(p.above)} took longer than ${format.duration(p.latency)}` })),
      ),
  };
}

/** shareWords writes a share without false digits: 100%, 1%, 0.01%, 2.5e-5%. */
function shareWords(v: number): string {
  const p = v * 100;
  if (p >= 0.001) return `${Number(p.toPrecision(3))}%`;
  return `${Number(p.toPrecision(2)).toExponential().replace("e-", "e−")}%`;
}

function percentileWords(above: number): string {
  const nines = Math.max(1, Math.ceil(-Math.log10(above)));
  return `p${Number(((1 - above) * 100).toFixed(Math.min(6, nines)))}`;
}
