// N volumes at once: the points, the law through them, what it leaves over, and how the
// volumes share.

import * as format from "../format";
import type { BandPoint, Law, Num, Scale, ScalePoint } from "../model";
import { plainName } from "../page/words";
import { verdictSign, type Theme } from "../theme";
import { columns, keyOf, round, short, largest, linear, logarithmic, logRange, metricAxis, shortDuration, tip, tooltip, unitFor, type KeyItem, type TipLine } from "./common";
import type { Option } from "./echarts";
import type { Chart } from "./figure";
import { bars, ribbon } from "./shapes";

const lawNames: Record<Law["kind"], string> = { min: "saturation: min(N·x₁, C)", amdahl: "Amdahl's law", usl: "universal scalability law" };

/** scaleCharts draws one scaling experiment. */
export function scaleCharts(s: Scale, suffix = ""): (Chart | null)[] {
  const points = (s.points ?? []).filter((p) => p.total.estimate !== null).sort((a, b) => a.volumes - b.volumes);
  if (points.length === 0) return [];
  const name = `scale-${plainName(s.workload)}-${s.direction}${suffix}`;
  if (points.length === 1) return [shares(s, points[0]!, name)];
  return [total(s, points, name), residuals(s, points, name), fairness(s, points, name), latency(s, points, name)];
}

/** across is the axis of volumes. */
const across = (last: number) => ({ max: last * 1.03, interval: round(Math.max(last, 5)).interval, show: (v: number) => String(Math.round(v)), whole: true });
const count = (n: number) => format.count(n, "volume");
const colorOf = (s: Scale, t: Theme) => t.direction[s.direction];

/** A point that was published by others has no verdict: nothing is known against it. */
const doubtful = (p: ScalePoint) => p.verdict === "suspect" || p.verdict === "invalid";

function tipLines(s: Scale, p: ScalePoint): TipLine[] {
  const lines: TipLine[] = [
    ["total", `${format.metric(s.metric, p.total.estimate)} ${format.interval(s.metric, p.total)}`],
    ["per volume", format.metric(s.metric, p.per_volume.estimate)],
  ];
  if (p.offered) lines.push(["asked of each", format.metric(s.metric, p.offered)]);
  if (p.nodes) lines.push(["nodes", String(p.nodes)]);
  if (p.fairness) lines.push(["fairness", p.fairness.toFixed(3)]);
  for (const key of ["mean", "p99"] as const) if (p[key]) lines.push([key, format.metric(key === "mean" ? "latency" : key, p[key].estimate)]);
  if (p.amplification && !p.amplification.not_counted) lines.push(["amplification", format.amplified(p.amplification)]);
  if (p.verdict) lines.push(["verdict", `${verdictSign[p.verdict]} ${p.verdict}`]);
  return lines;
}

