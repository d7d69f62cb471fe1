// A table that is scrolled where the window is narrower than it is.

import { h, type Child } from "../dom";

/** number is a cell of one. */
export const number = (text: string, bold = false): HTMLElement => h("td", { class: bold ? "number headline" : "number" }, text);

/** scrolled makes a table of rows; numeric names the columns that are aligned right. */
export function scrolled(label: string, head: string[], numeric: string[], rows: Child[]): HTMLElement {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, ...head.map((n) => h("th", { scope: "col", class: numeric.includes(n) ? "number" : undefined }, n)))), h("tbody", {}, ...rows)),
  );
}
