// The seconds that a page carries, as one table for a notebook: a row for each second of
// each workload and direction, in base units.

import type { Table } from "../charts/figure";
import type { Report } from "../model";

/** samplesOf makes the table; its columns are those of the program's CSV, as far as a page has them. */
export function samplesOf(report: Report): Table {
  const labels = Object.entries(report.run.labels ?? {})
    .filter(([name]) => /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) && !name.startsWith("__"))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = (report.courses ?? []).flatMap((c) => {
    const p = c.points;
    const some = (v: number | undefined) => (v && v > 0 ? v : null);
    return p.at.map((end, i) => [
      report.run.id,
      c.workload,
      c.direction,
      c.spans[p.span[i]!]?.round ?? null,
      end,
      p.seconds[i]!,
      p.iops[i]!,
      p.bandwidth[i]!,
      some(p.mean[i]),
      some(p.p50[i]),
      some(p.p99[i]),
      some(p["p99.9"][i]),
      ...labels.map(([, value]) => value),
    ]);
  });
  const names = ["run", "workload", "direction", "round", "end", "seconds", "iops", "bandwidth", "latency_mean", "latency_p50", "latency_p99", "latency_p99.9", ...labels.map(([name]) => `label_${name}`)];
  return { columns: names.map((name) => ({ name })), rows };
}