/** total draws the points, the chosen law with its band, and its knee. */
function total(s: Scale, points: ScalePoint[], name: string): Chart {
  const law = s.laws?.find((l) => l.chosen) ?? s.laws?.[0];
  const band = law?.band ?? [];
  const shown = (v: Num | undefined) => (v ?? 0) / unit.by;
  const unit = unitFor(s.metric, largest([...points.map((p) => p.total.estimate), ...band.map((b) => b.value)]));
  const inside = cornered(law, band.filter((b) => !b.extrapolated));
  // The dashed part begins where the full one ends.
  const beyond = band.filter((b, i) => b.extrapolated || band[i - 1]?.extrapolated || band[i + 1]?.extrapolated);
  const last = Math.max(...points.map((p) => p.volumes), ...band.map((b) => b.volumes));
  const offered = points.filter((p) => p.offered);
  const measured = `Points are measured${points.some((p) => p.total.confidence) ? ", with their intervals" : ""}`;
  const knee = law?.knee && !law.all_saturated && law.knee <= last ? law.knee : null;
  const line = (list: BandPoint[], t: Theme, type: string) => ({ type: "line", silent: true, symbol: "none", data: list.map((b) => [b.volumes, shown(b.value)]), lineStyle: { color: t.text, width: 1.6, type }, emphasis: { disabled: true } });
  return {
    name: `${name}-total`,
    title: "How the total grows with the volumes",
    caption: law ? `${measured}; the line is the ${lawNames[law.kind]} fitted to them, the shaded area where one more measurement would lie (95%)${beyond.length ? "; dashed where it was not measured" : ""}. ${lawWords(s, law)}${heldWords(s, points)}` : `${measured}; there are too few for a law.${heldWords(s, points)}`,
    alt: points.map((p) => `${count(p.volumes)}: ${format.metric(s.metric, p.total.estimate)}`).join("; ") + ".",
    height: 400,
    wide: true,
    option: (t) =>
      ({
        grid: { left: 64, right: 24, top: 18, bottom: 48 },
        tooltip: tooltip(t, "item", ((p: { seriesIndex: number; dataIndex: number }) => {
          const at = points[p.dataIndex];
          return at && p.seriesIndex === 0 ? tip(count(at.volumes), tipLines(s, at)) : "";
        }) as never),
        xAxis: linear(t, "x", { name: "volumes at once", min: 0, ...across(last) }),
        yAxis: linear(t, "y", { name: `total: ${metricAxis(s.metric, unit)}`, min: 0 }),
        series: [
          {
            type: "scatter",
            z: 6,
            symbolSize: 10,
            data: points.map((p) => ({ value: [p.volumes, shown(p.total.estimate)], itemStyle: !doubtful(p) ? { color: colorOf(s, t) } : { color: t.paper, borderColor: colorOf(s, t), borderWidth: 2 } })),
            markLine: knee === null ? undefined : { silent: true, symbol: "none", animation: false, data: [{ xAxis: knee, label: { formatter: `knee at ${format.three(knee)}`, color: t.good, fontSize: 11, position: "insideStartBottom", rotate: 90 }, lineStyle: { color: t.good, type: "dashed", width: 1.5 } }] },
          },
          bars(points.flatMap((p) => (p.total.confidence ? [{ at: p.volumes, low: shown(p.total.low), high: shown(p.total.high), color: colorOf(s, t), width: 2 }] : [])), "y"),
          ...(band.length > 1 ? [ribbon(band.map((b) => ({ x: b.volumes, low: Math.max(0, shown(b.low)), high: shown(b.high) })), t.ramp)] : []),
          line(inside, t, "solid"),
          line(beyond, t, "dashed"),
          { type: "line", silent: true, symbol: "none", data: offered.map((p) => [p.volumes, shown(p.offered! * p.volumes)]), lineStyle: { color: t.unsure, width: 1.4, type: [2, 3] }, emphasis: { disabled: true } },
        ],
      }) as Option,
    key: (t) => {
      const items: KeyItem[] = [{ words: "measured", color: colorOf(s, t), form: "mark" }];
      if (points.some(doubtful)) items.push({ words: "measured, suspect or invalid", color: colorOf(s, t), form: "ring" });
      if (band.length > 1) items.push({ words: lawNames[law!.kind], color: t.text, form: "line" }, { words: "prediction band", color: t.ramp, form: "area" });
      if (offered.length) items.push({ words: "asked for", color: t.unsure, form: "dotted" });
      return keyOf(items);
    },
    table: () => ({
      columns: [{ name: "volumes" }, { name: "nodes" }, columns.of(s.metric, "total"), columns.of(s.metric, "from"), columns.of(s.metric, "to"), columns.of(s.metric, "per volume"), columns.of(s.metric, "asked of each"), columns.plain("fairness"), columns.seconds("mean"), columns.seconds("p99"), { name: "verdict" }],
      rows: points.map((p) => [p.volumes, p.nodes ?? null, p.total.estimate, p.total.low, p.total.high, p.per_volume.estimate, p.offered ?? null, p.fairness ?? null, p.mean?.estimate ?? null, p.p99?.estimate ?? null, p.verdict]),
    }),
    stops: () => points.map((p, index) => ({ series: 0, index, words: `${count(p.volumes)}: ${format.metric(s.metric, p.total.estimate)} ${format.interval(s.metric, p.total)}` })),
  };
}

/** cornered puts the corner of a saturation among the points that its line is drawn of. */
function cornered(law: Law | undefined, band: BandPoint[]): BandPoint[] {
  const value = law?.capacity?.estimate;
  const at = law?.kind === "min" && law.knee && value ? band.findIndex((b) => b.volumes > law.knee!) : -1;
  return at < 1 ? band : [...band.slice(0, at), { volumes: law!.knee!, value: value!, low: value!, high: value! }, ...band.slice(at)];
}

