// Everything that one needs to measure the same again: the command, the versions, the
// machine, the volume, the schedule and the exact jobs.

import { csv } from "../charts/figure";
import { h, save, type Child } from "../dom";
import * as format from "../format";
import type { Cluster, Report, Target } from "../model";
import { samplesOf } from "./samples";
import { commandWords, labelWords, placeName, placedCommand, plainName, severalWords, storageWords, whenWords } from "./words";

type Pair = [name: string, value: string | undefined | false];

/** reproduce shows how a report came about; its command names the targets. */
export function reproduce(report: Report, targets: Target[]): HTMLElement {
  const { run } = report;
  const e = run.environment;
  const s = e.storage;
  const v = run.volume;
  // Of a filesystem without a device the chain names only itself.
  const remote = !s.device && !s.memory && s.device_chain?.length === 1 && s.device_chain[0] === s.filesystem;
  const plan = run.schedule;
  const memory = (n: number | undefined) => (n ? format.size(n) : undefined);
  const yes = (b: boolean | undefined) => (b === undefined ? undefined : b ? "yes" : "no");
  const proof = run.prepare?.proof;
  const own = !run.imported && !report.ranking;
  const box = h(
    "div",
    { class: "reproduce" },
    run.command?.length ? h("pre", { class: "command", tabindex: "0", "aria-label": "Command" }, placedCommand(run.command, targets)) : h("p", {}, "The command is not known."),
    h(
      "div",
      { class: "facts" },
      facts("Run", [
        ["id", run.id],
        [run.imported ? "origin" : "started", whenWords(run)],
        ["elapsed, measuring", !!run.measured_seconds && format.span(run.measured_seconds)],
        ["profile", run.profile],
        ["note", run.note],
        ["labels", labelWords(run.labels).join(", ")],
        ["seed", own && String(plan.seed)],
        ["schedule", own && scheduleWords(report)],
        ["precision asked", plan.precision ? `±${format.asked(plan.precision)}` : undefined],
        ["saved in", run.directory],
      ]),
      facts("Volume", [
        ["target", placeName(run.target)],
        ["typed as", placeName(run.target) !== run.target.name && run.target.name],
        ["kind", run.target.kind],
        ["path", v.path],
        ["volumes", severalWords(run)],
        ["size", v.size > 0 && `${format.size(v.size)}${v.size_reason ? ` (${v.size_reason})` : ""}`],
        ["engine", v.engine && `${v.engine}, ${v.direct ? "page cache bypassed" : "through the page cache"}`],
        ["data after initialization", run.prepare?.app && format.size(run.prepare.written)],
        ["prefilled", own && !run.prepare?.app && (run.prepare ? `${format.size(run.prepare.written)} in ${format.span(run.prepare.seconds)}` : "no")],
        ["proof of data", proof && `${proof.method}: ${proof.unwritten ? `${format.size(proof.unwritten)} unwritten of ` : "all written, "}${format.size(proof.checked)} checked${proof.detail ? `; ${proof.detail}` : ""}`],
      ]),
      facts("Storage", [
        ["found", storageWords(e)],
        ["mount", s.mount && `${s.mount_from ?? ""} on ${s.mount}`],
        ["mount options", s.mount_options],
        ["filesystem size", s.total ? `${format.size(s.total)}, ${format.size(s.free ?? 0)} free` : undefined],
        ["device", remote ? "none of this machine" : s.device_chain?.length ? s.device_chain.join(" → ") : s.device],
        ["device size", memory(s.device_size)],
        ["write cache", s.write_cache],
        ["scheduler", s.scheduler],
        ["sectors", s.logical_block ? `${s.logical_block} B logical, ${s.physical_block} B physical` : undefined],
        ["direct I/O", s.direct_error ? `no: ${s.direct_error}` : yes(s.direct)],
        ["server says", s.server],
      ]),
      ...kubernetes(e.cluster),
      facts("Machine", [
        ["host", e.hostname],
        ["system", e.os],
        ["kernel", e.kernel],
        ["processor", e.cpu_model && `${e.cpu_model}, ${format.count(e.cpus ?? 0, "core")}`],
        ["architecture", e.arch],
        ["governor", e.cpu_governor],
        ["memory", memory(e.memory)],
        ["virtualization", e.virtualization],
        ["clock", e.clocksource],
        ["limit of the cgroup", [e.cgroup_cpu && `${format.three(e.cgroup_cpu)} cores`, e.cgroup_memory && format.size(e.cgroup_memory)].filter(Boolean).join(", ")],
      ]),
      facts("Sources", (run.imported?.sources ?? []).map((o): Pair => [o.name, `${(o.formats ?? []).join(", ")}, ${format.count(o.lines, "line")}; kept as ${o.raw.includes("/") ? o.raw : `raw/${o.raw}`}`])),
      facts("Versions", Object.entries(run.tools ?? {}).sort()),
    ),
    jobs(report),
  );
  const button = h("button", { type: "button" }, "Save the report document (JSON)");
  button.addEventListener("click", () => save(`${plainName(run.id)}.json`, "application/json", JSON.stringify(report, null, 1)));
  box.append(h("p", { class: "saves" }, button, samplesButton(report)));
  const words = samplesWords(report);
  if (words) box.append(h("p", { class: "faint" }, ...words));
  return box;
}

