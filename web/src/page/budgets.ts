// Where the time goes: of each workload the budget of one operation, what laws say would
// change it, and of two runs why one takes longer.

import { figure } from "../charts/figure";
import { leftOver, measured, share, signed, waterfall } from "../charts/waterfall";
import { h, onFirstOpen, type Child } from "../dom";
import * as format from "../format";
import type { Amplification, Budget, BudgetComparison, Counterfactual, Documents, Metric, Num, Report } from "../model";
import { letter } from "../theme";
import { comparisonsOf } from "./answers";
import { number, scrolled } from "./table";
import { plainName, runTitle, sidesOf } from "./words";

/** More budgets of one run than this are folded. */
const mostOpen = 4;

/** timeGoes makes the section; null where nothing is known of any operation. */
export function timeGoes(documents: Documents): HTMLElement | null {
  const several = documents.reports.length > 1;
  const parts: Child[] = comparisonsOf(documents).flatMap((c, nth) => (c.budgets ?? []).map((b, i) => compared(b as BudgetComparison, `${nth + 1}-${i + 1}`, sidesOf(documents.reports, c))));
  documents.reports.forEach((r, i) => {
    if (!r.budgets?.length) return;
    if (several) parts.push(h("h3", {}, `${letter(i)}: ${runTitle(r.run)}`));
    parts.push(...each(r, several ? letter(i) : ""));
  });
  if (!parts.length) return null;
  return h(
    "section",
    { id: "budgets", class: "budgets", "aria-label": "Where the time goes" },
    h("h2", {}, "Where the time goes"),
    h("p", { class: "faint" }, "Where the time of one operation was spent. The parts are measured independently of the whole, and must add up to it within 15%, or nothing is concluded."),
    ...parts,
  );
}

/** each lists the budgets of a run, the first few of them open; who is its letter among several. */
function each(report: Report, who: string): HTMLElement[] {
  const list = report.budgets ?? [];
  return list.map((b, i) => {
    const id = `budget${who && `-${who.toLowerCase()}`}-${i + 1}-${plainName(b.workload)}`;
    const title: Child[] = [`${who && `${who}: `}${b.workload}`, h("span", { class: "faint" }, ` ${b.description}`)];
    if (list.length <= mostOpen && !who) return h("section", { id, "aria-label": b.workload }, h("h3", {}, ...title), ...budget(b, id));
    const details = h("details", { class: "folded", id }, h("summary", {}, ...title, h("span", { class: "faint" }, ` — ${brief(b)}`)));
    onFirstOpen(details, () => details.append(...budget(b, id)));
    return details;
  });
}

/** brief is a budget in a line: "1.49 ms: flush of the WAL 62%, server, on a processor 20%". */
function brief(b: Budget): string {
  if (b.refused) return `${format.duration(b.seen)}: does not close`;
  const largest = [...b.rows].sort((x, y) => y.share - x.share).filter((r) => r.share >= 0.1).slice(0, 3);
  return `${format.duration(b.seen)}: ${largest.map((r) => `${r.name} ${format.percent(r.share)}`).join(", ")}`;
}

function budget(b: Budget, id: string): HTMLElement[] {
  const drawing = waterfall(b, id);
  const parts: (HTMLElement | null)[] = [
    b.refused ? refusal(b) : null,
    drawing && h("div", { class: "charts" }, figure(drawing)),
    h("p", {}, h("strong", {}, `Closure ${format.percent(b.closure)}`), ` of the ${format.duration(b.seen)} that the client saw: ${b.seen_by}.${leftOver(b) && b.residual.seconds > 0 ? ` Left over: ${signed(b.residual.seconds)}, ${b.residual.name}.` : ""}`),
    b.rows.length ? table(b) : null,
    b.counterfactuals?.length ? whatIf(b.counterfactuals, b.operation) : null,
    b.notes?.length || b.amplification?.length ? h("ul", { class: "faint" }, ...[...(b.amplification ?? []).map((r) => r.says), ...(b.notes ?? [])].map((n) => h("li", {}, n))) : null,
  ];
  return parts.filter((p) => p !== null);
}

