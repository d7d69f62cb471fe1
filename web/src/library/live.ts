// A run while it goes on: what is known so far, brought up to date by the server's
// events. It is judged when it has ended, and then the report page takes its place.

import { redraw, type Chart } from "../charts/figure";
import { groups, type Group } from "../charts/subject";
import { latencies, throughput } from "../charts/time";
import { h } from "../dom";
import * as format from "../format";
import type { Report } from "../model";
import { brand } from "../page/brand";
import { gridOf } from "../page/charts";
import { tableOf } from "../page/results";
import { runTitle } from "../page/words";
import { letter } from "../theme";
import { runs, type Update, type View, type Viewed } from "./api";

/** live shows the runs of a view that still go on; done is called when all have ended. */
export function live(v: View, done: () => void): HTMLElement {
  const main = h("main", { class: "live" }, h("header", {}, brand()));
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
  private readonly time = h("div", {});
  private readonly timeTitle = h("h2", {}, "Over time");
  private readonly charts = new Map<string, LiveCharts>();
  private report: Report;

  constructor(name: string, report: Report) {
    this.report = report;
    this.element = h("section", { "aria-label": name + runTitle(report.run) }, h("h1", {}, name + runTitle(report.run)), this.state, this.trouble, this.table, this.timeTitle, this.time);
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
    this.drawCharts();
    if (this.report.results.length === 0) {
      this.table.replaceChildren(h("p", { class: "faint" }, "Nothing is measured yet."));
      return;
    }
    const table = tableOf(this.report.results, false);
    const box = this.table.firstElementChild;
    const left = box?.scrollLeft ?? 0;
    const focused = box !== null && box === document.activeElement;
    this.table.replaceChildren(table);
    table.scrollLeft = left;
    if (focused) table.focus();
  }

  /** drawCharts adds the charts of workloads that are new, and draws the others again. */
  private drawCharts(): void {
    let last: HTMLElement | null = null;
    this.timeTitle.hidden = !this.report.courses?.length;
    for (const group of groups([this.report])) {
      const name = `${group.workload}/${group.direction}`;
      const known = this.charts.get(name);
      if (known) known.take(group);
      else {
        const charts = new LiveCharts(group);
        this.charts.set(name, charts);
        if (last) last.after(charts.element);
        else this.time.prepend(charts.element);
      }
      last = this.charts.get(name)!.element;
    }
  }

  private drawState(): void {
    const { run } = this.report;
    const seconds = Math.max(0, (Date.now() - Date.parse(run.started)) / 1000);
    const running = run.status === "running";
    this.state.classList.toggle("running", running);
    this.state.textContent = running ? `Running for ${format.span(seconds)}${this.repeated()}. What is known so far; it is judged when it has ended.` : `${run.status}${run.reason ? ": " + run.reason : ""}`;
  }

  /** repeated counts what has been measured of what will be at least. */
  private repeated(): string {
    const { run, courses } = this.report;
    const planned = (run.schedule.min_repeats || 1) * (run.workloads?.length ?? 0);
    const seen = new Map<string, number>();
    for (const c of courses ?? []) seen.set(c.workload, Math.max(seen.get(c.workload) ?? 0, c.spans.length));
    const made = [...seen.values()].reduce((a, b) => a + b, 0);
    if (made === 0) return "; preparing the volume";
    return made < planned ? `, ${made} of at least ${format.count(planned, "repeat")}` : `, ${format.count(made, "repeat")}`;
  }
}

/** LiveCharts are the charts of one workload, which grow. */
class LiveCharts {
  readonly element: HTMLElement;
  private figures: HTMLElement[] = [];

  constructor(private group: Group) {
    this.element = h("section", { "aria-label": group.name });
    this.fill();
  }

  take(group: Group): void {
    const before = shapeOf(this.group);
    this.group = group;
    if (before === shapeOf(group)) return;
    // Percentiles come when there are enough I/Os for them.
    if (this.figures.length < this.made().length) this.fill();
    else this.figures.forEach(redraw);
  }

  private fill(): void {
    const title = h("h3", {}, this.group.name, h("span", { class: "faint" }, ` ${this.group.description}`));
    const grid = gridOf(this.made().map((chart, i) => growing(chart, () => this.made()[i] ?? chart)));
    this.figures = [...grid.children] as HTMLElement[];
    this.element.replaceChildren(title, grid);
  }

  private made(): Chart[] {
    return [throughput(this.group), latencies(this.group)].filter((c) => c !== null);
  }
}

/** growing is a chart that says what now() says. */
function growing(chart: Chart, now: () => Chart): Chart {
  return {
    ...chart,
    get caption() {
      return now().caption;
    },
    get alt() {
      return now().alt;
    },
    option: (t, width) => now().option(t, width),
    table: () => now().table(),
    stops: () => now().stops?.() ?? [],
    key: chart.key && ((t) => (now().key ?? chart.key!)(t)),
  };
}

/** shapeOf changes when a course has grown. */
function shapeOf(g: Group): string {
  return g.subjects.map(({ course: { points, spans } }) => [points.at.length, points.at.at(-1), spans.length, spans.at(-1)?.end].join()).join(";");
}
