// What charts with one row for each thing share: names down the side, values across.

import type { Theme } from "../theme";
import { linear, type AxisWords } from "./common";

/** How high a row is. */
const rowHeight = 30;

/** heightOf is the height of a drawing with so many rows. */
export const heightOf = (rows: number): number => rows * rowHeight + 66;

/** namesWidth is the room for the names: more where there is more. */
export const namesWidth = (names: string[], width: number): number =>
  Math.ceil(Math.min(Math.max(...names.map((n) => n.length), 4) * 6.6 + 14, width * (width < 500 ? 0.42 : 0.3)));

/** rowGrid leaves the names their room. */
export const rowGrid = (names: string[], width: number): object => ({ left: namesWidth(names, width), right: 20, top: 10, bottom: 50 });

/** rowAxis puts the names down the side, the first one on top: row i is at y = i. */
export function rowAxis(t: Theme, names: string[], width: number): object {
  const room = namesWidth(names, width) - 10;
  return {
    type: "value",
    inverse: true,
    min: -0.5,
    max: names.length - 0.5,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: {
      color: t.text,
      fontSize: width < 500 ? 10 : 11,
      lineHeight: 12,
      width: room,
      overflow: "break",
      customValues: names.map((_, i) => i),
      formatter: (v: number) => names[Math.round(v)] ?? "",
    },
  };
}

/** below is the axis of values under the rows. */
export const below = (t: Theme, w: AxisWords): object => ({ ...linear(t, "x", w), splitLine: { show: true, lineStyle: { color: t.line, width: 1 } } });
