// A row of the list.

import { h, type Child } from "../dom";
import * as format from "../format";
import type { Change } from "../model";
import { flowName, labelList } from "../page/words";
import { changeTone, verdictSign, verdictTone, type Tone } from "../theme";
import { bundleOf, viewOf, type CardResult, type Entry } from "./api";

export interface RowChoice {
  has(e: Entry): boolean;
  /** set chooses a run or lets it go, and tells whether that was possible. */
  set(e: Entry, on: boolean): boolean;
}

/** targetWords names what was measured. */
export function targetWords(e: Entry): string {
  const target = e.target || (e.kind === "trace" ? "all block devices" : e.id);
  return e.baseline ? `${e.baseline} → ${target}` : target;
}

/** rowOf makes the row of a directory; names are those of the columns. */
export function rowOf(e: Entry, choice: RowChoice, names: string[]): HTMLTableRowElement {
  const words = targetWords(e);
  const box = h("input", { type: "checkbox", "data-part": "box", "aria-label": `Choose ${words}, ${dateWords(e)}` });
  box.checked = choice.has(e);
  box.disabled = e.kind === "unknown" || e.kind === "durability" || e.kind === "ranking";
  box.addEventListener("change", () => {
    if (!choice.set(e, box.checked)) box.checked = !box.checked;
  });
  const open = h("a", { href: viewOf(e.path), "data-part": "open" }, words);
  const bundle = h("a", { href: bundleOf(e.path), class: "bundle", "data-part": "bundle", download: true, "aria-label": `Download ${words}` }, "bundle");
  const cells: Child[][] = [
    [open, h("p", { class: "faint" }, kindWords(e), " · ", bundle)],
    [dateWords(e)],
    [elapsed(e)],
    resultWords(e),
    state(e),
    [e.note, labelList(e.labels)],
  ];
  const row = h("tr", { role: "row" }, h("td", { role: "cell", class: "choose" }, box));
  row.dataset.path = e.path;
  cells.forEach((children, i) => {
    const tag = i === 0 ? "th" : "td";
    const cell = h(tag, { role: i === 0 ? "rowheader" : "cell", scope: i === 0 ? "row" : undefined, class: names[i], "data-name": names[i] }, ...children);
    if (children.every((c) => !c || c === "–")) cell.classList.add("empty");
    row.append(cell);
  });
  return row;
}

/** dateWords tells when it was measured or, where the source of imported numbers does not say, when they were imported. */
function dateWords(e: Entry): string {
  return !e.started && e.imported ? `imported ${format.when(e.imported).slice(0, 10)}` : format.when(e.started);
}

function kindWords(e: Entry): string {
  const kind = { run: e.profile || "run", sweep: "sweep", scale: "scaling", comparison: `comparison ${e.profile ?? ""}`.trim(), ranking: "ranking", durability: "durability", trace: "trace", unknown: "not readable" }[e.kind];
  const parts = [kind, e.target_kind === "imported" && "imported: no raw series", e.host && `on ${e.host}`];
  return parts.filter(Boolean).join(" · ");
}

/** elapsed is how long a run was measured; of one that took place elsewhere that is not known. */
function elapsed(e: Entry): string {
  const seconds = e.started && e.finished ? (Date.parse(e.finished) - Date.parse(e.started)) / 1000 : 0;
  return seconds > 0 && e.target_kind !== "imported" ? format.span(seconds) : "–";
}

function resultWords(e: Entry): Child[] {
  if (e.statement) return [h("p", { class: "statement" }, e.statement)];
  if (e.changes) {
    const order: Change[] = ["better", "worse", "same", "unclear", "unusable"];
    const parts = order.filter((c) => e.changes?.[c]).map((c) => h("span", { class: `verdict ${changeTone[c]}` }, `${e.changes![c]} ${c}`));
    return [h("p", { class: "changes" }, ...parts)];
  }
  if (!e.results?.length) return [];
  const more = e.more && e.results.length > 1 ? h("li", { class: "faint" }, `and ${e.more} more`) : null;
  const brief = briefly(e.results);
  if (brief) return [h("ul", {}, ...brief, more)];
  const items = e.results.slice(0, mostNamed).map((r) => h("li", { class: r.verdict }, h("span", {}, named(r, e.results!)), value(r)));
  const rest = (e.more ?? 0) + Math.max(0, e.results.length - mostNamed);
  return [h("ul", {}, ...items, rest && e.results.length > 1 ? h("li", { class: "faint" }, `and ${rest} more`) : null)];
}

/** More results than these make a row too high, where each needs its name. */
const mostNamed = 3;

/** briefly writes reads and writes of a metric in one line, where that names them: rates,
 * bandwidths and latencies of a run of the usual workloads. */
function briefly(results: CardResult[]): Child[] | null {
  const keys = results.map((r) => `${r.metric}/${r.direction}`);
  if (results.length < 3 || new Set(keys).size < keys.length) return null;
  const metrics = [...new Set(results.map((r) => r.metric))];
  return metrics.map((m) => h("li", {}, ...results.filter((r) => r.metric === m).map((r) => h("span", { class: `pair ${r.verdict}`, title: r.workload }, h("span", { class: "faint" }, shortName(r)), " ", value(r)))));
}

/** Whether it is random or sequential is in the names of the usual workloads. */
const shortName = (r: CardResult): string => (/^(rand|seq)-/.exec(r.workload)?.[0].replace("-", " ") ?? "") + (r.direction === "sync" ? "flush" : r.direction);

/** named is a workload in the words of briefly where these are enough, as for the usual ones. */
function named(r: CardResult, all: CardResult[]): string {
  const usual = /^(rand|seq)-(read|write)-(iops|bw|lat)$/;
  return usual.test(r.workload) && all.every((o) => o === r || shortName(o) !== shortName(r)) ? shortName(r) : flowName(r.workload, r.direction, all);
}

function value(r: CardResult): HTMLElement {
  const half = format.interval(r.metric, r, r.direction);
  return h("span", { class: "number" }, format.metric(r.metric, r.estimate, r.direction) + (half === "–" ? "" : ` ${half}`));
}

/** state says how it ended and whether it may be believed, in words and a sign. */
function state(e: Entry): Child[] {
  const word = (tone: Tone, text: string) => h("span", { class: `verdict ${tone}` }, text);
  const out: Child[] = [];
  if (e.status === "running") out.push(word("plain", "● running"));
  else if (e.problems?.length) out.push(word("bad", "✗ damaged"));
  else if (e.durability) out.push(word(e.durability === "clean" ? "good" : e.durability === "unproven" ? "unsure" : "bad", e.durability));
  else if (e.verdict) out.push(word(verdictTone[e.verdict], `${verdictSign[e.verdict]} ${e.verdict}`));
  if (e.status === "interrupted" || e.status === "failed") out.push(out.length ? ", " : null, word(e.status === "failed" ? "bad" : "unsure", e.status));
  const why = [...(e.problems ?? []), e.reason].filter(Boolean).join("; ");
  if (why) out.push(h("p", { class: "faint why" }, why));
  return out;
}
