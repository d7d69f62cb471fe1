// Several systems held against each other: test by test, and summed up over each kind of
// test. A place is a range, because numbers rarely support more.

import { rankingChart, rowName } from "../charts/ranking";
import { h, type Child } from "../dom";
import * as format from "../format";
import type { Change, RankEntry, RankGroup, Ranking, RankRow } from "../model";
import { changeTone, type Tone } from "../theme";
import { gridOf } from "./charts";
import { metricWords } from "./words";

/** ranking shows the sum over each kind of test, then every test. */
export function ranking(k: Ranking, nth = 0): HTMLElement {
  const notes = [...new Set((k.rows ?? []).map((r) => r.reason ?? "").filter(Boolean))];
  return h(
    "div",
    { class: "ranking" },
    gridOf([rankingChart(k, nth)]),
    groups(k),
    h("p", { class: "faint legend" }, "The bold number before a name or a value is its place: 2–3 means that the numbers allow either, – that the number cannot be used."),
    h("p", {}, noise(k)),
    h("h3", {}, "Test by test"),
    rows(k, notes),
    notes.length ? h("ol", { class: "faint" }, ...notes.map((n) => h("li", {}, n))) : null,
  );
}

/** winners answers which system is best, as far as the numbers tell. */
export function winners(k: Ranking): { sentence: string; tone: Tone } {
  const list = k.groups ?? [];
  const last = list[list.length - 1];
  if (!last || last.verdict === "unusable" || !last.entries?.length) return { sentence: `No: ${last?.reason ?? "no test was made of two systems"}.`, tone: "bad" };
  const over = list.length > 1 ? "Over all tests" : `In ${format.count(last.rows, "test")}`;
  if (last.verdict === "better") return { sentence: `${over}, certain: ${last.entries.map((e) => `${e.first}. ${nameOf(k, e)}`).join(", ")}.`, tone: "good" };
  const may = last.entries.filter((e) => e.first === 1).map((e) => nameOf(k, e));
  const clear = list.filter((g) => g.name && g.verdict === "better").map((g) => `${nameOf(k, g.entries![0]!)} in ${g.name}`);
  const lead = may.length === 1 ? `${may[0]} is first; the ranks behind it are undecided` : `unclear: the first may be ${listed(may)}`;
  return { sentence: `${over}, ${lead}.${clear.length ? ` Certain within one kind of test: ${clear.join("; ")}.` : ""}`, tone: "unsure" };
}

function listed(names: string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names[names.length - 1]}`;
}

const nameOf = (k: Ranking, e: RankEntry) => k.systems?.[e.system]?.name ?? "";

function noise(k: Ranking): string {
  const n = k.noise;
  if (!n) {
    const bare = (k.rows ?? []).some((r) => (r.entries ?? []).some((e) => !e.estimate.confidence));
    return bare ? "Nothing was run twice, so what differs by chance is not known: single numbers are not told apart." : "";
  }
  const most = [...(n.repeats ?? [])].sort((a, b) => (b.difference ?? 0) - (a.difference ?? 0))[0];
  const example = most ? ` (${k.systems?.[most.system]?.name}, ${most.workload}: ${most.values.map((v) => format.metric(most.metric, v)).join(", ")})` : "";
  return `The sources' own repeats differ by up to ${format.percent(n.largest)}${example}, so two single runs are told apart only from ${format.percent(n.apart - 1)} on, and only if the other tests are no noisier.`;
}

function place(e: RankEntry): string {
  if (!e.first) return "–";
  return e.first === e.last ? String(e.first) : `${e.first}–${e.last}`;
}

function verdictWords(v: Change): string {
  return v === "better" ? "✓ clear" : v === "unusable" ? "✗ unusable" : "? unclear";
}

function table(name: string, head: string[], body: Child[]): HTMLElement {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": name },
    h("table", { class: "results" }, h("thead", {}, h("tr", {}, ...head.map((n) => h("th", { scope: "col" }, n)))), h("tbody", {}, ...body)),
  );
}

function groups(k: Ranking): HTMLElement {
  const line = (g: RankGroup) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, g.name || "all together"),
      h("td", { class: `verdict ${changeTone[g.verdict]}` }, verdictWords(g.verdict), g.reason ? h("span", { class: "faint" }, ` ${g.reason}`) : null),
      h("td", { class: "places" }, ...(g.entries ?? []).flatMap((e) => [h("span", { class: "system" }, h("b", {}, place(e)), ` ${nameOf(k, e)}`), " "])),
      h("td", { class: "faint" }, g.name ? format.count(g.rows, "test") : format.count(g.rows, "group")),
    );
  return table("Table of the ranking", ["kind of test", "verdict", "from best to worst", "over"], (k.groups ?? []).map(line));
}

function rows(k: Ranking, notes: string[]): HTMLElement {
  const systems = k.systems ?? [];
  const body: Child[] = [];
  let group = "";
  for (const r of k.rows ?? []) {
    if (r.group !== group) {
      group = r.group;
      body.push(h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: String(systems.length + 2) }, group)));
    }
    const note = r.reason ? ` (${notes.indexOf(r.reason) + 1})` : "";
    body.push(
      h(
        "tr",
        {},
        h("th", { scope: "row" }, h("span", { class: "name" }, rowName(k, r)), h("span", { class: "name faint" }, metricWords[r.metric])),
        h("td", { class: `verdict ${changeTone[r.verdict]}` }, (r.verdict === "unusable" && (r.entries ?? []).length === 1 ? "– only one system" : verdictWords(r.verdict)) + note),
        ...systems.map((_, i) => cell(r, i)),
      ),
    );
  }
  return table("Table of the tests", ["test", "verdict", ...systems.map((s) => s.name)], body);
}

function cell(r: RankRow, system: number): HTMLElement {
  const e = (r.entries ?? []).find((o) => o.system === system);
  if (!e) return h("td", { class: "faint" }, "–");
  const value = h("span", { class: e.trust === "invalid" ? "struck" : undefined }, format.metric(r.metric, e.estimate.estimate, r.direction));
  return h("td", { class: e.first === 1 && e.last === 1 ? "first" : undefined }, h("b", {}, place(e)), " ", value);
}
