// A reference report: chapters of sentences, tables and the charts of its scales.

import { scaleCharts } from "../charts/scale";
import { h, type Child } from "../dom";
import type { Chapter, Grid, Part, Reference } from "../model";
import { brand } from "./brand";
import { gridOf } from "./charts";

/** reference makes the page of a reference report. */
export function reference(r: Reference): HTMLElement {
  document.title = `${r.title} · Loadline`;
  const main = h("main", { class: "reference" });
  main.append(
    h("header", {}, brand(), h("h1", {}, r.title), h("p", { class: "faint" }, `made from ${(r.sources ?? []).join(", ")}`)),
    h("nav", { "aria-label": "Contents" }, h("ul", {}, ...r.chapters.filter((c) => c.level === 1).map((c) => h("li", {}, h("a", { href: `#${c.id}` }, c.title))))),
  );
  let section = main as HTMLElement;
  for (const c of r.chapters) {
    if (c.level === 1) {
      section = h("section", { id: c.id, "aria-label": c.title }, h("h2", {}, c.title));
      main.append(section);
    } else {
      section.append(h("h3", { id: c.id }, c.title));
    }
    section.append(...chapter(c).filter((n): n is Node => n instanceof Node));
  }
  return main;
}

function chapter(c: Chapter): Child[] {
  const parts: Child[] = (c.parts ?? []).map((p) => part(p, c.id));
  if (c.missing) parts.push(h("p", { class: "missing" }, h("strong", {}, "Not measured: "), `${c.missing}.`));
  return parts;
}

function part(p: Part, id: string): Child {
  if (p.table) return table(p.table);
  if (p.scale) return gridOf(scaleCharts(p.scale, `-${id}`));
  if (p.items) return h("ul", {}, ...p.items.map((item) => h("li", {}, item)));
  return h("p", {}, p.text);
}

function table(g: Grid): HTMLElement {
  const numeric = (i: number) => (g.numeric[i] ? { class: "number" } : {});
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": g.titles.join(", ") },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...g.titles.map((t, i) => h("th", { scope: "col", ...numeric(i) }, t)))),
      h("tbody", {}, ...g.rows.map((row) => h("tr", {}, ...row.map((cell, i) => h("td", numeric(i), cell))))),
    ),
  );
}