function samplesButton(report: Report): HTMLElement | null {
  if (!report.courses?.some((c) => c.points.at.length)) return null;
  const button = h("button", { type: "button" }, "Save every second (CSV)");
  button.addEventListener("click", () => save(`${plainName(report.run.id)}-seconds.csv`, "text/csv", csv(samplesOf(report))));
  return button;
}

/** samplesWords says what a row of that file is, and how to get those of each worker. */
function samplesWords(report: Report): Child[] | null {
  const courses = (report.courses ?? []).filter((c) => c.points.at.length);
  if (!courses.length) return null;
  const thinned = Math.max(...courses.map((c) => c.thinned));
  const words = thinned > 1 ? `Of this long run the page carries ${thinned} s in a row of the CSV.` : "A row of the CSV is a second of a workload, of all its workers together.";
  if (report.run.imported || !report.run.directory) return [words];
  return [`${words} Every worker's own: `, h("code", {}, commandWords(["loadline", "report", report.run.directory, "-o", "run.csv"]))];
}

// kubernetes is where in a cluster it was, and what the storage system says of itself.
function kubernetes(c: Cluster | undefined): Child[] {
  if (!c) {
    return [];
  }
  const list = (o: Record<string, string> | undefined) =>
    Object.entries(o ?? {})
      .map(([name, value]) => `${name} ${value}`)
      .join(", ");
  const b = c.backing;
  const boxes = [
    facts("Kubernetes", [
      ["version", c.version],
      ["namespace", c.namespace],
      ["node", c.node],
      ["class", c.class && `${c.class}${c.provisioner ? ` (${c.provisioner})` : ""}`],
      ["parameters", list(c.parameters)],
      ["claim", `${c.made ? "made for this run" : c.claim}${c.capacity ? `, ${format.size(c.capacity)}` : ""}${c.access?.length ? `, ${c.access.join(", ")}` : ""}${c.mode ? `, ${c.mode}` : ""}`],
      ["driver", c.driver],
    ]),
  ];
  if (b) {
    boxes.push(
      facts("Storage system", [
        ["system", b.system],
        ["version", b.version],
        ["engine", b.engine],
        ["replicas", b.replicas ? `${b.replicas}${b.nodes?.length ? ` on ${b.nodes.join(", ")}` : ""}${b.healthy && b.healthy < b.replicas ? ` (${b.healthy} healthy)` : ""}` : undefined],
        ["data locality", b.locality],
        ["says", list(b.facts)],
        ["not known", b.unknown?.join("; ")],
      ]),
    );
  }
  return boxes;
}

function scheduleWords(report: Report): string {
  const s = report.run.schedule;
  if (s.mode === "rounds") return `repeats of ${format.span(s.repeat_time)} after ${format.span(s.ramp)} of ramp, in random order, at least ${s.min_repeats} of each, at most ${format.span(s.max_time)} in all`;
  if (s.mode === "fixed") return `one repeat of ${format.span(s.repeat_time)} after ${format.span(s.ramp)} of ramp`;
  return `one repeat until steady, at most ${format.span(s.max_time)}`;
}

function facts(title: string, pairs: Pair[]): HTMLElement | null {
  const items: Child[] = pairs.filter(([, v]) => v).flatMap(([k, v]) => [h("dt", {}, k), h("dd", {}, v)]);
  return items.length === 0 ? null : h("section", {}, h("h3", {}, title), h("dl", {}, ...items));
}

function jobs(report: Report): HTMLElement | null {
  const all = Object.entries(report.run.jobs ?? {}).sort();
  if (report.run.imported || report.ranking) return null;
  if (!all.length) return h("p", { class: "faint" }, "The exact jobs are not part of this document.");
  return h(
    "details",
    { class: "jobs" },
    h("summary", {}, `The exact job${all.length > 1 ? "s" : ""} that the load tool was given (${all.length})`),
    ...all.map(([name, text]) => h("section", {}, h("h3", {}, name), h("pre", { tabindex: "0", "aria-label": `Job of ${name}` }, text))),
  );
}
