// A page is a function of its documents: the file that a run leaves behind and the
// served library show the same one.

import { add, h, type Child } from "../dom";
import { drawAll } from "../charts/figure";
import type { Documents, Report } from "../model";
import { letter, setPrinting, toggleTheme } from "../theme";
import { answerList, answers, comparisonsOf } from "./answers";
import { overTime, varied } from "./charts";
import { comparison } from "./comparison";
import { durability } from "./durability";
import { findings } from "./findings";
import { reproduce } from "./reproduce";
import { ranking } from "./ranking";
import { results } from "./results";
import { pageTitle, runTitle, sidesOf, storageWords, whenWords } from "./words";

/** page makes the whole page: answers, findings, tables, charts, how to reproduce it. */
export function page(documents: Documents): HTMLElement {
  document.title = `${pageTitle(documents)} · Loadline`;
  const main = h("main", {});
  main.append(header(documents));
  const said = answers(documents);
  if (said.length) main.append(answerList(said, documents.reports.length));
  const ranked = documents.reports.filter((r) => r.ranking);
  if (ranked.length) main.append(h("section", { id: "ranking", "aria-label": "Ranking" }, h("h2", {}, "Ranking"), ...ranked.map((r) => ranking(r.ranking!))));
  each(main, documents, "Findings", "findings", (r) => findings(r.findings, new Set(r.results.map((o) => o.workload)).size));
  // What only scales has its numbers in its charts.
  const measured = documents.reports.some((r) => !r.ranking && (r.results.length || !r.scales?.length));
  if (measured) each(main, documents, "Results", "results", results);
  const compared = comparisonsOf(documents);
  if (compared.length) main.append(h("section", { id: "comparison", "aria-label": "Comparison" }, h("h2", {}, "Comparison"), ...compared.map((c, i) => comparison(c, i, sidesOf(documents.reports, c)))));
  add(main, [...varied(documents), overTime(documents)]);
  each(main, documents, "To reproduce it", "reproduce", reproduce);
  add(main, (documents.durability ?? []).map(durability));
  main.append(footer());
  return main;
}

/** each adds a section with a part for every report. */
function each(main: HTMLElement, documents: Documents, title: string, name: string, make: (r: Report) => HTMLElement): void {
  if (documents.reports.length === 0) return;
  const several = documents.reports.length > 1;
  const parts: Child[] = documents.reports.flatMap((r, i) => [several && h("h3", {}, `${letter(i)}: ${runTitle(r.run)}`), make(r)]);
  main.append(h("section", { id: name, "aria-label": title }, h("h2", {}, title), ...parts));
}

function header(documents: Documents): HTMLElement {
  const button = h("button", { type: "button", class: "theme" }, "Light or dark");
  button.addEventListener("click", toggleTheme);
  const runs = documents.reports.map((r, i) => {
    const { run } = r;
    const words = [storageWords(run.environment.storage), whenWords(run), run.environment.hostname && `on ${run.environment.hostname}`, run.status !== "complete" && run.status !== "unknown" && run.status];
    const lead = documents.reports.length > 1 ? `${letter(i)}: ` : "";
    return h("div", {}, h("h1", {}, lead + runTitle(run)), h("p", { class: "faint" }, words.filter(Boolean).join(" · ")));
  });
  return h("header", {}, h("div", { class: "brand" }, h("span", {}, "Loadline"), button), ...runs);
}

function footer(): HTMLElement {
  return h("footer", {}, h("p", {}, "Made by Loadline. Every number stands with its interval, as far as it has one, and its verdict; what was not checked says so. Charts: Apache ECharts (Apache-2.0) and ZRender (BSD-3-Clause)."));
}

addEventListener("beforeprint", () => {
  setPrinting(true);
  drawAll();
});
addEventListener("afterprint", () => setPrinting(false));
