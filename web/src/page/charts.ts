// The charts of a page: what was varied first, then how each workload went over time.

import { figure, type Chart } from "../charts/figure";
import { heat } from "../charts/heat";
import { groups, type Group } from "../charts/subject";
import { tail } from "../charts/tail";
import { latencies, throughput } from "../charts/time";
import { h, onFirstOpen } from "../dom";
import type { Documents } from "../model";
import { plainName } from "./words";

/** More workloads than this are folded: their charts are made when they are asked for. */
const mostOpen = 8;

/** overTime has a part for each workload and direction; null when there is no course. */
export function overTime(documents: Documents): HTMLElement | null {
  const list = groups(documents.reports);
  if (list.length === 0) return null;
  const section = h("section", { id: "time", "aria-label": "Over time" }, h("h2", {}, "Over time"));
  for (const g of list) section.append(list.length > mostOpen ? folded(g) : open(g));
  return section;
}

function open(g: Group): HTMLElement {
  return h("section", { "aria-label": g.name, id: `time-${plainName(g.name)}` }, h("h3", {}, g.name, h("span", { class: "faint" }, ` ${g.description}`)), chartsOf(g));
}

function folded(g: Group): HTMLElement {
  const details = h("details", { class: "folded", id: `time-${plainName(g.name)}` }, h("summary", {}, g.name, h("span", { class: "faint" }, ` ${g.description}`)));
  onFirstOpen(details, () => details.append(chartsOf(g)));
  return details;
}

function chartsOf(g: Group): HTMLElement {
  const charts = [throughput(g), latencies(g), tail(g), ...g.subjects.map((s) => heat(g, s))];
  return gridOf(charts);
}

/** gridOf puts charts side by side as far as there is room. */
export function gridOf(charts: (Chart | null)[]): HTMLElement {
  return h("div", { class: "charts" }, ...charts.filter((c) => c !== null).map(figure));
}