/** lawWords says what the law found, in words. */
function lawWords(s: Scale, law: Law): string {
  const parts = [`One volume alone: ${law.all_saturated ? "at least " : ""}${format.metric(s.metric, law.first.estimate)}`];
  if (law.capacity?.estimate) parts.push(`${law.capacity_extrapolated ? "capacity (beyond what was measured)" : "capacity"}: ${format.metric(s.metric, law.capacity.estimate)} ${format.interval(s.metric, law.capacity).replace("–", "")}`.trim());
  if (law.knee && !law.all_saturated) parts.push(`knee at ${format.three(law.knee)} volumes`);
  return parts.join("; ") + ".";
}

/** heldWords says of each point with a rate limit whether every volume reached it. */
function heldWords(s: Scale, points: ScalePoint[]): string {
  return points
    .filter((p) => p.offered && p.per_volume.estimate && p.verdict !== "invalid")
    .map((p) => {
      const least = Math.min(p.per_volume.estimate!, ...(p.each ?? []));
      return ` ${count(p.volumes)} of ${format.metric(s.metric, p.offered)} each: ${((100 * p.per_volume.estimate!) / p.offered!).toFixed(1)}% achieved, slowest volume ${format.metric(s.metric, least)}.`;
    })
    .join("");
}

/** residuals draws what each law leaves over: the chosen one's in full, the others' pale. */
function residuals(s: Scale, points: ScalePoint[], name: string): Chart | null {
  const measured = s.points ?? [];
  const laws = (s.laws ?? []).filter((l) => (l.residuals ?? []).length === measured.length);
  if (laws.length === 0) return null;
  const marks = { min: "circle", amdahl: "rect", usl: "triangle" } as const;
  const percent = (v: Num) => (v === null ? null : (Math.exp(v) - 1) * 100);
  const order = measured.map((p, i) => ({ p, i })).sort((a, b) => a.p.volumes - b.p.volumes);
  const color = (l: Law, t: Theme) => (l.chosen ? t.text : t.faint);
  const most = round(Math.max(2, ...laws.flatMap((l) => (l.residuals ?? []).map((v) => Math.abs(percent(v) ?? 0)))));
  return {
    name: `${name}-residuals`,
    title: "What the laws leave over",
    caption: `Measured against the law, in per cent: marks should scatter about zero without a pattern. ${laws.map((l) => `${lawNames[l.kind]}: typical error of a prediction ${format.percent(Math.exp(l.error) - 1)}${l.chosen ? " (chosen)" : ""}`).join("; ")}.`,
    alt: laws.map((l) => `${lawNames[l.kind]}: ${order.map(({ p, i }) => `${count(p.volumes)} ${percent(l.residuals![i]!)?.toFixed(1)}%`).join(", ")}`).join("; ") + ".",
    option: (t) =>
      ({
        grid: { left: 62, right: 22, top: 14, bottom: 48 },
        tooltip: tooltip(t, "item", ((p: { seriesIndex: number; dataIndex: number }) => {
          const at = order[p.dataIndex];
          const l = laws[p.seriesIndex];
          return at && l ? tip(count(at.p.volumes), [["law", lawNames[l.kind]], ["measured", format.metric(s.metric, at.p.total.estimate)], ["against the law", format.change(Math.exp(l.residuals![at.i] ?? 0))]]) : "";
        }) as never),
        xAxis: linear(t, "x", { name: "volumes at once", min: 0, ...across(Math.max(...points.map((p) => p.volumes))) }),
        yAxis: linear(t, "y", { name: "measured against the law (%)", min: -most.max, ...most, show: short }),
        series: laws.map((l, n) => ({
          type: "scatter",
          symbol: marks[l.kind],
          symbolSize: l.chosen ? 10 : 7,
          z: l.chosen ? 5 : 3,
          data: order.map(({ p, i }) => [p.volumes, percent(l.residuals![i]!)]),
          itemStyle: { color: color(l, t), opacity: l.chosen ? 1 : 0.7 },
          markLine: n === 0 ? { silent: true, symbol: "none", animation: false, label: { show: false }, lineStyle: { color: t.faint, type: "solid", width: 1 }, data: [{ yAxis: 0 }] } : undefined,
        })),
      }) as Option,
    key: (t) => keyOf(laws.map((l) => ({ words: `${lawNames[l.kind]}${l.chosen ? " (chosen)" : ""}`, sign: { circle: "●", rect: "■", triangle: "▲" }[marks[l.kind]], color: color(l, t), form: "mark" }))),
    table: () => ({
      columns: [{ name: "volumes" }, ...laws.map((l) => ({ name: `ln(measured / ${l.kind})`, show: (v: number) => v.toFixed(3) }))],
      rows: order.map(({ p, i }) => [p.volumes, ...laws.map((l) => l.residuals![i] ?? null)]),
    }),
    stops: () => laws.flatMap((l, series) => order.map(({ p, i }, index) => ({ series, index, words: `${lawNames[l.kind]}, ${count(p.volumes)}: ${percent(l.residuals![i]!)?.toFixed(1)}%` }))),
  };
}

