// What to do next: a sentence, with the command in it that can be typed.

import { h, type Child } from "../dom";

/** advice shows a next step: only its command is set as code, and breaks between its words alone. */
export function advice(next: string): HTMLElement {
  const parts: Child[] = [];
  let rest = next;
  for (let m = command.exec(rest); m; m = command.exec(rest)) {
    parts.push(rest.slice(0, m.index), code(m[0]));
    rest = rest.slice(m.index + m[0].length);
  }
  return h("p", { class: "next" }, "Next: ", ...parts, rest);
}

/** A command ends with the sentence, at a semicolon, or with the brackets that it stands in. */
const command = /\bloadline [a-z][^;()]*(?:\([^()]*\)[^;()]*)*/;

const code = (words: string): HTMLElement => h("code", {}, ...words.split(/( +)/).map((w) => (w.trim() ? h("span", { class: "word" }, w) : w)));
