// A chart as a figure: a title, one sentence on how to read it, the drawing, its numbers
// as a table, and its data as a file. It is drawn when it comes near the window, walked
// through with the arrow keys, and drawn again when the colours or the width change.

import { add, h, id, onFirstOpen, save } from "../dom";
import { onTheme, theme, type Theme } from "../theme";
import { init, type Instance, type Option } from "./echarts";

export type Cell = string | number | null;

export interface Column {
  name: string;
  /** The unit of the raw values, as it stands in the file. */
  unit?: string;
  /** How people see a value, in its row; without it the raw value is shown. */
  show?: (v: number, row: Cell[]) => string;
}

export interface Table {
  columns: Column[];
  rows: Cell[][];
}

export interface Chart {
  /** Names the chart in files and links: letters, digits and dashes. */
  name: string;
  title: string;
  /** How to read it, in a sentence or two. */
  caption: string;
  /** What it shows, in a sentence, for who cannot see it. */
  alt: string;
  height?: number;
  wide?: boolean;
  option(t: Theme, width: number): Option;
  table(): Table;
  /** What the arrow keys go to, in order: a series, an index in it, and its words. */
  stops?(): Stop[];
  /** Below the drawing: a legend that the drawing has not. */
  key?(t: Theme): HTMLElement;
  /** The legend goes above the drawing, which is so high that it would be out of sight below. */
  keyAbove?: boolean;
}

export interface Stop {
  series: number;
  index: number;
  words: string;
}

/** A table longer than this is cut for the eye; the file has all of it. */
const mostRows = 1000;

/** figure makes the element of a chart. */
export function figure(chart: Chart): HTMLElement {
  const title = id("chart");
  const hint = id("hint");
  const plot = h("div", {
    class: "plot",
    role: "img",
    tabindex: "0",
    "aria-labelledby": title,
    "aria-describedby": hint,
    "data-chart": chart.name,
  });
  plot.style.height = `${chart.height ?? 300}px`;
  const live = h("p", { class: "hidden", role: "status", "aria-live": "polite" });
  const numbers = h("details", { class: "numbers" }, h("summary", {}, "Show the numbers"));
  onFirstOpen(numbers, () => add(numbers, [tableOf(chart)]));
  const caption = h("p", {}, chart.caption);
  const alt = h("p", { class: "hidden", id: hint }, altOf(chart));
  const element = h(
    "figure",
    { class: chart.wide ? "chart wide" : "chart", id: `chart-${chart.name}` },
    h("figcaption", {}, h("p", { class: "title", id: title }, chart.title), caption, alt),
    plot,
    live,
    numbers,
  );
  let key = chart.key?.(theme());
  const drawKey = () => {
    const next = chart.key!(theme());
    key!.replaceWith(next);
    key = next;
  };
  if (key) {
    if (chart.keyAbove) plot.before(key);
    else numbers.before(key);
    onTheme(drawKey);
  }
  const drawing = new Drawing(chart, plot);
  again.set(element, () => {
    caption.textContent = chart.caption;
    alt.textContent = altOf(chart);
    if (key) drawKey();
    drawing.again();
  });
  plot.addEventListener("keydown", (event) => drawing.walk(event, live));
  plot.addEventListener("blur", () => drawing.leave());
  return element;
}

const altOf = (chart: Chart): string => `${chart.alt} The left and right arrow keys walk through the points.`;

/** What draws a figure again. */
const again = new WeakMap<Element, () => void>();

/** redraw draws a figure again whose chart says something else now; its table, once open, stays. */
export function redraw(element: HTMLElement): void {
  again.get(element)?.();
}

/** Drawing is the part of a figure that ECharts makes. */
class Drawing {
  private instance: Instance | null = null;
  private at = -1;
  private stops: Stop[] | null = null;
  private width = 0;

  constructor(
    private readonly chart: Chart,
    private readonly plot: HTMLElement,
  ) {
    drawings.add(this);
    near.observe(plot);
    widths.observe(plot);
    byPlot.set(plot, this);
  }

