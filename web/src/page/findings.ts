// Findings: what speaks against the numbers first and open, what was passed or could
// not be checked folded behind its count.

import { h } from "../dom";
import * as format from "../format";
import type { Finding, Severity } from "../model";
import { severitySign, severityTone } from "../theme";
import { advice } from "./advice";

const words: Record<Severity, string> = { invalid: "invalid", warning: "warning", note: "note", passed: "passed", "not-checked": "not checked" };

/** A finding names so many workloads; of more it counts the rest. */
const mostNames = 6;

/** findings shows a list; all counts the workloads of the run, so that "all" can be said. */
export function findings(list: Finding[], all = 0): HTMLElement {
  const of = (severity: Severity) => list.filter((f) => f.severity === severity);
  const open = [...of("invalid"), ...of("warning"), ...of("note")];
  const box = h("div", { class: "findings" });
  if (open.length) box.append(h("ul", {}, ...open.map((f) => item(f, all))));
  else box.append(h("p", {}, list.length ? "Nothing speaks against the numbers." : "Nothing was checked."));
  for (const severity of ["passed", "not-checked"] as const) {
    const some = of(severity);
    if (!some.length) continue;
    const title = severity === "passed" ? `${format.count(some.length, "check")} passed` : `${format.count(some.length, "check")} could not be made`;
    box.append(h("details", {}, h("summary", {}, title), h("ul", { class: "brief" }, ...some.map((f) => brief(f, all)))));
  }
  return box;
}

/** concerned names the workloads that a finding is about. */
function concerned(f: Finding, all: number): string {
  const names = f.results ?? [];
  if (names.length > 1 && names.length === all) return all === 2 ? "both workloads" : `all ${all} workloads`;
  if (names.length > mostNames + 1) return `${names.slice(0, mostNames).join(", ")} and ${names.length - mostNames} more`;
  return names.join(", ");
}

function sign(f: Finding): HTMLElement {
  return h("span", { class: "sign", "aria-hidden": "true" }, severitySign[f.severity]);
}

function item(f: Finding, all: number): HTMLElement {
  const names = concerned(f, all);
  return h(
    "li",
    { class: severityTone[f.severity] },
    sign(f),
    h(
      "div",
      {},
      h("p", {}, h("strong", {}, `${words[f.severity]}: ${f.rule}`), names ? ` — ${names}` : null),
      h("p", {}, f.message),
      f.next ? advice(f.next) : null,
    ),
  );
}

/** brief is a line for what does not speak against a number. */
function brief(f: Finding, all: number): HTMLElement {
  const names = concerned(f, all);
  return h("li", { class: severityTone[f.severity] }, sign(f), h("p", {}, h("strong", {}, f.rule), ` ${f.message}`, names ? h("span", { class: "faint" }, ` (${names})`) : null));
}
