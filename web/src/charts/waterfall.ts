// Where the time of one operation went, as a waterfall: each part begins where the one above
// it ends, down to all that the client saw.

import * as format from "../format";
import type { Budget, BudgetPart, BudgetRow } from "../model";
import type { Theme } from "../theme";
import { columns, keyOf, round, tip, tooltip, unitFor, type TipLine } from "./common";
import type { Option } from "./echarts";
import type { Chart } from "./figure";
import { below, heightOf, rowAxis, rowGrid } from "./rows";
import { tiles } from "./shapes";

/** What a part's time is spent on, in the order of the key. */
type Kind = "connection" | "processor" | "waiting" | "storage" | "flush" | "residual" | "all";

const kinds: Record<BudgetPart, Kind> = {
  connect: "connection",
  "client-cpu": "processor",
  "server-cpu": "processor",
  work: "processor",
  submission: "processor",
  "tool-cpu": "processor",
  "round-trips": "waiting",
  "run-queue": "waiting",
  locks: "waiting",
  latches: "waiting",
  "other-waits": "waiting",
  "flush-queue": "waiting",
  "block-queue": "waiting",
  queueing: "waiting",
  reads: "storage",
  "wal-write": "storage",
  service: "storage",
  device: "storage",
  "block-io": "storage",
  flush: "flush",
  residual: "residual",
};

const kindWords: Record<Kind, string> = {
  connection: "connection set-up",
  processor: "on a processor",
  waiting: "waiting",
  storage: "reads and writes",
  flush: "flushes",
  residual: "left over",
  all: "as the client saw it",
};

const colorOf = (t: Theme, k: Kind): string =>
  ({ connection: t.direction.write, processor: t.direction.mixed, waiting: t.unsure, storage: t.direction.read, flush: t.direction.sync, residual: t.ramp, all: t.faint })[k];

interface Bar {
  name: string;
  kind: Kind;
  /** From where to where it takes, in seconds. */
  from: number;
  to: number;
  seconds: number;
  share: number;
  row?: BudgetRow;
}

/** A residual smaller than this is no row. */
const leastShare = 0.005;

/** leftOver reports whether the residual of a budget is worth a row. */
export const leftOver = (b: Budget): boolean => Math.abs(b.residual.share) >= leastShare;

/** signed writes a time that may be below 0. */
export const signed = (s: number): string => (s < 0 ? "−" : "") + format.duration(Math.abs(s));

/** share writes a part of one, which may be below 0. */
export const share = (v: number): string => (v < 0 ? "−" : "") + format.percent(Math.abs(v));

/** measured is the source of a row, with what it may be wrong by where it was sampled. */
export const measured = (r: BudgetRow): string => (r.source ?? "") + (r.margin ? `, ± ${format.duration(r.margin)}` : "");

/** waterfall draws a budget that closes; null for one that does not, of which nothing is concluded. */
export function waterfall(b: Budget, name: string): Chart | null {
  if (b.refused || !(b.seen > 0) || !b.rows.length) return null;
  const list = barsOf(b);
  const names = list.map((v) => v.name);
  const unit = unitFor("latency", b.seen);
  const ends = round(Math.max(...list.map((v) => v.to)) / unit.by);
  const words = (v: Bar) => `${signed(v.seconds)} · ${share(v.share)}`;
  return {
    name,
    title: `Where the ${format.duration(b.seen)} of one ${b.operation} went`,
    caption: "Each bar begins where the one above it ends; the last one is all that the client saw.",
    alt: `${b.workload}: ${list.map((v) => `${v.name} ${words(v)}`).join("; ")}.`,
    height: heightOf(list.length),
    wide: true,
    option: (t, width) => {
      const grid = rowGrid(names, width) as { left: number; right: number };
      const pixels = (width - grid.left - grid.right) / ends.max;
      const at = (s: number) => (s / unit.by) * pixels;
      return {
        grid,
        tooltip: tooltip(t, "item", ((p: { dataIndex: number }) => tipOf(list[p.dataIndex]!, colorOf(t, list[p.dataIndex]!.kind))) as never),
        xAxis: below(t, { name: `time of one ${b.operation} (${unit.name})`, min: 0, ...ends }),
        yAxis: rowAxis(t, names, width),
        series: [
          tiles(list.map((v, i) => ({ x: [v.from / unit.by, v.to / unit.by], y: [i + 0.36, i - 0.36], color: colorOf(t, v.kind) })), 0),
          {
            type: "scatter",
            silent: true,
            symbolSize: 0.1,
            z: 6,
            data: list.map((v, i) => {
              const text = words(v);
              const room = text.length * 6.2 + 10;
              const space = { right: ends.max * pixels - at(v.to), left: at(v.from) };
              const side = space.right >= room ? "right" : space.left >= room ? "left" : "inside";
              const x = { right: v.to, left: v.from, inside: (v.from + v.to) / 2 }[side] / unit.by;
              const ink = side !== "inside" ? t.text : t.dark ? "#10202e" : "#ffffff";
              return { value: [x, i], label: { show: true, position: side, align: side === "inside" ? "center" : undefined, color: ink, fontSize: 11, formatter: () => text } };
            }),
          },
        ],
      } as Option;
    },
    key: (t) => keyOf((Object.keys(kindWords) as Kind[]).filter((k) => list.some((v) => v.kind === k)).map((k) => ({ words: kindWords[k], color: colorOf(t, k), form: "area" }))),
    table: () => ({
      columns: [{ name: "part" }, columns.seconds("time"), { name: "share", show: share }, { name: "computed as" }, { name: "source" }],
      rows: list.map((v) => [v.name, v.seconds, Number(v.share.toPrecision(4)), v.row?.of ?? "", v.row?.source ?? ""]),
    }),
    stops: () => list.map((v, i) => ({ series: 0, index: i, words: `${v.name}: ${words(v)}${v.row?.source ? `, by ${v.row.source}` : ""}` })),
  };
}

function barsOf(b: Budget): Bar[] {
  let at = 0;
  const list: Bar[] = b.rows.map((row) => {
    const from = at;
    at += row.seconds;
    return { name: row.name, kind: kinds[row.part] ?? "residual", from, to: at, seconds: row.seconds, share: row.share, row };
  });
  // Where the parts come to more than all, what is too much lies within their last.
  if (leftOver(b)) list.push({ name: kindWords.residual, kind: "residual", from: Math.min(at, b.seen), to: Math.max(at, b.seen), seconds: b.residual.seconds, share: b.residual.share, row: b.residual });
  list.push({ name: kindWords.all, kind: "all", from: 0, to: b.seen, seconds: b.seen, share: 1 });
  return list;
}

function tipOf(v: Bar, color: string): HTMLElement {
  const lines: TipLine[] = [["time", signed(v.seconds), color], ["share", share(v.share)]];
  if (v.row?.of) lines.push(["computed as", v.row.of]);
  if (v.kind === "residual" && v.row) lines.push(["which is", v.row.name]);
  if (v.row?.source) lines.push(["source", measured(v.row)]);
  return tip(v.name, lines);
}
