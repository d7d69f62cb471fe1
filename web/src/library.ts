// The served library: a list of the runs in a folder, and the report page of one run or
// of several side by side, drawn from what the server answers. The page itself is that of
// the report's script and style sheet, which come before these (shared.ts).

import { list } from "./library/list";
import { view } from "./library/view";
import "./library/library.css";

const root = document.getElementById("loadline");
if (root) {
  if (location.pathname === "/view") view(root);
  else list(root);
}
