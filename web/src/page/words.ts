// Names of things, the same everywhere on a page.

import * as format from "../format";
import type { Comparison, Direction, Documents, Metric, Report, Result, Run, Storage } from "../model";
import { letter } from "../theme";

/** flowName is a workload in one direction; the direction only where the name is not enough. */
export function flowName(workload: string, direction: Direction, all: { workload: string; direction: Direction }[]): string {
  const several = all.some((o) => o.workload === workload && o.direction !== direction);
  if (direction === "sync") return `${workload} flush`;
  return several ? `${workload} ${direction}` : workload;
}

/** plainName makes a name for files and links from any text. */
export function plainName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "x";
}

export const metricWords: Record<Metric, string> = {
  iops: "I/O per second",
  bandwidth: "bandwidth",
  latency: "mean latency",
  p50: "p50 latency",
  p90: "p90 latency",
  p99: "p99 latency",
  "p99.9": "p99.9 latency",
  "p99.99": "p99.99 latency",
  tps: "transactions per second",
  records: "records per second",
  elapsed: "time that it took",
};

export function storageWords(s: Storage): string {
  if (s.memory) return [s.filesystem, "in memory"].filter(Boolean).join(" ");
  const disk = s.rotational === true ? "rotating disk" : s.rotational === false ? "solid state" : "";
  return [s.filesystem, s.device && `on ${s.device}`, s.model, disk].filter(Boolean).join(" ");
}

/** severalWords tells how many volumes there were at once, from which nodes, and whether they are in fewer claims. */
export function severalWords(run: Run): string {
  const list = run.volumes ?? [];
  if (list.length < 2) return "";
  const nodes = [...new Set(list.map((v) => v.node).filter(Boolean))].sort();
  const claims = new Set(list.map((v) => v.target.name)).size;
  const shared = list.every((v) => v.target.cluster?.name) && claims < list.length;
  return [`${list.length} at once`, shared && `in ${format.count(claims, "claim")}`, nodes.length > 0 && `on ${nodes.join(", ")}`].filter(Boolean).join(", ");
}

/** whenWords tells when a run was made; of an imported one, what its source says of it. */
export function whenWords(run: Run): string {
  const from = run.imported;
  if (!from) return format.when(run.started) === "–" ? "" : format.when(run.started);
  const mark = from.series ? "imported with its seconds" : "imported: no raw series";
  return `${mark} · ${from.measured ? `measured ${format.when(from.measured)}` : "when it was measured is not known"}`;
}

export function runTitle(run: Run): string {
  return run.note ? `${run.target.name} (${run.note})` : run.target.name;
}

/** verdictCounts counts the results by verdict. */
export function verdictCounts(results: Result[]): { valid: number; suspect: number; invalid: number } {
  const n = { valid: 0, suspect: 0, invalid: 0 };
  for (const r of results) n[r.verdict]++;
  return n;
}

export function commandWords(command: string[] | undefined): string {
  return (command ?? []).map(format.shellWord).join(" ");
}

/** headline writes a result's headline with its interval: "61.2k IOPS ±2%". */
export function headline(r: Result): string {
  const value = r.metric === "iops" ? `${format.rate(r.estimate ?? NaN)} IOPS` : format.metric(r.metric, r.estimate);
  const half = format.plusMinus(r);
  return half === "–" ? value : `${value} ${half}`;
}

/** title of a page's document in the browser's tab. */
export function pageTitle(documents: Documents): string {
  const tests = (documents.durability ?? []).map((d) => `${d.target.name} durability`);
  return [...documents.reports.map((r) => r.run.target.name), ...tests].join(" · ") || "Report";
}

/** sidesOf are the letters of a comparison's two sides on the page. */
export function sidesOf(reports: Report[], c: Comparison): [string, string] {
  const a = reports.findIndex((r) => r.run.id === c.a.id);
  const b = reports.findIndex((r, i) => i !== a && r.run.id === c.b.id);
  return a < 0 || b < 0 ? ["A", "B"] : [letter(a), letter(b)];
}
