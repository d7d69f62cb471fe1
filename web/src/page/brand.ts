// The line above a page's title: whose page it is, and the button for its theme.

import { h } from "../dom";
import { toggleTheme } from "../theme";

/** brand makes the line. */
export function brand(): HTMLElement {
  const button = h("button", { type: "button", class: "theme", title: "Change between the light and the dark theme" }, "Theme");
  button.addEventListener("click", toggleTheme);
  return h("div", { class: "brand" }, h("span", {}, "Loadline"), button);
}
