// The list: search, sort, choose. What it shows is in the address, so that it can be
// gone back to, kept and sent.

import { figure } from "../charts/figure";
import { add, h, type Child } from "../dom";
import * as format from "../format";
import { brand } from "../page/brand";
import { ask, viewOf, type Entry, type Headline, type Listing, type Trend } from "./api";
import { rowOf, targetWords, type RowChoice } from "./row";
import { trendChart } from "./trend";

/** How often the list is asked for again while it is looked at, in milliseconds. */
const often = 4000;

/** As many can be put side by side. */
const mostBeside = 6;

interface Column {
  name: string;
  sort?: string;
  /** Which way the first press sorts. */
  first?: "up" | "down";
  class?: string;
}

const columns: Column[] = [
  { name: "target", sort: "target", first: "up" },
  { name: "started", sort: "started", first: "down", class: "number" },
  { name: "elapsed", sort: "duration", first: "down", class: "number" },
  { name: "result", sort: "result", first: "down" },
  { name: "state", sort: "verdict", first: "down" },
  { name: "note", sort: "note", first: "up" },
];

const kinds: [value: string, words: string][] = [
  ["", "everything"],
  ["run", "runs"],
  ["comparison", "comparisons"],
  ["ranking", "rankings"],
  ["sweep", "sweeps"],
  ["scale", "scaling"],
  ["durability", "durability tests"],
  ["trace", "traces"],
  ["unknown", "damaged"],
];

/** list makes the list page in root and keeps it up to date. */
export function list(root: HTMLElement): void {
  root.replaceChildren(new List().main);
}

class List {
  readonly main = h("main", { class: "library" });
  private readonly params = new URLSearchParams(location.search);
  private readonly chosen = new Map<string, string>();
  private shown = "";
  private asked = 0;
  private timer = 0;

  private readonly folder = h("h1", {}, "Runs");
  private readonly search = h("input", { type: "search", id: "search", autocomplete: "off", spellcheck: "false", placeholder: "target, note, workload, host, label:env=staging …" });
  private readonly kind = h("select", { id: "kind" }, ...kinds.map(([value, words]) => h("option", { value }, words)));
  private readonly result = h("select", { id: "result" });
  private readonly status = h("p", { class: "faint status", role: "status" }, "Reading the folder …");
  private readonly remarks = h("div", {});
  private readonly over = h("div", { class: "trend" });
  private drawn = "";
  private readonly head = h("tr", { role: "row" });
  private readonly body = h("tbody", { role: "rowgroup" });
  private readonly pager = h("nav", { class: "pager", "aria-label": "Pages" });
  private readonly bar = h("div", { class: "bar", role: "region", "aria-label": "Chosen runs" });

