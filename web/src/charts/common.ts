// Axes, units, tooltips and keys that the charts share.

import { h, svg, type Child } from "../dom";
import * as format from "../format";
import type { Metric, Num } from "../model";
import type { Theme } from "../theme";

export type TipLine = [name: string, value: string, color?: string];

/** tip is the content of a tooltip: a title and lines of a name and a value. */
export function tip(title: string, lines: TipLine[]): HTMLElement {
  return h("div", { class: "tip" }, h("strong", {}, title), h("table", {}, ...lines.map(([name, value, color]) => h("tr", {}, h("td", {}, color ? dot(color) : null, name), h("td", { class: "number" }, value)))));
}

function dot(color: string): HTMLElement {
  const element = h("span", { class: "dot" });
  element.style.background = color;
  return element;
}

/** tooltip is the option of a tooltip whose content the formatter makes as an element. */
export function tooltip(t: Theme, trigger: "axis" | "item", formatter: (p: never) => HTMLElement | string): object {
  return {
    trigger,
    confine: true,
    backgroundColor: t.paper,
    borderColor: t.line,
    textStyle: { color: t.text, fontSize: 12 },
    axisPointer: { type: "line", lineStyle: { color: t.faint, type: "dashed" } },
    transitionDuration: 0,
    formatter,
  };
}

/** A unit that the values of an axis are shown in. */
export interface Unit {
  /** What a value is divided by. */
  by: number;
  name: string;
}

/** unitFor chooses the unit in which the largest value is easy to read. */
export function unitFor(metric: Metric, largest: number): Unit {
  if (metric === "iops" || metric === "tps" || metric === "records") return { by: 1, name: "1/s" };
  const units: [from: number, by: number, name: string][] =
    metric === "bandwidth"
      ? [[10 * 2 ** 30, 2 ** 30, "GiB/s"], [2 ** 20, 2 ** 20, "MiB/s"], [0, 2 ** 10, "KiB/s"]]
      : [[1, 1, "s"], [1e-3, 1e-3, "ms"], [1e-6, 1e-6, "µs"], [0, 1e-9, "ns"]];
  const [, by, name] = units.find(([from]) => largest >= from) ?? units[0]!;
  return { by, name };
}

/** short writes a tick: 20k, 2.5M, −400. */
export function short(v: number): string {
  const a = Math.abs(v);
  const trim = (x: number) => String(Number(x.toPrecision(4))).replace("-", "−");
  if (a >= 1e9) return trim(v / 1e9) + "G";
  if (a >= 1e6) return trim(v / 1e6) + "M";
  if (a >= 1e3) return trim(v / 1e3) + "k";
  return trim(v);
}

/** shortDuration writes a tick of seconds: 50 µs, 1 ms, 2 s. */
export function shortDuration(s: number): string {
  const u = unitFor("latency", s * 1.0001);
  return `${Number((s / u.by).toPrecision(3))} ${u.name}`;
}

export interface AxisWords {
  name: string;
  show?: (v: number) => string;
  min?: number;
  max?: number;
  gap?: number;
  interval?: number;
  /** Only whole numbers are ticks. */
  whole?: boolean;
}

/** round is an end for a linear axis that reaches v, and the step of its ticks. */
export function round(v: number): { max: number; interval: number } {
  const raw = (v > 0 ? v : 1) / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const interval = ([1, 2, 2.5, 5].find((n) => n * power >= raw * 0.999) ?? 10) * power;
  return { max: Number((Math.ceil((v / interval) * 0.9999) * interval).toPrecision(12)), interval };
}

/** sentence makes one of words: a capital first, a full stop last. */
export function sentence(words: string): string {
  return words ? words[0]!.toUpperCase() + words.slice(1).replace(/\.?$/, ".") : "";
}

function axis(t: Theme, at: "x" | "y", w: AxisWords): object {
  return {
    name: w.name,
    nameLocation: "middle",
    nameGap: w.gap ?? (at === "x" ? 28 : 52),
    nameTextStyle: { color: t.faint, fontSize: 12 },
    nameMoveOverlap: false,
    min: w.min,
    max: w.max,
    axisLine: { show: at === "x", onZero: false, lineStyle: { color: t.faint } },
    axisLabel: { color: t.faint, formatter: w.show ?? short, hideOverlap: true, fontSize: 11 },
    splitLine: { show: at === "y", lineStyle: { color: t.line, width: 1 } },
  };
}

/** linear is an axis of plain values. */
export function linear(t: Theme, at: "x" | "y", w: AxisWords): object {
  const base = axis(t, at, w) as { axisLabel: object; splitLine: object };
  // An end that is no tick has no label: it would stand in the way of its neighbour.
  const exact = w.max === undefined || (w.interval !== undefined && Math.abs(w.max / w.interval - Math.round(w.max / w.interval)) < 1e-6);
  return {
    type: "value",
    ...base,
    axisLabel: { ...base.axisLabel, ...(exact ? {} : { showMaxLabel: false }) },
    splitLine: { ...base.splitLine, ...(exact ? {} : { showMaxLine: false }) },
    interval: w.interval,
    minInterval: w.whole ? 1 : undefined,
    axisTick: { show: at === "x", lineStyle: { color: t.faint } },
  };
}

