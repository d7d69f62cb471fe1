// A page is a function of its documents: the file that a run leaves behind and the
// served library show the same one.

import { add, h, type Child } from "../dom";
import { drawAll } from "../charts/figure";
import type { Documents, Report, Run, Trace } from "../model";
import { letter, setPrinting } from "../theme";
import { answerList, answers, comparisonsOf } from "./answers";
import { brand } from "./brand";
import { timeGoes } from "./budgets";
import { overTime, varied } from "./charts";
import { comparison } from "./comparison";
import { contents } from "./contents";
import { durability } from "./durability";
import { findings } from "./findings";
import { goalList } from "./goals";
import { reproduce } from "./reproduce";
import { ranking } from "./ranking";
import { results } from "./results";
import { traceBeside, traceHead, traceSections, traceTitle } from "./trace";
import { comparisonTitle, labelList, pageTitle, reportTitle, runTitle, sidesOf, storageWords, targetsOf, whenWords } from "./words";

/** page makes the whole page, the answer first: the verdicts, the chart and the table that
 * they are made of, what speaks against them, and then all else. */
export function page(documents: Documents): HTMLElement {
  if (documents.traces?.length) return traces(documents.traces);
  document.title = `${pageTitle(documents)} · Loadline`;
  const main = h("main", { class: "page" });
  main.append(header(documents));
  const said = answers(documents);
  if (said.length) main.append(answerList(said, documents.reports.length));
  const sections = sectionsOf(documents);
  add(main, [contents(sections), h("div", { class: "sections" }, ...sections), footer()]);
  return main;
}

/** traces makes the page of traces; of several each stands below the one before it. */
function traces(list: Trace[]): HTMLElement {
  document.title = `${list.map(traceTitle).join(" · ")} · Loadline`;
  const several = list.length > 1;
  const sections = list.flatMap((t, i) => [...(several ? [h("section", { id: `trace-${i + 1}`, "aria-label": traceTitle(t) }, traceHead(t))] : []), ...traceSections(t, i)]);
  const main = h("main", { class: "page" }, h("header", {}, brand(), several ? null : traceHead(list[0]!)));
  add(main, [contents(sections), h("div", { class: "sections" }, ...sections), footer()]);
  return main;
}

function sectionsOf(documents: Documents): HTMLElement[] {
  const list: (HTMLElement | null)[] = [];
  const compared = comparisonsOf(documents);
  if (compared.length) list.push(h("section", { id: "comparison", "aria-label": "Comparison" }, h("h2", {}, "Comparison"), ...compared.map((c, i) => comparison(c, i, sidesOf(documents.reports, c)))));
  const ranked = documents.reports.filter((r) => r.ranking);
  if (ranked.length) list.push(h("section", { id: "ranking", "aria-label": "Ranking" }, h("h2", {}, "Ranking"), ...ranked.map((r, i) => ranking(r.ranking!, i))));
  list.push(...varied(documents));
  // What only scales has its numbers in its charts.
  const measured = documents.reports.some((r) => !r.ranking && (r.results.length || !r.scales?.length));
  if (measured) list.push(each(documents, "Results", "results", results));
  if (documents.reports.some((r) => r.goals?.length)) list.push(each(documents, "Goals", "goals", (r) => goalList(r.goals ?? [])));
  list.push(each(documents, "Findings", "findings", (r) => findings(r.findings, new Set(r.results.map((o) => o.workload)).size)));
  list.push(timeGoes(documents), traced(documents), overTime(documents), each(documents, "To reproduce it", "reproduce", (r) => reproduce(r, targetsOf(r.run, documents.reports.map((o) => o.run)))), ...(documents.durability ?? []).map(durability));
  return list.filter((s) => s !== null);
}

/** traced shows the traces made beside the runs; null where there is none. */
function traced(documents: Documents): HTMLElement | null {
  const beside = documents.beside ?? [];
  if (!beside.some((t) => t)) return null;
  return each(documents, "Block trace", "trace", (r, suffix) => {
    const t = beside[documents.reports.indexOf(r)];
    if (!t) return h("p", {}, "Nothing was traced beside it.");
    // Of several the contents cannot tell whose part it is.
    return suffix ? h("div", {}, ...traceBeside(t, suffix)) : traceBeside(t, suffix);
  });
}

/** each makes a section with a part for every report. */
function each(documents: Documents, title: string, name: string, make: (r: Report, suffix: string) => Child | Child[]): HTMLElement | null {
  if (documents.reports.length === 0) return null;
  const several = documents.reports.length > 1;
  const parts: Child[] = documents.reports.flatMap((r, i) => [several && h("h3", {}, `${letter(i)}: ${runTitle(r.run)}`), ...[make(r, several ? `-${letter(i).toLowerCase()}` : "")].flat()]);
  return h("section", { id: name, "aria-label": title }, h("h2", {}, title), ...parts);
}

function header(documents: Documents): HTMLElement {
  const runs = documents.reports.map((r, i) => {
    const lead = documents.reports.length > 1 ? `${letter(i)}: ` : "";
    return h("div", {}, h("h1", {}, lead + reportTitle(r)), ...about(r.run));
  });
  // The reports of the sides are titles enough.
  const compared = documents.reports.length ? [] : (documents.comparisons ?? []).map((c) => h("div", {}, h("h1", {}, comparisonTitle(c)), ...about(c.a, "A: "), ...about(c.b, "B: ")));
  return h("header", {}, brand(), ...runs, ...compared);
}

/** about tells the rest of a run under its title: note, labels, storage, time. */
function about(run: Run, lead = ""): Child[] {
  const words = [storageWords(run.environment), whenWords(run), run.profile && `profile ${run.profile}`, run.status !== "complete" && run.status !== "unknown" && run.status];
  return [run.note ? h("p", {}, lead + run.note) : null, labelList(run.labels), h("p", { class: "faint" }, lead + words.filter(Boolean).join(" · "))];
}

function footer(): HTMLElement {
  return h("footer", {}, h("p", {}, "Made by Loadline. Every number has an interval, where one can be computed, and a verdict; what was not checked says so. Charts: Apache ECharts (Apache-2.0) and ZRender (BSD-3-Clause)."));
}

addEventListener("beforeprint", () => {
  setPrinting(true);
  drawAll();
});
addEventListener("afterprint", () => setPrinting(false));
