// The charts of a page: what was varied first, then how each workload went over time.

import { figure, type Chart } from "../charts/figure";
import { loadCharts } from "../charts/load";
import { heat } from "../charts/heat";
import { scaleCharts } from "../charts/scale";
import { groups, type Group } from "../charts/subject";
import { gridCharts } from "../charts/sweep";
import { tail } from "../charts/tail";
import { latencies, throughput } from "../charts/time";
import { h, onFirstOpen } from "../dom";
import type { Documents, Report } from "../model";
import { letter, verdictSign, verdictTone } from "../theme";
import { plainName, runTitle } from "./words";

/** More workloads than this are folded: their charts are made when they are asked for. */
const mostOpen = 8;

/** varied has the charts of what was varied in each report. */
export function varied(documents: Documents): (HTMLElement | null)[] {
  const section = (id: string, title: string, make: (r: Report, suffix: string) => (HTMLElement | null)[]) => {
    const several = documents.reports.length > 1;
    const parts = documents.reports.flatMap((r, i) => {
      const made = make(r, several ? `-${letter(i).toLowerCase()}` : "").filter((p) => p !== null);
      return made.length && several ? [h("h3", {}, `${letter(i)}: ${runTitle(r.run)}`), ...made] : made;
    });
    return parts.length ? h("section", { id, "aria-label": title }, h("h2", {}, title), ...parts) : null;
  };
  return [
    section("sweep", "Sweep", (r, suffix) => (r.sweep?.kind === "load" ? [gridOf(loadCharts(r, suffix))] : r.sweep ? gridCharts(r, suffix).map(gridOf) : [])),
    section("scaling", "Scaling", (r, suffix) => (r.scales ?? []).flatMap((s, i) => [h("h3", {}, s.workload, s.source ? h("span", { class: "faint" }, ` from ${s.source}`) : null), gridOf(scaleCharts(s, `${suffix}-${i + 1}`))])),
  ];
}

/** overTime has a part for each workload and direction; null when there is no course. */
export function overTime(documents: Documents): HTMLElement | null {
  const list = groups(documents.reports);
  if (list.length === 0) return null;
  // Of a distribution alone no time is known.
  const title = list.some((g) => hasSeconds(g)) ? "Over time" : "Latencies";
  const section = h("section", { id: "time", "aria-label": title }, h("h2", {}, title));
  for (const g of list) section.append(list.length > mostOpen ? folded(g) : open(g));
  return section;
}

function open(g: Group): HTMLElement {
  return h("section", { "aria-label": g.name, id: `time-${plainName(g.name)}` }, h("h3", {}, ...titleOf(g)), chartsOf(g));
}

function folded(g: Group): HTMLElement {
  const details = h("details", { class: "folded", id: `time-${plainName(g.name)}` }, h("summary", {}, ...titleOf(g)));
  onFirstOpen(details, () => details.append(chartsOf(g)));
  return details;
}

/** titleOf names a workload, and says it when its numbers are not to be believed. */
function titleOf(g: Group): (HTMLElement | string)[] {
  const doubtful = g.subjects.filter((s) => s.result && s.result.verdict !== "valid");
  const signs = doubtful.map(({ run, runs, result }) => h("span", { class: `verdict ${verdictTone[result!.verdict]}` }, ` ${runs > 1 ? letter(run) + " " : ""}${verdictSign[result!.verdict]} ${result!.verdict}`));
  return [g.name, h("span", { class: "faint" }, ` ${g.description}`), ...signs];
}

function chartsOf(g: Group): HTMLElement {
  const seconds = hasSeconds(g);
  const charts = [seconds ? throughput(g) : null, seconds ? latencies(g) : null, tail(g), ...g.subjects.map((s) => heat(g, s))];
  return gridOf(charts);
}

const hasSeconds = (g: Group) => g.subjects.some((s) => s.course.points.at.length > 0);

/** gridOf puts charts side by side as far as there is room. */
export function gridOf(charts: (Chart | null)[]): HTMLElement {
  const list = charts.filter((c) => c !== null);
  const halves = list.filter((c) => !c.wide);
  // The last one of an odd number would leave a hole.
  if (halves.length % 2 === 1) halves[halves.length - 1]!.wide = true;
  return h("div", { class: "charts" }, ...list.map(figure));
}