/** logarithmic is an axis from a bit below the least to a bit above the largest value. */
export function logarithmic(t: Theme, at: "x" | "y", w: AxisWords & { min: number; max: number }): object {
  const customValues = logTicks(w.min, w.max);
  const base = axis(t, at, w) as { axisLabel: object; splitLine: object };
  return {
    type: "log",
    logBase: 10,
    ...base,
    axisTick: { show: at === "x", lineStyle: { color: t.faint }, customValues },
    axisLabel: { ...base.axisLabel, customValues },
    splitLine: { show: true, lineStyle: { color: t.line, width: 1 } },
  };
}

/** logRange leaves some room around values on a logarithmic axis. */
export function logRange(values: Iterable<Num>): { min: number; max: number } {
  let min = Infinity;
  let max = -Infinity;
  for (const v of values) {
    if (v === null || !(v > 0) || !Number.isFinite(v)) continue;
    min = Math.min(min, v);
    max = Math.max(max, v);
  }
  if (min > max) return { min: 1, max: 10 };
  const room = Math.max(1.12, (max / min) ** 0.06);
  min /= room;
  max *= room;
  // A nearly constant series is not to look wild.
  if (max / min < 3) {
    const middle = Math.sqrt(min * max);
    min = Math.min(min, middle / 1.75);
    max = Math.max(max, middle * 1.75);
  }
  return { min, max };
}

/** logTicks are some round numbers of each decade, the fewer the more decades there are. */
export function logTicks(min: number, max: number): number[] {
  const decades = Math.log10(max / min);
  const parts = decades > 3.3 ? [1] : decades > 1.7 ? [1, 3] : decades > 0.9 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
  const every = Math.max(1, Math.ceil(decades / 8));
  const ticks: number[] = [];
  for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e++) {
    if (parts.length === 1 && e % every !== 0) continue;
    for (const p of parts) {
      const v = Number(`${p}e${e}`);
      if (v >= min && v <= max) ticks.push(v);
    }
  }
  return ticks;
}

export interface KeyItem {
  words: string;
  color: string;
  /** Stands in the place of a swatch. */
  sign?: string;
  /** The swatch has the shape of the nth mark of theme.ts. */
  mark?: number;
  form: "line" | "thin" | "thick" | "dashed" | "dotted" | "area" | "mark" | "ring";
}

/** The marks of theme.ts, as paths in a square of 12. */
const shapes = ["M6 1a5 5 0 1 0 0 10a5 5 0 1 0 0-10", "M1 1h10v10h-10Z", "M6 1L11 11H1Z", "M6 0L10 6L6 12L2 6Z", "M6 12L3 6A3.5 3.5 0 1 1 9 6Z", "M6 1L10 11L6 8L2 11Z"];

/** keyOf explains what is drawn, below a drawing. */
export function keyOf(list: KeyItem[]): HTMLElement {
  const items: Child[] = list.map((item) => {
    if (item.mark !== undefined) {
      const shape = svg("svg", { viewBox: "0 0 12 12", width: "12", height: "12", "aria-hidden": "true" }, svg("path", { d: shapes[item.mark % shapes.length]!, fill: item.color }));
      return h("li", {}, shape, item.words);
    }
    const swatch = h("span", { class: item.sign ? "" : `swatch ${item.form}`, "aria-hidden": "true" }, item.sign);
    if (item.sign) {
      swatch.style.color = item.color;
      return h("li", {}, swatch, item.words);
    }
    if (item.form === "area" || item.form === "mark") swatch.style.background = item.color;
    else swatch.style.borderColor = item.color;
    return h("li", {}, swatch, item.words);
  });
  return h("ul", { class: "key" }, ...items);
}

/** metricAxis says what a metric's axis counts, in a unit. */
export function metricAxis(metric: Metric, unit: Unit): string {
  if (metric === "iops") return "IOPS";
  if (metric === "tps") return "transactions (tps)";
  if (metric === "records") return "records (1/s)";
  if (metric === "elapsed") return `time (${unit.name})`;
  if (metric === "bandwidth") return `bandwidth (${unit.name})`;
  return `${metric === "latency" ? "mean latency" : `${metric} latency`} (${unit.name})`;
}

export const columns = {
  seconds: (name: string) => ({ name, unit: "s", show: format.duration }),
  rate: (name: string) => ({ name, unit: "1/s", show: format.rate }),
  bandwidth: (name: string) => ({ name, unit: "B/s", show: format.bandwidth }),
  plain: (name: string) => ({ name, show: (v: number) => String(Number(v.toPrecision(4))) }),
  clock: (name: string) => ({ name, unit: "s", show: (v: number) => v.toFixed(1) }),
  /** A value of the metric that the row's nth cell names. */
  metric: (name: string, nth: number) => ({ name, show: (v: number, row: (string | number | null)[]) => format.metric(row[nth] as Metric, v) }),
  of: (metric: Metric, name: string) => (metric === "iops" ? columns.rate(name) : metric === "bandwidth" ? columns.bandwidth(name) : columns.seconds(name)),
};

/** range is the least and the largest finite value. */
export function largest(values: Iterable<Num | undefined>): number {
  let max = 0;
  for (const v of values) if (v !== null && v !== undefined && Number.isFinite(v)) max = Math.max(max, v);
  return max;
}
