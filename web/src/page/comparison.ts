// A comparison: what the two have in common and what not, the rows, the forest, the findings.

import { figure } from "../charts/figure";
import { forest, intervalOf } from "../charts/forest";
import { h, type Child } from "../dom";
import * as format from "../format";
import type { Comparison, Row } from "../model";
import { changeSign, changeTone, verdictSign } from "../theme";
import { advice } from "./advice";
import { findings } from "./findings";
import { flowName, metricWords, placeName, runTitle } from "./words";

/** comparison shows the nth comparison of a page. */
export function comparison(c: Comparison, nth: number, sides: [string, string]): HTMLElement {
  const paired = c.method === "paired";
  const how = paired ? "Measured in interleaved blocks." : "Two runs after each other: what else changed between them is part of the difference.";
  const means = c.rows.length ? `${sides[0]} and ${sides[1]} are geometric means over the ${paired ? "blocks" : "repeats"}; a run's own results, of all of its seconds and I/Os, may differ.` : "";
  const drawing = forest(c, nth, sides);
  return h(
    "section",
    { "aria-label": `${placeName(c.a.target)} against ${placeName(c.b.target)}` },
    h("p", {}, h("strong", {}, `${sides[0]} `), runTitle(c.a), h("strong", {}, `  ${sides[1]} `), runTitle(c.b)),
    drawing && h("div", { class: "charts" }, figure(drawing)),
    table(c, sides),
    footnotes(notesOf(c)),
    c.next ? advice(c.next) : null,
    h("p", { class: "faint legend" }, `${how} ${means} Margin: ${format.asked(c.margins.rate)} for rates, ${format.asked(c.margins.p99)} for the high percentiles.`),
    traits(c, sides),
    c.findings.length ? findings(c.findings) : null,
  );
}

function traits(c: Comparison, sides: [string, string]): HTMLElement {
  const parts: Child[] = [];
  if (c.common.length) parts.push(h("p", {}, h("span", { class: "faint" }, "The same: "), c.common.map((t) => (plain.has(t.name) ? t.value : `${t.name} ${t.value}`)).join(" · ")));
  if (c.differences.length) {
    const rows = c.differences.map((d) =>
      h("tr", {}, h("th", { scope: "row" }, d.name), h("td", {}, d.a), h("td", {}, d.b), h("td", { class: d.not_comparable ? "verdict unsure" : "faint" }, d.not_comparable ? "! not comparable" : "what is compared, or harmless")),
    );
    const head = h("tr", {}, ...["differs", ...sides, ""].map((n) => h("th", { scope: "col" }, n)));
    parts.push(h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Differences" }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows))));
  }
  return h("div", { class: "traits" }, ...parts);
}

/** Traits whose values say what they are. */
const plain = new Set(["kind", "direct"]);

/** notesOf are the notes of the rows; rows share a note in the same words. */
function notesOf(c: Comparison): string[] {
  return [...new Set(c.rows.map((r) => r.note ?? "").filter(Boolean))];
}

function footnotes(notes: string[]): HTMLElement | null {
  return notes.length ? h("ol", { class: "footnotes", "aria-label": "Notes to the rows" }, ...notes.map((words) => h("li", {}, words))) : null;
}

function table(c: Comparison, [a, b]: [string, string]): HTMLElement {
  const head = ["workload", "verdict", "change", "95% CI", a, "95% CI", b, "95% CI"];
  const numeric = new Set([a, b, "95% CI", "change"]);
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table of the comparison" },
    h("table", { class: "results" }, h("thead", {}, h("tr", {}, ...head.map((n) => h("th", { scope: "col", class: numeric.has(n) ? "number" : undefined }, n)))), h("tbody", {}, ...c.rows.map((r) => rowOf(r, c)))),
  );
}

function rowOf(r: Row, c: Comparison): HTMLElement {
  const number = (text: string, bold = false) => h("td", { class: bold ? "number headline" : "number" }, text);
  const trust = r.trust === "valid" ? "" : `${verdictSign[r.trust]} ${r.trust}`;
  const note = r.note ? `${r.sustained ? "sustained rates, " : ""}note ${notesOf(c).indexOf(r.note) + 1}` : "";
  return h(
    "tr",
    { class: r.trust },
    h("th", { scope: "row" }, h("span", { class: "name" }, flowName(r.workload, r.direction, c.rows)), h("span", { class: "name faint" }, metricWords[r.metric])),
    h("td", { class: `verdict ${changeTone[r.verdict]}` }, `${changeSign[r.verdict]} ${r.verdict}`, ...[note, trust].filter(Boolean).map((words) => h("span", { class: "name faint" }, words))),
    number(format.change(r.ratio.estimate), true),
    number(r.ratio.confidence ? intervalOf(r) : "–"),
    number(format.metric(r.metric, r.a.estimate, r.direction)),
    number(format.interval(r.metric, r.a, r.direction)),
    number(format.metric(r.metric, r.b.estimate, r.direction)),
    number(format.interval(r.metric, r.b, r.direction)),
  );
}