  /** draw begins the drawing, or begins it again at another width or in other colours. */
  draw(): void {
    const width = this.plot.clientWidth;
    if (width === 0) return;
    this.width = width;
    if (this.instance) this.instance.resize({ width });
    else this.instance = init(this.plot, null, { renderer: "canvas", width, devicePixelRatio: Math.max(2, devicePixelRatio) });
    this.instance.setOption({ ...base(theme()), ...this.chart.option(theme(), width) } as Option, { notMerge: true });
    this.plot.dataset.drawn = "true";
  }

  again(): void {
    this.stops = null;
    if (this.begun) this.draw();
  }

  get begun(): boolean {
    return this.instance !== null;
  }

  resized(): void {
    if (this.begun && Math.abs(this.plot.clientWidth - this.width) > 1) this.draw();
  }

  walk(event: KeyboardEvent, live: HTMLElement): void {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (event.key === "Escape") return this.leave();
    if (step === undefined) return;
    this.stops ??= this.chart.stops?.() ?? [];
    if (this.stops.length === 0) return;
    event.preventDefault();
    if (!this.begun) this.draw();
    this.at = Math.max(0, Math.min(this.stops.length - 1, this.at + step));
    const stop = this.stops[this.at]!;
    this.instance?.dispatchAction({ type: "showTip", seriesIndex: stop.series, dataIndex: stop.index });
    live.textContent = stop.words;
  }

  leave(): void {
    this.at = -1;
    this.instance?.dispatchAction({ type: "hideTip" });
  }
}

const drawings = new Set<Drawing>();
const byPlot = new WeakMap<Element, Drawing>();

const near = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      near.unobserve(entry.target);
      byPlot.get(entry.target)?.draw();
    }
  },
  { rootMargin: "300px" },
);

const widths = new ResizeObserver((entries) => {
  for (const entry of entries) byPlot.get(entry.target)?.resized();
});

/** drawAll draws also what is out of sight: before a print. */
export function drawAll(): void {
  for (const drawing of drawings) drawing.draw();
}

onTheme(() => {
  for (const drawing of drawings) if (drawing.begun) drawing.draw();
});

/** base is what all drawings have in common. */
function base(t: Theme): Option {
  return {
    animation: false,
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12, color: t.text },
    aria: { enabled: false },
  } as Option;
}

function tableOf(chart: Chart): HTMLElement {
  const table = chart.table();
  const box = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${chart.title}: numbers` });
  const head = h("tr", {}, ...table.columns.map((c) => h("th", { scope: "col" }, c.name)));
  const body = table.rows.slice(0, mostRows).map((row) =>
    h("tr", {}, ...row.map((v, i) => h("td", typeof v === "number" ? { class: "number" } : {}, shown(v, table.columns[i]!, row)))),
  );
  box.append(h("table", {}, h("thead", {}, head), h("tbody", {}, ...body)));
  const button = h("button", { type: "button" }, "Save as CSV");
  button.addEventListener("click", () => save(`${chart.name}.csv`, "text/csv", csv(table)));
  const cut = table.rows.length > mostRows && h("p", {}, `The first ${mostRows} of ${table.rows.length} rows; the file has all of them.`);
  const part = h("div", {}, h("p", {}, button, " in base units (seconds, bytes, 1/s)"), box);
  add(part, [cut]);
  return part;
}

function shown(v: Cell, column: Column, row: Cell[]): string {
  if (v === null || (typeof v === "number" && !Number.isFinite(v))) return "–";
  return typeof v === "number" && column.show ? column.show(v, row) : String(v);
}

/** csv writes a table with a header line; text is quoted, and never begins a formula. */
export function csv(table: Table): string {
  const quote = (v: Cell): string => {
    if (v === null) return "";
    if (typeof v === "number") return Number.isFinite(v) ? String(v) : "";
    const safe = /^[=+\-@\t\r]/.test(v) ? `'${v}` : v;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const header = table.columns.map((c) => quote(c.unit ? `${c.name} (${c.unit})` : c.name));
  return [header, ...table.rows.map((row) => row.map(quote))].map((line) => line.join(",") + "\r\n").join("");
}
