// The report page: what the shell of internal/report/html carries as data becomes the
// page.

import type { Documents } from "./model";
import { page } from "./page/page";
import "./style.css";

const island = document.getElementById("loadline-data");
const root = document.getElementById("loadline");
if (island && root) root.replaceChildren(page(JSON.parse(island.textContent ?? "{}") as Documents));
