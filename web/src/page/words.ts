// Names of things, the same everywhere on a page.

import { h } from "../dom";
import * as format from "../format";
import type { Comparison, Direction, Documents, Environment, Metric, Report, Result, Run, Target } from "../model";
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
  iops: "IOPS",
  bandwidth: "bandwidth",
  latency: "mean latency",
  p50: "p50 latency",
  p90: "p90 latency",
  p99: "p99 latency",
  "p99.9": "p99.9 latency",
  "p99.99": "p99.99 latency",
  tps: "transactions per second",
  records: "records per second",
  elapsed: "elapsed time",
};

/** storageWords tells what lies under a target, as far as its machine knows: "ext4 on nvme0n1, Samsung SSD 980, 932 GiB, solid state". */
export function storageWords(e: Environment): string {
  const s = e.storage;
  if (s.memory) return [s.filesystem, "in memory"].filter(Boolean).join(" ");
  const found = [s.filesystem, s.device && `on ${s.device}`].filter(Boolean).join(" ");
  const disk = virtual(e) ? "virtual disk" : s.rotational === true ? "rotating disk" : s.rotational === false ? "solid state" : "";
  return [found, s.model, s.device_size && format.size(s.device_size), disk].filter(Boolean).join(", ");
}

/** virtual tells a disk that a hypervisor makes: what the kernel says of its turning is a
 * default, and says nothing of what lies behind it. */
function virtual(e: Environment): boolean {
  const { device = "", device_chain: chain = [], model = "", rotational } = e.storage;
  if ([device, ...(chain ?? [])].some((d) => /^(\/dev\/)?(vd[a-z]|xvd[a-z])/.test(d)) || /\b(qemu|vmware|virtual|vbox|msft|persistentdisk|elastic block)/i.test(model)) return true;
  const machine = e.virtualization && !/^(none|docker|lxc|podman|systemd-nspawn|openvz)/.test(e.virtualization);
  return rotational === true && !!device && !!machine;
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
  if (!from) return format.moment(run.started) === "–" ? "" : format.moment(run.started);
  const mark = from.series ? "imported with its seconds" : "imported: no raw series";
  return `${mark} · ${from.measured ? `measured ${format.moment(from.measured)}` : "when it was measured is not known"}`;
}

/** placeName names what was measured so that it can be found again: an absolute path, a claim, an address. */
export const placeName = (t: Target): string => (!t.cluster && ["directory", "file", "block", "postgres", "etcd"].includes(t.kind) && t.path) || t.name;

/** whereWords tells on which machine, or where in a cluster. */
export function whereWords(run: Run): string {
  const c = run.environment.cluster;
  if (c) return [c.node && `node ${c.node}`, c.namespace && `namespace ${c.namespace}`].filter(Boolean).join(", ");
  return run.environment.hostname ?? "";
}