/** refusal says why nothing is concluded, and what would have to be measured. */
function refusal(b: Budget): HTMLElement {
  const missing = (b.missing ?? []).map((m) => h("p", {}, `Missing: ${m.what}. To measure it: ${m.measure}.`));
  return h(
    "div",
    { class: "findings" },
    h("ul", {}, h("li", { class: "bad" }, h("span", { class: "sign", "aria-hidden": "true" }, "✗"), h("div", {}, h("p", {}, h("strong", {}, "does not close"), ` — ${b.refused}. Nothing is concluded from its parts.`), ...missing))),
  );
}

function table(b: Budget): HTMLElement {
  const computed = b.rows.some((r) => r.of) || b.amplification?.some((r) => !r.not_counted);
  const amplified = (r: Amplification) => {
    const name = h("th", { scope: "row" }, h("span", { class: "name" }, `I/O amplification (${r.direction}s)`));
    const how = r.not_counted ? "" : `${format.metric("iops", r.disks_rate ?? 0)} on ${format.count(r.devices?.length ?? 0, "disk")} for ${format.metric(rateOf(r.operation), r.operations_rate ?? 0)}`;
    return h("tr", {}, name, number(format.amplified(r)), number(""), computed ? h("td", {}, how) : null, h("td", { class: "faint" }, r.not_counted ? "" : "the disks' counters"));
  };
  const line = (name: string, seconds: number, part: number, of = "", source = "", bold = false) =>
    h("tr", {}, h("th", { scope: "row" }, h("span", { class: "name" }, name)), number(signed(seconds), bold), number(share(part), bold), computed ? h("td", {}, of) : null, h("td", { class: "faint" }, source));
  return scrolled(
    `Table of the time of one ${b.operation} of ${b.workload}`,
    [`of one ${b.operation}`, "time", "share", ...(computed ? ["computed as"] : []), "source"],
    ["time", "share"],
    [
      ...b.rows.map((r) => line(r.name, r.seconds, r.share, r.of, measured(r))),
      b.residual.seconds ? line("left over", b.residual.seconds, b.residual.share) : null,
      line("as the client saw it", b.seen, 1, "", "", true),
      ...(b.amplification ?? []).map(amplified),
    ],
  );
}

/** rateOf is what a rate of operations counts: transactions, or I/Os. */
const rateOf = (operation: string): Metric => (operation === "transaction" ? "tps" : "iops");

/** whatIf says what a law says would be otherwise; what must hold for it stands once below those that share it. */
function whatIf(list: Counterfactual[], operation: string): HTMLElement {
  const lawOf = (c: Counterfactual) => `By the law: ${c.law}; if ${c.assumes.join(", and ")}.`;
  const items = list.flatMap((c, i) => {
    const law = lawOf(c);
    const last = i + 1 === list.length || lawOf(list[i + 1]!) !== law;
    return [h("li", {}, `${c.change}: `, h("strong", {}, gain(c.gain)), `, ${format.metric(rateOf(operation), c.rate)}`, last ? h("p", { class: "faint" }, law) : null)];
  });
  return h("div", {}, h("p", { class: "title" }, "What would change it"), h("ul", {}, ...items));
}

const gain = (v: number): string => (Math.abs(v) < 0.005 ? "the same rate" : `${format.change(1 + v)} rate`);

/** compared puts the parts of two operations side by side, and says why one takes longer. */
function compared(c: BudgetComparison, id: string, [a, b]: [string, string]): HTMLElement {
  const time = (v: Num | undefined) => number(v === null || v === undefined ? "–" : signed(v));
  const title = c.a === c.b ? c.a : `${c.a} against ${c.b}`;
  const other = a === "A" && b === "B" ? "" : ` Here A is ${a}, and B is ${b}.`;
  return h(
    "section",
    { id: `budgets-${id}-${plainName(title)}`, "aria-label": `${title}, side by side` },
    h("h3", {}, `${a} and ${b}: ${title}`, h("span", { class: "faint" }, ` side by side${other}`)),
    h("ul", {}, ...c.says.map((s) => h("li", {}, s))),
    scrolled(
      `Table of the parts of ${title}, side by side`,
      ["part", "A", "B", "B ÷ total of A"],
      ["A", "B", "B ÷ total of A"],
      c.changes.map((x) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: "name" }, x.part === "residual" ? "left over" : x.name)), time(x.a), time(x.b), number(x.of.toFixed(2).replace("-", "−")))),
    ),
    c.equal ? h("p", { class: "faint" }, `By the law: ${c.equal.law}; if ${c.equal.assumes.join(", and ")}.`) : null,
  );
}
