// Shapes that ECharts has no series for: bars of an interval, and cells of a heatmap.

import type { CustomSeriesOption } from "echarts/charts";
import type { Theme } from "../theme";

type Api = Parameters<NonNullable<CustomSeriesOption["renderItem"]>>[1];
type Params = Parameters<NonNullable<CustomSeriesOption["renderItem"]>>[0];
type Item = ReturnType<NonNullable<CustomSeriesOption["renderItem"]>>;
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Bar is an interval at a place of the other axis. */
export interface Bar {
  at: number;
  low: number;
  high: number;
  color: string;
  /** A heavier line, for what the eye should find. */
  width?: number;
  dashed?: boolean;
}

/** bars draws intervals with caps, along y or along x. */
export function bars(list: Bar[], along: "x" | "y", extra: object = {}): CustomSeriesOption {
  return {
    type: "custom",
    silent: true,
    z: 4,
    data: list.map((b) => [b.at, b.low, b.high]),
    encode: along === "y" ? { x: 0, y: [1, 2] } : { y: 0, x: [1, 2] },
    clip: true,
    renderItem: (params: Params, api: Api): Item => {
      const b = list[params.dataIndex]!;
      const end = (v: number) => (along === "y" ? api.coord([b.at, v]) : api.coord([v, b.at])) as [number, number];
      const [p, q] = [end(b.low), end(b.high)];
      const cap = 4;
      const style = { stroke: b.color, lineWidth: b.width ?? 1.6, lineDash: b.dashed ? [3, 3] : undefined, fill: undefined };
      const line = (x1: number, y1: number, x2: number, y2: number) => ({ type: "line" as const, shape: { x1, y1, x2, y2 }, style });
      const tick = ([x, y]: [number, number]) => (along === "y" ? line(x - cap, y, x + cap, y) : line(x, y - cap, x, y + cap));
      return { type: "group", children: [line(p[0], p[1], q[0], q[1]), tick(p), tick(q)] } as Item;
    },
    ...extra,
  } as CustomSeriesOption;
}

/** ribbon fills the area between two lines. */
export function ribbon(list: { x: number; low: number; high: number }[], color: string): CustomSeriesOption {
  return {
    type: "custom",
    silent: true,
    z: 1,
    // One shape for all: the first item draws it, the others only count for the axes.
    data: list.map((p) => [p.x, p.low, p.high]),
    encode: { x: 0, y: [1, 2] },
    clip: true,
    renderItem: (params: Params, api: Api): Item => {
      if (params.dataIndex !== 0) return null;
      const points = [...list.map((p) => api.coord([p.x, p.high])), ...[...list].reverse().map((p) => api.coord([p.x, p.low]))];
      return { type: "polygon", shape: { points }, style: { fill: color } } as Item;
    },
  } as CustomSeriesOption;
}

/** Tile is a rectangle in the values of both axes. */
export interface Tile {
  x: [number, number];
  y: [number, number];
  color: string;
  text?: string;
  textColor?: string;
}

/** tiles draws rectangles; a gap leaves some pixels between them. */
export function tiles(list: Tile[], gap: number, extra: object = {}): CustomSeriesOption {
  return {
    type: "custom",
    data: list.map((c) => [c.x[0], c.x[1], c.y[0], c.y[1]]),
    encode: { x: [0, 1], y: [2, 3] },
    clip: true,
    renderItem: (params: Params, api: Api): Item => {
      const c = list[params.dataIndex]!;
      const [left, bottom] = api.coord([c.x[0], c.y[0]]) as [number, number];
      const [right, top] = api.coord([c.x[1], c.y[1]]) as [number, number];
      const box = params.coordSys as unknown as Box;
      const x = Math.max(left, box.x);
      const y = Math.max(top, box.y);
      // Neighbours share an edge; without a gap they overlap a little, so that no line shows between them.
      const shape = { x, y, width: Math.max(1, Math.min(right, box.x + box.width) - x - gap + (gap ? 0 : 0.4)), height: Math.max(1, Math.min(bottom, box.y + box.height) - y - gap + (gap ? 0 : 0.4)) };
      // A cell without room gets an empty text: without any it would keep that of its last drawing.
      const text = c.text && shape.width > c.text.length * 6.2 + 2 && shape.height > 13 ? c.text : "";
      return { type: "rect", shape, style: { fill: c.color }, textContent: { style: { text, fill: c.textColor, fontSize: 11 } }, textConfig: { position: "inside" } } as Item;
    },
    ...extra,
  } as CustomSeriesOption;
}

/** shadeOf is the colour of a share from 0 to 1, between the theme's steps. */
export function shadeOf(t: Theme, share: number): string {
  const steps = t.heat;
  const at = Math.max(0, Math.min(1, share)) * (steps.length - 1);
  const i = Math.min(steps.length - 2, Math.floor(at));
  const mix = at - i;
  const part = (hex: string, n: number) => parseInt(hex.slice(1 + 2 * n, 3 + 2 * n), 16);
  const rgb = [0, 1, 2].map((n) => Math.round(part(steps[i]!, n) * (1 - mix) + part(steps[i + 1]!, n) * mix));
  return `rgb(${rgb.join(",")})`;
}

/** inkOn is the text colour, black or white, that stands out more from shadeOf's. */
export function inkOn(t: Theme, share: number): string {
  const linear = (v: number) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const [r, g, b] = shadeOf(t, share).match(/\d+/g)!.map((v) => linear(Number(v))) as [number, number, number];
  // The relative luminance at which white and black have the same contrast, 4.6.
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
}