/** fairness draws what each volume got. */
function fairness(s: Scale, points: ScalePoint[], name: string): Chart | null {
  const own = points.filter((p) => (p.each ?? []).length > 1);
  if (own.length === 0) return null;
  const all = own.flatMap((p) => p.each!.map((v, i) => ({ p, v, i })));
  const unit = unitFor(s.metric, largest(all.map((a) => a.v)));
  return {
    name: `${name}-fairness`,
    title: "What each volume gets",
    caption: "One mark for each volume, the bar is their mean. Fairness is Jain's index: 1 when all get the same.",
    alt: own.map((p) => `${count(p.volumes)}: from ${format.metric(s.metric, Math.min(...p.each!))} to ${format.metric(s.metric, Math.max(...p.each!))}${p.fairness ? `, fairness ${p.fairness.toFixed(3)}` : ""}`).join("; ") + ".",
    option: (t) =>
      ({
        grid: { left: 62, right: 22, top: 14, bottom: 48 },
        tooltip: tooltip(t, "item", ((p: { seriesIndex: number; dataIndex: number }) => {
          const at = all[p.dataIndex];
          return at && p.seriesIndex === 0 ? tip(`volume ${at.i + 1} of ${at.p.volumes}`, [["rate", format.metric(s.metric, at.v)], ["mean of all", format.metric(s.metric, at.p.per_volume.estimate)], ...(at.p.fairness ? [["fairness", at.p.fairness.toFixed(3)] as TipLine] : [])]) : "";
        }) as never),
        xAxis: linear(t, "x", { name: "volumes at once", min: 0, ...across(Math.max(...points.map((p) => p.volumes))) }),
        yAxis: linear(t, "y", { name: `per volume: ${metricAxis(s.metric, unit)}`, min: 0 }),
        series: [
          { type: "scatter", symbolSize: 7, data: all.map((a) => [a.p.volumes, a.v / unit.by]), itemStyle: { color: colorOf(s, t), opacity: 0.55 } },
          { type: "scatter", silent: true, symbol: "rect", symbolSize: [16, 3], z: 5, data: own.map((p) => [p.volumes, p.each!.reduce((a, b) => a + b, 0) / p.each!.length / unit.by]), itemStyle: { color: t.text } },
        ],
      }) as Option,
    key: (t) => keyOf([{ words: "a volume", color: colorOf(s, t), form: "mark" }, { words: "their mean", color: t.text, form: "thick" }]),
    table: () => ({
      columns: [{ name: "volumes" }, columns.plain("volume"), columns.of(s.metric, "rate")],
      rows: all.map((a) => [a.p.volumes, a.i + 1, a.v]),
    }),
    stops: () => all.map((a, index) => ({ series: 0, index, words: `volume ${a.i + 1} of ${a.p.volumes}: ${format.metric(s.metric, a.v)}` })),
  };
}

