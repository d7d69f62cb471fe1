// What a transaction cost the application and its storage: a rate of transactions alone says
// nothing of either.

import { sentence } from "../charts/common";
import { h } from "../dom";
import * as format from "../format";
import type { Num, Report, Transactions } from "../model";
import { flowName, placeName } from "./words";

type Write = (v: number) => string;

const each: Write = (v) => (v > 0 && v < 0.005 ? "<0.01" : String(Number(v.toFixed(2))));
const share: Write = (v) => format.percent(v);

/** The columns, as internal/show/report/words has them. */
const all: [string, keyof Transactions, Write][] = [
  ["WAL flushes", "flushes", each],
  ["time of a flush", "flush_time", format.duration],
  ["time in flushes", "flushing", share],
  ["WAL", "log_bytes", format.size],
  ["full-page images", "page_images", each],
  ["page reads", "reads", each],
  ["cache hits", "hit_rate", share],
  ["time in reads", "reading", share],
  ["device reads", "device_reads", each],
  ["device writes", "device_writes", each],
  ["device flushes", "device_flushes", each],
  ["device written", "device_written_bytes", format.size],
  ["log's device reads", "log_device_reads", each],
  ["log's device writes", "log_device_writes", each],
  ["log's device flushes", "log_device_flushes", each],
  ["log's device written", "log_device_written_bytes", format.size],
];

/** reach says where the client was, if not beside the server, and how far from it. */
function reach(report: Report): string {
  const server = report.run.prepare?.app;
  const at = report.run.environment.cluster;
  let words = "";
  if (at?.client) words = `; the client in a pod of its own on ${at.client.node === at.node ? "the same node" : at.client.node}`;
  if (server?.round_trip && server.connection) words += `; round trip ${format.duration(server.round_trip)}, connection ${format.duration(server.connection)}`;
  return words;
}

/** saturation says up to how many clients each load grows. */
function saturation(report: Report): HTMLElement[] {
  return (report.saturation ?? []).map((c) => h("p", { class: "legend" }, sentence(c.says)));
}

/** costs makes the table; null where no application was loaded. */
export function costs(report: Report): HTMLElement | null {
  const rows = report.results.filter((r) => r.app);
  if (!rows.length) return null;
  // What nobody counted is left out.
  const columns = all.filter(([, name]) => rows.some((r) => typeof r.app![name] === "number"));
  const cell = (v: Num | undefined, write: Write) => h("td", { class: "number" }, v === null || v === undefined ? "–" : write(v));
  const server = report.run.prepare?.app;
  const log = report.run.volume.log;
  return h(
    "div",
    { class: "costs" },
    h("h3", {}, "Costs per transaction"),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table of costs per transaction" },
      h(
        "table",
        { class: "results" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "workload"), ...columns.map(([title]) => h("th", { scope: "col", class: "number" }, title)))),
        h("tbody", {}, ...rows.map((r) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: "name" }, flowName(r.workload, r.direction, report.results))), ...columns.map(([, name, write]) => cell(r.app![name], write))))),
      ),
    ),
    server ? h("p", { class: "faint legend" }, `${server.name} ${server.version}, scale ${server.scale ?? "–"}: ${format.size(server.data ?? 0)} of data, a cache of its own of ${format.size(server.cache ?? 0)}; ${server.server && !server.server.checkpoint ? "no checkpoint before each repeat" : "each repeat after a checkpoint"}${log ? `; its log in ${placeName(log.target)}` : ""}${reach(report)}`) : null,
    ...saturation(report),
  );
}
