// A run while it goes on: what is known so far, brought up to date by the server's
// events. It is judged when it has ended, and then the report page takes its place.

import { h } from "../dom";
import * as format from "../format";
import type { Report } from "../model";
import { results } from "../page/results";
import { runTitle } from "../page/words";
import { letter, toggleTheme } from "../theme";
import { runs, type Update, type View, type Viewed } from "./api";

/** live shows the runs of a view that still go on; done is called when all have ended. */
export function live(v: View, done: () => void): HTMLElement {
  const button = h("button", { type: "button", class: "theme" }, "Light or dark");
  button.addEventListener("click", toggleTheme);
  const main = h("main", { class: "live" }, h("header", {}, h("div", { class: "brand" }, h("span", {}, "Loadline"), button)));
  let going = v.runs.filter((r) => r.running).length;
  v.reports.forEach((report, i) => {
    const shown = v.runs[i]!;
    const name = v.reports.length > 1 ? `${letter(i)}: ` : "";
    const panel = new Panel(name, report);
    main.append(panel.element);
    if (shown.running) panel.follow(shown, () => --going === 0 && done());
  });
  return main;
}

/** Panel is one run. */
class Panel {
  readonly element: HTMLElement;
  private readonly state = h("p", { class: "pulse" });
  private readonly table = h("div", {});
  private readonly trouble = h("p", { class: "verdict unsure", role: "status" });
  private report: Report;

  constructor(name: string, report: Report) {
    this.report = report;
    this.element = h("section", { "aria-label": name + runTitle(report.run) }, h("h1", {}, name + runTitle(report.run)), this.state, this.trouble, this.table);
    this.draw();
  }

  /** follow listens until the run has ended. */
  follow(shown: Viewed, ended: () => void): void {
    const source = new EventSource("/api/events?" + runs([shown.path]));
    source.addEventListener("update", (event) => {
      this.trouble.textContent = "";
      this.take(JSON.parse((event as MessageEvent<string>).data) as Update);
    });
    source.addEventListener("end", () => {
      source.close();
      ended();
    });
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) this.trouble.textContent = "The server has closed the connection. Load the page again to go on.";
      else this.trouble.textContent = "The connection is broken; trying again …";
    });
    const clock = setInterval(() => (this.element.isConnected ? this.drawState() : (clearInterval(clock), source.close())), 1000);
  }

  private take(u: Update): void {
    const courses = u.whole ? [] : [...(this.report.courses ?? [])];
    for (const c of u.courses ?? []) courses[c.at] = c.course;
    this.report = { ...(u.report ?? this.report), courses };
    this.draw();
  }

  private draw(): void {
    this.drawState();
    const table = results(this.report);
    const box = this.table.firstElementChild;
    const left = box?.scrollLeft ?? 0;
    const focused = box !== null && box === document.activeElement;
    this.table.replaceChildren(table);
    table.scrollLeft = left;
    if (focused) table.focus();
  }

  private drawState(): void {
    const { run } = this.report;
    const seconds = Math.max(0, (Date.now() - Date.parse(run.started)) / 1000);
    const running = run.status === "running";
    this.state.classList.toggle("running", running);
    this.state.textContent = running ? `Running for ${format.span(seconds)}. What is known so far; it is judged when it has ended.` : `${run.status}${run.reason ? ": " + run.reason : ""}`;
  }
}
