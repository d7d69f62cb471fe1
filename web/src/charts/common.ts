// Axes, tooltips and shades that the charts share.

import { h } from "../dom";
import type { Theme } from "../theme";

/** Words of a tooltip: a title and lines of a name and a value. */
export function tip(title: string, lines: [name: string, value: string, color?: string][]): HTMLElement {
  return h(
    "div",
    { class: "tip" },
    h("strong", {}, title),
    h(
      "table",
      {},
      ...lines.map(([name, value, color]) => {
        const dot = h("span", { class: "dot" });
        if (color) dot.style.background = color;
        return h("tr", {}, h("td", {}, color ? dot : null, name), h("td", { class: "number" }, value));
      }),
    ),
  );
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

export interface AxisWords {
  name: string;
  format: (v: number) => string;
  min?: number;
  max?: number;
}

/** An axis with its title in the middle. */
export function axis(t: Theme, type: "value" | "log", at: "x" | "y", words: AxisWords, gap?: number): object {
  return {
    type,
    ...(type === "log" ? { logBase: 10 } : {}),
    name: words.name,
    nameLocation: "middle",
    nameGap: gap ?? (at === "x" ? 28 : 58),
    nameTextStyle: { color: t.faint, fontSize: 12 },
    min: words.min,
    max: words.max,
    axisLine: { show: at === "x", lineStyle: { color: t.faint } },
    axisTick: { show: at === "x", lineStyle: { color: t.faint } },
    axisLabel: { color: t.faint, formatter: words.format, hideOverlap: true, fontSize: 11 },
    splitLine: { show: at === "y" || type === "log", lineStyle: { color: t.line, width: 1 } },
    minorTick: { show: false },
  };
}

/** nice rounds outwards to decades, for logarithmic axes. */
export function decades(low: number, high: number): { min: number; max: number } {
  return { min: 10 ** Math.floor(Math.log10(low) + 1e-9), max: 10 ** Math.ceil(Math.log10(high) - 1e-9) };
}
