// A comparison of two traces: what differs, and why none of them is better.

import { h } from "../dom";
import * as format from "../format";
import type { ComparedRow, Estimate, Metric, TraceComparison } from "../model";
import type { Tone } from "../theme";
import { brand } from "./brand";
import { findings } from "./findings";
import { number, scrolled } from "./table";
import { traceTitle } from "./trace";

const signs: Record<ComparedRow["verdict"], [sign: string, tone: Tone]> = {
  faster: ["▲", "good"],
  slower: ["▼", "bad"],
  more: ["▲", "plain"],
  fewer: ["▼", "plain"],
  same: ["=", "plain"],
  unclear: ["?", "unsure"],
  "not-comparable": ["≠", "unsure"],
  unusable: ["✗", "bad"],
};

/** tracedPage makes the page of a comparison of two traces. */
export function tracedPage(c: TraceComparison): HTMLElement {
  document.title = `${traceTitle({ run: c.a })} against ${traceTitle({ run: c.b })} · Loadline`;
  const side = (letter: string, run: TraceComparison["a"]) => h("p", {}, h("strong", {}, `${letter} `), traceTitle({ run }), h("span", { class: "faint" }, ` ${format.span(run.seconds)}, ${format.moment(run.started)}`));
  return h(
    "main",
    { class: "page" },
    h("header", {}, brand(), h("h1", {}, "Two traces compared"), side("A", c.a), side("B", c.b), h("dl", { class: "answers", id: "answers" }, h("div", { class: "answer unsure" }, h("dt", {}, "Better?"), h("dd", {}, c.caution)))),
    h(
      "div",
      { class: "sections" },
      h("section", { id: "comparison", "aria-label": "Comparison" }, h("h2", {}, "Comparison"), c.rows.length ? table(c.rows) : h("p", {}, "Nothing to compare: no operation has enough I/Os in both."), h("p", { class: "faint legend" }, `Margin: ${format.asked(c.margins.rate)} for rates, means and medians, ${format.asked(c.margins.p99)} for p99. Rates are what was asked for.`)),
      c.left_out?.length ? h("section", { id: "left-out", "aria-label": "Left out" }, h("h2", {}, "Left out"), h("ul", {}, ...c.left_out.map((w) => h("li", {}, w)))) : null,
      h("section", { id: "findings", "aria-label": "Findings" }, h("h2", {}, "Findings"), findings(c.findings)),
    ),
  );
}

function table(rows: ComparedRow[]): HTMLElement {
  const words: Partial<Record<Metric, string>> = { iops: "rate", latency: "mean" };
  const value = (r: ComparedRow, e: Estimate) => number(r.metric === "iops" ? format.metric("iops", e.estimate ?? 0) : format.seconds(e.estimate));
  const interval = (r: ComparedRow, e: Estimate) => number(format.interval(r.metric, e));
  const numeric = ["change", "95% CI", "A", "B"];
  return scrolled(
    "Table of the comparison",
    ["operation", "verdict", "change", "95% CI", "A", "95% CI", "B", "95% CI"],
    numeric,
    rows.map((r) => {
      const [sign, tone] = signs[r.verdict];
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, h("span", { class: "name" }, `${r.device}${r.device_b ? ` and ${r.device_b}` : ""} ${r.operation}${r.command ? ` of ${r.command}` : ""}`), h("span", { class: "name faint" }, words[r.metric] ?? r.metric)),
        h("td", { class: `verdict ${tone}` }, `${sign} ${r.verdict.replace("-", " ")}`, r.reason ? h("span", { class: "name faint" }, r.reason) : null),
        number(format.change(r.ratio.estimate), true),
        number(r.ratio.confidence ? `${format.change(r.ratio.low)} to ${format.change(r.ratio.high)}` : "–"),
        value(r, r.a),
        interval(r, r.a),
        value(r, r.b),
        interval(r, r.b),
      );
    }),
  );
}