  constructor() {
    const form = h(
      "form",
      { class: "tools", role: "search" },
      h("div", { class: "grow" }, h("label", { for: "search" }, "Search"), this.search),
      h("div", {}, h("label", { for: "kind" }, "Show"), this.kind),
      h("div", {}, h("label", { for: "result" }, "Result"), this.result),
    );
    const table = h(
      "table",
      { role: "table", class: "runs", "aria-label": "Runs" },
      h("thead", { role: "rowgroup" }, this.head),
      this.body,
    );
    add(this.main, [
      h("header", {}, brand(), this.folder),
      form,
      this.status,
      this.remarks,
      this.over,
      h("div", { class: "scroll" }, table),
      this.pager,
      this.bar,
    ]);
    this.search.value = this.params.get("q") ?? "";
    this.kind.value = this.params.get("kind") ?? "";
    form.addEventListener("submit", (event) => event.preventDefault());
    let typing = 0;
    this.search.addEventListener("input", () => {
      clearTimeout(typing);
      typing = window.setTimeout(() => this.set({ q: this.search.value.trim() }), 150);
    });
    this.kind.addEventListener("change", () => this.set({ kind: this.kind.value }));
    this.result.addEventListener("change", () => this.chooseResult(this.result.value));
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void this.load());
    this.drawHead();
    this.drawBar();
    void this.load();
  }

  /** set changes what is asked for, from the first page on. */
  private set(change: Record<string, string>): void {
    for (const [name, value] of Object.entries({ offset: "", ...change })) {
      if (value) this.params.set(name, value);
      else this.params.delete(name);
    }
    const query = this.params.toString();
    history.replaceState(null, "", query ? "?" + query : location.pathname);
    this.drawHead();
    void this.load();
  }

  private chooseResult(value: string): void {
    // A workload's name may contain a slash, a direction does not.
    const at = value.lastIndexOf("/");
    const [workload, direction] = at < 0 ? [value, ""] : [value.slice(0, at), value.slice(at + 1)];
    const sorted = this.params.get("sort") === "result";
    this.set({ workload, direction, ...(sorted && !workload ? { sort: "", order: "" } : {}) });
  }

  /** load asks for the list and shows it; an answer that a later question has overtaken is dropped. */
  private async load(): Promise<void> {
    const request = ++this.asked;
    clearTimeout(this.timer);
    let wait = often;
    try {
      const listing = await ask<Listing>("/api/list?" + this.params.toString());
      if (request !== this.asked) return;
      if (listing.reading) wait = 500;
      this.show(listing);
      await this.drawTrend(request);
    } catch (err) {
      if (request !== this.asked) return;
      this.status.textContent = `${(err as Error).message} Trying again …`;
    }
    this.timer = window.setTimeout(() => document.visibilityState === "visible" && void this.load(), wait);
  }

  /** drawTrend shows the chosen result over the runs that the search finds, all pages of them. */
  private async drawTrend(request: number): Promise<void> {
    if (!this.params.get("workload")) {
      this.drawn = "";
      this.over.replaceChildren();
      return;
    }
    const trend = await ask<Trend>("/api/trend?" + this.params.toString());
    const now = JSON.stringify(trend);
    if (request !== this.asked || now === this.drawn) return;
    this.drawn = now;
    const chart = trendChart(trend);
    this.over.replaceChildren(...(chart ? [h("div", { class: "charts" }, figure(chart))] : []));
  }

  private show(listing: Listing): void {
    const now = JSON.stringify(listing);
    if (now === this.shown && !listing.runs.some((r) => r.status === "running")) return;
    this.shown = now;
    document.title = `${listing.folder} · Loadline`;
    this.folder.textContent = `Runs in ${listing.folder}`;
    this.status.textContent = this.statusWords(listing);
    this.remarks.replaceChildren(...(listing.remarks ?? []).map((r) => h("p", { class: "faint" }, r)));
    this.drawResults(listing.results);
    this.drawHead();
    this.drawRows(listing);
    this.drawPager(listing);
    this.drawBar();
  }

  private statusWords(l: Listing): string {
    const reading = l.reading ? " The folder is still being read." : "";
    if (l.total === 0) return l.reading ? "Reading the folder …" : "There is no run in this folder yet: loadline run TARGET makes the first one.";
    if (l.matches === 0) return `None of ${format.count(l.total, "run")} fits.${reading}`;
    const first = l.offset + 1;
    const last = l.offset + l.runs.length;
    const of = l.matches === l.total ? format.count(l.total, "run") : `${l.matches} of ${format.count(l.total, "run")}`;
    return `${l.runs.length < l.matches ? `${first} to ${last} of ${of}` : of}.${reading}`;
  }

  private drawResults(results: Headline[]): void {
    const value = this.choiceValue();
    const options = results.map((r) => {
      const twice = results.some((o) => o.workload === r.workload && o.direction !== r.direction);
      return h("option", { value: `${r.workload}/${r.direction}` }, twice ? `${r.workload} ${r.direction}` : r.workload);
    });
    this.result.replaceChildren(h("option", { value: "" }, "the headlines"), ...options);
    this.result.value = value;
  }

  private choiceValue(): string {
    const workload = this.params.get("workload");
    return workload ? `${workload}/${this.params.get("direction") ?? ""}` : "";
  }

  private drawHead(): void {
    const sort = this.params.get("sort") ?? "started";
    const down = (this.params.get("order") ?? "down") === "down";
    const focused = (document.activeElement as HTMLElement | null)?.dataset.sort;
    const cells = columns.map((c) => {
      const sorted = c.sort === sort;
      const sortable = c.sort && (c.sort !== "result" || this.params.get("workload"));
      const cell = h("th", { scope: "col", role: "columnheader", class: c.class, "aria-sort": sorted ? (down ? "descending" : "ascending") : undefined });
      if (!sortable) {
        cell.append(c.name);
        return cell;
      }
      const button = h("button", { type: "button", class: "sort", "data-sort": c.sort }, c.name, h("span", { "aria-hidden": "true" }, sorted ? (down ? " ▼" : " ▲") : ""));
      button.addEventListener("click", () => this.set({ sort: c.sort!, order: sorted ? (down ? "up" : "down") : c.first! }));
      cell.append(button);
      return cell;
    });
    this.head.replaceChildren(h("th", { scope: "col", role: "columnheader" }, h("span", { class: "hidden" }, "choose")), ...cells);
    if (focused) this.head.querySelector<HTMLElement>(`[data-sort="${focused}"]`)?.focus();
  }

  private drawRows(listing: Listing): void {
    const focused = document.activeElement as HTMLElement | null;
    const mark = this.body.contains(focused) ? [focused!.closest("tr")?.dataset.path, focused!.dataset.part] : null;
    const choice: RowChoice = { has: (e) => this.chosen.has(e.path), set: (e, on) => this.choose(e, on) };
    this.body.replaceChildren(...listing.runs.map((e) => rowOf(e, choice, columns.map((c) => c.name))));
    if (!mark) return;
    const row = [...this.body.rows].find((r) => r.dataset.path === mark[0]);
    row?.querySelector<HTMLElement>(`[data-part="${mark[1]}"]`)?.focus();
  }

  private choose(e: Entry, on: boolean): boolean {
    if (on && this.chosen.size >= mostBeside) {
      this.drawBar(`At most ${mostBeside} fit side by side.`);
      return false;
    }
    if (on) this.chosen.set(e.path, targetWords(e));
    else this.chosen.delete(e.path);
    this.drawBar();
    return true;
  }

  private drawPager(l: Listing): void {
    const children: Child[] = [];
    const step = (words: string, offset: number, can: boolean) => {
      const button = h("button", { type: "button", disabled: !can }, words);
      button.addEventListener("click", () => {
        this.set({ offset: offset > 0 ? String(offset) : "" });
        this.main.scrollIntoView();
      });
      return button;
    };
    if (l.matches > l.limit || l.offset > 0) {
      children.push(step("Previous page", l.offset - l.limit, l.offset > 0), step("Next page", l.offset + l.limit, l.offset + l.limit < l.matches));
    }
    this.pager.replaceChildren();
    add(this.pager, children);
  }

  private drawBar(remark = ""): void {
    const n = this.chosen.size;
    this.bar.hidden = n === 0;
    const words = h("p", { role: "status" }, remark || (n === 1 ? "1 chosen: choose another one to put them side by side." : `${n} chosen; the others are compared with the first: ${[...this.chosen.values()][0] ?? ""}.`));
    const go = h("button", { type: "button", class: "strong", disabled: n < 2 }, n < 2 ? "Put side by side" : `Put ${n} side by side`);
    go.addEventListener("click", () => location.assign(viewOf(...this.chosen.keys())));
    const clear = h("button", { type: "button" }, "Choose none");
    clear.addEventListener("click", () => {
      this.chosen.clear();
      this.body.querySelectorAll<HTMLInputElement>("input:checked").forEach((box) => (box.checked = false));
      this.drawBar();
      this.search.focus();
    });
    this.bar.replaceChildren(words, go, clear);
  }
}
