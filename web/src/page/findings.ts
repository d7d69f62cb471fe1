// Findings: what speaks against the numbers first and open, what was passed or could
// not be checked folded behind its count.

import { h } from "../dom";
import * as format from "../format";
import type { Finding, Severity } from "../model";
import { severitySign, severityTone } from "../theme";

const words: Record<Severity, string> = { invalid: "invalid", warning: "warning", note: "note", passed: "passed", "not-checked": "not checked" };

export function findings(list: Finding[]): HTMLElement {
  const of = (severity: Severity) => list.filter((f) => f.severity === severity);
  const open = [...of("invalid"), ...of("warning"), ...of("note")];
  const box = h("div", { class: "findings" });
  if (open.length) box.append(h("ul", {}, ...open.map(item)));
  else box.append(h("p", {}, list.length ? "Nothing speaks against the numbers." : "Nothing was checked."));
  for (const severity of ["passed", "not-checked"] as const) {
    const some = of(severity);
    if (!some.length) continue;
    const title = severity === "passed" ? `${format.count(some.length, "check")} passed` : `${format.count(some.length, "check")} could not be made`;
    box.append(h("details", {}, h("summary", {}, title), h("ul", {}, ...some.map(item))));
  }
  return box;
}

function item(f: Finding): HTMLElement {
  return h(
    "li",
    { class: severityTone[f.severity] },
    h("span", { class: "sign", "aria-hidden": "true" }, severitySign[f.severity]),
    h(
      "div",
      {},
      h("p", {}, h("strong", {}, `${words[f.severity]}: ${f.rule}`), f.results?.length ? ` — ${f.results.join(", ")}` : null),
      h("p", {}, f.message),
      f.next ? h("p", { class: "next" }, "Next: ", h("code", {}, f.next)) : null,
    ),
  );
}
