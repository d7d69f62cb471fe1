// One run, or several side by side: the report page, with a way back to the list.

import { add, h, type Child } from "../dom";
import { findings } from "../page/findings";
import { page } from "../page/page";
import { answerList } from "../page/answers";
import { commandWords } from "../page/words";
import * as format from "../format";
import { letter, toggleTheme } from "../theme";
import { ask, bundleOf, runs, viewOf, type DurabilityReport, type View, type Viewed } from "./api";
import { live } from "./live";

/** view shows in root what the address names. */
export function view(root: HTMLElement): void {
  const paths = new URLSearchParams(location.search).getAll("run");
  document.title = "Loadline";
  const status = h("p", { class: "faint", role: "status" }, "Reading …");
  root.replaceChildren(nav(), h("main", {}, status));
  ask<View>("/api/view?" + runs(paths)).then(
    (v) => show(root, paths, v),
    (err: Error) => (status.textContent = err.message),
  );
}

function show(root: HTMLElement, paths: string[], v: View): void {
  const parts: Child[] = [nav(v.runs), remarks(v.remarks)];
  if (v.runs.some((r) => r.running)) parts.push(live(v, () => view(root)));
  else if (v.reports.length) parts.push(page(v));
  if (v.durability.length) parts.push(h("main", {}, ...(v.reports.length ? [] : [brand()]), ...v.durability.map(test)));
  if (!v.reports.length && !v.durability.length) parts.push(h("main", {}, brand(), h("h1", {}, paths.join(", ")), h("p", {}, "Nothing of this can be shown.")));
  root.replaceChildren();
  add(root, parts);
}

function brand(): HTMLElement {
  const button = h("button", { type: "button", class: "theme" }, "Light or dark");
  button.addEventListener("click", toggleTheme);
  return h("div", { class: "brand" }, h("span", {}, "Loadline"), button);
}

/** nav leads back to the list, to each run alone, and to its bundle. */
function nav(shown: Viewed[] = []): HTMLElement {
  const several = shown.length > 1;
  const paths = shown.map((r) => r.path);
  const items = shown.map((r, i) =>
    h(
      "li",
      {},
      several ? h("strong", {}, `${letter(i)} `) : null,
      h("a", { href: bundleOf(r.path), download: true }, several ? "bundle" : "Download the bundle"),
      several ? " · " : null,
      several ? h("a", { href: viewOf(r.path) }, "alone") : null,
      several && i > 0 ? " · " : null,
      several && i > 0 ? h("a", { href: viewOf(r.path, ...paths.filter((p) => p !== r.path)) }, "as the first") : null,
    ),
  );
  return h("nav", { class: "crumbs", "aria-label": "Library" }, h("a", { href: "/" }, "← All runs"), h("ul", {}, ...items));
}

function remarks(sentences: string[]): HTMLElement | null {
  if (!sentences.length) return null;
  return h("aside", { class: "remarks", "aria-label": "Remarks" }, h("ul", {}, ...sentences.map((s) => h("li", {}, s))));
}

/** test shows a durability test. */
function test(d: DurabilityReport): HTMLElement {
  document.title = `${d.target.name} durability · Loadline`;
  const tone = d.result === "clean" ? "good" : d.result === "unproven" ? "unsure" : "bad";
  const names = ["cut", "what", "noticed", "acknowledged", "lost", "damaged"];
  const rows = (d.cuts ?? []).map((c) => {
    const cells = [String(c.number), c.what, c.noticed ? "yes" : "no", String(c.acknowledged), String(c.lost), String(c.torn + c.foreign + c.unstable + c.unreadable)];
    return h("tr", {}, ...cells.map((text, i) => (i === 0 ? h("th", { scope: "row" }, text) : h("td", { class: i > 2 ? "number" : undefined }, text))));
  });
  const head = h("tr", {}, ...names.map((n, i) => h("th", { scope: "col", class: i > 2 ? "number" : undefined }, n)));
  return h(
    "section",
    { "aria-label": "Durability" },
    h("h1", {}, `Durability of ${d.target.name}`),
    h("p", { class: "faint" }, [format.when(d.started), d.environment.hostname && `on ${d.environment.hostname}`, d.status !== "complete" && d.status].filter(Boolean).join(" · ")),
    answerList([
      { question: "Durable?", sentence: d.statement, tone },
      { question: "What does that show?", sentence: d.proves, tone: "plain" },
    ]),
    h("h2", {}, "Findings"),
    findings(d.findings),
    h("h2", {}, "Cuts"),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table of cuts" }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows))),
    h("h2", {}, "To reproduce it"),
    h("pre", { tabindex: "0", "aria-label": "Command" }, commandWords(d.command)),
    h("p", { class: "faint" }, `${d.sync} after each write; ${d.blocks} blocks of ${format.block(d.block_size)}, ${d.jobs} writes at a time, at ${d.path}`),
  );
}
