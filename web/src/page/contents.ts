// The contents of a page, beside it where there is room: every section, and what is in
// the long one.

import { h, type Child } from "../dom";

/** Of a section with more parts than this only the section itself is listed. */
const mostParts = 12;

/** contents lists the sections that a page has; null when there is nothing to choose from. */
export function contents(sections: HTMLElement[]): HTMLElement | null {
  const titled = sections.filter((s) => s.id && s.querySelector("h2"));
  if (titled.length < 2) return null;
  const items = titled.map((s) => {
    const parts = [...s.querySelectorAll<HTMLElement>(":scope > [id] > h3, :scope > details[id] > summary")];
    const nested = parts.length && parts.length <= mostParts ? h("ul", {}, ...parts.map((p) => link(p.parentElement!.id, p.firstChild?.textContent ?? ""))) : null;
    return link(s.id, s.querySelector("h2")!.textContent ?? "", nested);
  });
  return h("nav", { class: "contents", "aria-label": "Contents" }, h("ul", {}, ...items));
}

const link = (id: string, words: string, ...below: Child[]) => h("li", {}, h("a", { href: `#${id}` }, words), ...below);
