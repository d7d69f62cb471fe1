// A durability test: what was cut, what was found after it, and what that shows.

import { h } from "../dom";
import * as format from "../format";
import type { DurabilityReport } from "../model";
import { answerList } from "./answers";
import { findings } from "./findings";
import { labelList, placedCommand, placeName } from "./words";

/** durability shows a durability test that stands alone. */
export function durability(d: DurabilityReport): HTMLElement {
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
    h("h1", {}, `Durability of ${placeName(d.target)}${d.environment.hostname ? ` on ${d.environment.hostname}` : ""}`),
    h("p", { class: "faint" }, [format.moment(d.started), d.status !== "complete" && d.status].filter(Boolean).join(" · ")),
    labelList(d.labels),
    answerList([
      { question: "Durable?", sentence: d.statement, tone },
      { question: "What does that show?", sentence: d.proves, tone: "plain" },
    ]),
    h("h2", {}, "Findings"),
    findings(d.findings),
    h("h2", {}, "Cuts"),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table of cuts" }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows))),
    h("h2", {}, "To reproduce it"),
    h("pre", { tabindex: "0", "aria-label": "Command" }, placedCommand(d.command, [d.target])),
    h("p", { class: "faint" }, `${d.sync} after each write; ${d.blocks} blocks of ${format.block(d.block_size)}, ${d.jobs} writes at a time, at ${d.path}`),
  );
}
