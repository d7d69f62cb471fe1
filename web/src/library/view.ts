// One run, or several side by side: the report page, with a way back to the list.

import { add, h, type Child } from "../dom";
import { brand } from "../page/brand";
import { durability } from "../page/durability";
import { page } from "../page/page";
import { letter } from "../theme";
import { ask, bundleOf, runs, samplesOf, viewOf, type View, type Viewed } from "./api";
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
  if (v.reports.length && v.runs.some((r) => r.running)) {
    parts.push(live(v, () => view(root)), ...v.durability.map(durability));
  } else if (v.reports.length || v.durability.length || v.traces?.length) parts.push(page(v));
  else parts.push(h("main", {}, brand(), h("h1", {}, paths.join(", ")), h("p", {}, "Nothing of this can be shown.")));
  root.replaceChildren();
  add(root, parts);
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
      sampled(r) ? " · " : null,
      sampled(r) ? h("a", { href: samplesOf(r.path), download: true }, several ? "samples" : "its samples as CSV") : null,
      several ? " · " : null,
      several ? h("a", { href: viewOf(r.path) }, "alone") : null,
      several && i > 0 ? " · " : null,
      several && i > 0 ? h("a", { href: viewOf(r.path, ...paths.filter((p) => p !== r.path)) }, "as the first") : null,
    ),
  );
  return h("nav", { class: "crumbs", "aria-label": "Library" }, h("a", { href: "/" }, "← All runs"), h("ul", {}, ...items));
}

/** sampled tells a directory that has raw samples of its own. */
const sampled = (r: Viewed): boolean => ["run", "sweep", "scale"].includes(r.kind);

function remarks(sentences: string[]): HTMLElement | null {
  if (!sentences.length) return null;
  return h("aside", { class: "remarks", "aria-label": "Remarks" }, h("ul", {}, ...sentences.map((s) => h("li", {}, s))));
}
