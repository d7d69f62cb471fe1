// The report page: what the shell of internal/show/report/html carries as data becomes the
// page.

import type { Documents } from "./model";
import { page } from "./page/page";
import { reference } from "./page/reference";
import { tracedPage } from "./page/traced";
import "./style.css";

export * from "./shared";

const island = document.getElementById("loadline-data");
const root = document.getElementById("loadline");
if (island && root) {
  const documents = JSON.parse(island.textContent ?? "{}") as Documents;
  root.replaceChildren(documents.reference ? reference(documents.reference) : documents.traced ? tracedPage(documents.traced) : page(documents));
}
