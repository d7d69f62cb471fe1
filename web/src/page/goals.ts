// Goals: what the results were asked to reach, whether they do, and what would decide it.

import { h } from "../dom";
import type { Goal } from "../model";
import type { Tone } from "../theme";
import { advice } from "./advice";

const shown: Record<Goal["outcome"], { sign: string; tone: Tone }> = {
  met: { sign: "✓", tone: "good" },
  missed: { sign: "✗", tone: "bad" },
  undecided: { sign: "?", tone: "unsure" },
};

/** goalList shows goals in the order in which they were set. */
export function goalList(list: Goal[]): HTMLElement {
  if (!list.length) return h("p", {}, "No goal was set.");
  return h("div", { class: "findings" }, h("ul", {}, ...list.map(item)));
}

function item(g: Goal): HTMLElement {
  const { sign, tone } = shown[g.outcome];
  return h(
    "li",
    { class: tone },
    h("span", { class: "sign", "aria-hidden": "true" }, sign),
    h(
      "div",
      {},
      h("p", {}, h("strong", {}, `${g.outcome}: ${g.text}`)),
      h("p", {}, g.message),
      g.next ? advice(g.next) : null,
    ),
  );
}