/** labelWords are the labels of a run as name=value, by name. */
export function labelWords(labels: Record<string, string> | undefined): string[] {
  return Object.entries(labels ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .sort();
}

/** labelList shows the labels of a run; nothing where there are none. */
export function labelList(labels: Record<string, string> | undefined): HTMLElement | null {
  const words = labelWords(labels);
  return words.length ? h("ul", { class: "labels", "aria-label": "Labels" }, ...words.map((w) => h("li", {}, w))) : null;
}

export function runTitle(run: Run): string {
  return run.note ? `${placeName(run.target)} (${run.note})` : placeName(run.target);
}

/** reportTitle says what a report is of, and where that is: "/srv/data on db1". */
export function reportTitle(r: Report): string {
  const names = (r.ranking?.systems ?? []).map((s) => s.name);
  if (names.length > 1 && names.length <= 8) return `Ranking of ${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
  const where = whereWords(r.run);
  return `${placeName(r.run.target)}${where ? ` on ${where}` : ""}`;
}

/** comparisonTitle says what is compared, and where that is: "/srv/old against /srv/data on db1". Two runs of one target are told
 * apart by their notes or, without, by when they were made. */
export function comparisonTitle(c: Comparison): string {
  const same = placeName(c.a.target) === placeName(c.b.target);
  const [a, b] = [c.a, c.b].map((run) => {
    const by = run.note || whenWords(run);
    return same && by ? `${placeName(run.target)} (${by})` : placeName(run.target);
  });
  const [atA, atB] = [c.a, c.b].map((run) => (whereWords(run) ? ` on ${whereWords(run)}` : ""));
  return `${a}${atA === atB ? "" : atA} against ${b}${atB}`;
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

/** targetsOf are the targets that the command of a run names: its own, and those of its
 * volumes; then those of the others that one command measured. */
export function targetsOf(run: Run, others: Run[]): Target[] {
  const words = JSON.stringify(run.command);
  return [run, ...others.filter((o) => JSON.stringify(o.command) === words)].flatMap((r) => [r.target, ...(r.volumes ?? []).map((v) => v.target)]);
}

/** placedCommand is a command with its targets named so that it measures the same from any
 * directory, by the rules of Placed in internal/model. */
export function placedCommand(recorded: string[] | undefined, targets: Target[]): string {
  const command = [...(recorded ?? [])];
  const done = new Set<string>();
  for (const t of targets) {
    if (!t.name || done.has(t.name)) continue;
    done.add(t.name);
    const at = argument(recorded ?? [], t.name);
    if (at > 0) command[at] = placeName(t);
    // The permission to overwrite a target names it, too.
    recorded?.forEach((word, i) => {
      if (word === `--destroy-data-on=${t.name}`) command[i] = `--destroy-data-on=${placeName(t)}`;
      else if (word === t.name && recorded[i - 1] === "--destroy-data-on") command[i] = placeName(t);
    });
  }
  return commandWords(command);
}

/** verbEnd is the number of words before a command's arguments, by the rules of verbEnd in internal/model. */
function verbEnd(command: string[]): number {
  if (command[1] === "app") return 3;
  const places = command.slice(3, 6).filter((word) => !word.startsWith("-"));
  return command[1] === "compare" && command[2] === "app" && places.length === 3 ? 4 : 2;
}

/** argument is where in a command an argument stands: behind the verb and no flag, else behind a flag. */
function argument(command: string[], name: string): number {
  const from = verbEnd(command);
  const all = command.flatMap((word, i) => (i >= from && word === name ? [i] : []));
  const free = all.filter((i) => !command[i - 1]!.startsWith("-"));
  const likely = free.length ? free : all;
  return likely.length === 1 ? likely[0]! : -1;
}

/** headline writes a result's headline with its interval: "61.2k IOPS ±2%". */
export function headline(r: Result): string {
  const value = format.metric(r.metric, r.estimate, r.direction);
  const half = format.interval(r.metric, r, r.direction);
  return half === "–" ? value : `${value} ${half}`;
}

/** title of a page's document in the browser's tab. */
export function pageTitle(documents: Documents): string {
  const tests = (documents.durability ?? []).map((d) => `durability of ${placeName(d.target)}`);
  const compared = documents.reports.length ? [] : (documents.comparisons ?? []).map(comparisonTitle);
  return [...documents.reports.map(reportTitle), ...compared, ...tests].join(" · ") || "Report";
}

/** sameRun reports whether two descriptions are of one run: runs of several machines that began in one second have
 * one ID, and their directories may be named alike, too. */
export const sameRun = (a: Run, b: Run): boolean =>
  a.id === b.id && a.directory === b.directory && Date.parse(a.started) === Date.parse(b.started) && a.environment.hostname === b.environment.hostname;

/** sidesOf are the letters of a comparison's two sides on the page. */
export function sidesOf(reports: Report[], c: Comparison): [string, string] {
  const a = reports.findIndex((r) => sameRun(r.run, c.a));
  const b = reports.findIndex((r, i) => i !== a && sameRun(r.run, c.b));
  return a < 0 || b < 0 ? ["A", "B"] : [letter(a), letter(b)];
}

/** unconverged reports whether an interval is wider than was requested or rests on too short a time; no width is requested of a flush. */
export const unconverged = (r: Result): boolean => !r.converged && r.direction !== "sync" && r.confidence > 0;

/** tooBrief reports whether an interval is as narrow as was requested, but of storage that was observed too briefly to rely on it. */
export const tooBrief = (r: Result, precision: number): boolean => unconverged(r) && (format.halfWidth(r) ?? Infinity) <= precision;