/** shares draws what each volume got, volume by volume, when there is only one number of volumes. */
function shares(s: Scale, p: ScalePoint, name: string): Chart | null {
  const each = p.each ?? [];
  if (each.length < 2) return null;
  const unit = unitFor(s.metric, largest(each));
  const mean = each.reduce((a, b) => a + b, 0) / each.length;
  return {
    name: `${name}-shares`,
    title: `What each of ${each.length} volumes gets`,
    caption: `One mark for each volume; the line is their mean.${p.fairness ? ` Jain's fairness index is ${p.fairness.toFixed(3)} (1 when all get the same).` : ""}${heldWords(s, [p])}`,
    alt: `From ${format.metric(s.metric, Math.min(...each))} to ${format.metric(s.metric, Math.max(...each))}.`,
    wide: true,
    option: (t) =>
      ({
        grid: { left: 62, right: 22, top: 14, bottom: 48 },
        tooltip: tooltip(t, "item", ((q: { dataIndex: number }) => tip(`volume ${q.dataIndex + 1} of ${each.length}`, [["rate", format.metric(s.metric, each[q.dataIndex])], ["against the mean", format.change(each[q.dataIndex]! / mean)]])) as never),
        xAxis: linear(t, "x", { name: "volume", min: 0, ...across(each.length) }),
        yAxis: linear(t, "y", { name: metricAxis(s.metric, unit), min: 0 }),
        series: [
          {
            type: "scatter",
            symbolSize: 8,
            data: each.map((v, i) => [i + 1, v / unit.by]),
            itemStyle: { color: colorOf(s, t) },
            markLine: { silent: true, symbol: "none", animation: false, label: { show: false }, lineStyle: { color: t.text, type: "solid", width: 1.5 }, data: [{ yAxis: mean / unit.by }] },
          },
        ],
      }) as Option,
    key: (t) => keyOf([{ words: "a volume", color: colorOf(s, t), form: "mark" }, { words: "their mean", color: t.text, form: "line" }]),
    table: () => ({ columns: [{ name: "volume" }, columns.of(s.metric, "rate")], rows: each.map((v, i) => [i + 1, v]) }),
    stops: () => each.map((v, index) => ({ series: 0, index, words: `volume ${index + 1}: ${format.metric(s.metric, v)}` })),
  };
}

/** latency draws mean and percentiles against the number of volumes. */
function latency(s: Scale, points: ScalePoint[], name: string): Chart | null {
  const shown = ([["mean", "dashed", 1.6], ["p50", "thin", 1], ["p99", "thick", 2.4]] as const).filter(([key]) => points.some((p) => p[key]?.estimate));
  if (shown.length === 0) return null;
  const dashed = (key: string) => (key === "mean" ? [6, 4] : "solid");
  return {
    name: `${name}-latency`,
    title: "Latency with more volumes",
    caption: "Latencies of all volumes' I/Os together.",
    alt: points.map((p) => `${count(p.volumes)}: ${shown.map(([key]) => `${key} ${format.seconds(p[key]?.estimate)}`).join(", ")}`).join("; ") + ".",
    option: (t) =>
      ({
        grid: { left: 66, right: 22, top: 14, bottom: 48 },
        tooltip: tooltip(t, "item", ((p: { seriesIndex: number; dataIndex: number }) => {
          const at = points[p.dataIndex];
          return at && p.seriesIndex < shown.length ? tip(count(at.volumes), tipLines(s, at)) : "";
        }) as never),
        xAxis: linear(t, "x", { name: "volumes at once", min: 0, ...across(Math.max(...points.map((p) => p.volumes))) }),
        yAxis: logarithmic(t, "y", { name: "latency (log scale)", show: shortDuration, gap: 58, ...logRange(points.flatMap((p) => shown.flatMap(([key]) => [p[key]?.estimate ?? null, p[key]?.high ?? null]))) }),
        series: [
          ...shown.map(([key, , width]) => ({ type: "line", name: key, data: points.map((p) => [p.volumes, p[key]?.estimate ?? null]), symbol: "circle", symbolSize: 7, showSymbol: true, itemStyle: { color: colorOf(s, t) }, lineStyle: { color: colorOf(s, t), width, type: dashed(key) }, emphasis: { disabled: true } })),
          ...shown.map(([key]) => bars(points.flatMap((p) => (p[key]?.confidence ? [{ at: p.volumes, low: p[key]!.low!, high: p[key]!.high!, color: colorOf(s, t), width: 1 }] : [])), "y")),
        ],
      }) as Option,
    key: (t) => keyOf(shown.map(([key, form]) => ({ words: key, color: colorOf(s, t), form }))),
    table: () => ({
      columns: [{ name: "volumes" }, ...shown.map(([key]) => columns.seconds(key))],
      rows: points.map((p) => [p.volumes, ...shown.map(([key]) => p[key]?.estimate ?? null)]),
    }),
    stops: () => points.map((p, index) => ({ series: shown.length - 1, index, words: `${count(p.volumes)}: ${shown.map(([key]) => `${key} ${format.seconds(p[key]?.estimate)}`).join(", ")}` })),
  };
}
