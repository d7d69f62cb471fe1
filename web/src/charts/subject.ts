// What charts over time are drawn of: one workload in one direction, of one run or of
// several runs side by side; and the clock of its own repeats.

import type { Course, Direction, Metric, Report, Result, Span } from "../model";
import { dash, letter, mark, type Theme } from "../theme";
import { flowName, placeName } from "../page/words";

/** Subject is a workload and direction in one of the runs of a page. */
export interface Subject {
  /** The run's place on the page, and how many there are. */
  run: number;
  runs: number;
  /** "A: /srv/data" when there are several runs. */
  label: string;
  course: Course;
  result?: Result;
  clock: Clock;
}

/** Group is the same workload and direction in all the runs that have it. */
export interface Group {
  name: string;
  workload: string;
  direction: Direction;
  metric: Metric;
  description: string;
  subjects: Subject[];
  /** It is what a trace saw of others, and no workload of ours. */
  watched?: boolean;
}

/** timeName is what the axis of a group's time counts. */
export const timeName = (g: Group): string => (g.watched ? "time of the trace (s)" : "time of this workload's own repeats (s)");

/** groups gathers the courses of all reports by workload and direction. */
export function groups(reports: Report[]): Group[] {
  const list: Group[] = [];
  reports.forEach((report, run) => {
    for (const course of report.courses ?? []) {
      // An imported distribution has a tail and no seconds.
      if (course.points.at.length === 0 && (course.tail?.length ?? 0) < 2) continue;
      const result = report.results.find((r) => r.workload === course.workload && r.direction === course.direction);
      let group = list.find((g) => g.workload === course.workload && g.direction === course.direction);
      if (!group) {
        group = {
          name: flowName(course.workload, course.direction, report.results),
          workload: course.workload,
          direction: course.direction,
          metric: result?.metric ?? "iops",
          description: result?.description ?? "",
          subjects: [],
        };
        list.push(group);
      }
      const label = reports.length > 1 ? `${letter(run)}: ${placeName(report.run.target)}` : course.workload;
      group.subjects.push({ run, runs: reports.length, label, course, result, clock: new Clock(course.spans) });
    }
  });
  return list;
}

/** colorOf: one run is in the colour of its direction, several in their own. */
export function colorOf(s: Subject, t: Theme): string {
  return s.runs > 1 ? t.runs[s.run % t.runs.length]! : t.direction[s.course.direction];
}

export const dashOf = (s: Subject) => (s.runs > 1 ? dash(s.run) : "solid");
export const markOf = (s: Subject) => (s.runs > 1 ? mark(s.run) : "circle");

/** Clock counts only the time of a workload's own repeats: other workloads' are cut out. */
export class Clock {
  private readonly begins: number[] = [];
  readonly length: number;

  constructor(readonly spans: Span[]) {
    let at = 0;
    for (const s of spans) {
      this.begins.push(at - s.ramp);
      at += s.end - s.ramp;
    }
    this.length = at;
  }

  /** own is the workload's own time at a moment of a repeat. */
  own(span: number, moment: number): number {
    return moment + (this.begins[span] ?? 0);
  }

  /** middles are the own times of the middles of a course's points. */
  middles(c: Course): number[] {
    return c.points.at.map((at, i) => this.own(c.points.span[i]!, at - c.points.seconds[i]! / 2));
  }

  /** shades are the stretches behind a line, in own time. */
  shades(t: Theme): { from: number; to: number; color: string }[] {
    const list: { from: number; to: number; color: string }[] = [];
    this.spans.forEach((s, i) => {
      const at = (moment: number) => this.own(i, moment);
      if (s.start > s.ramp) list.push({ from: at(s.ramp), to: at(s.start), color: t.ramp });
      if (i % 2 === 1 && s.end > s.start) list.push({ from: at(s.start), to: at(s.end), color: t.stripe });
    });
    return list;
  }

  get ramps(): boolean {
    return this.spans.some((s) => s.start > s.ramp);
  }
}

/** broken makes pairs of a line that is interrupted between repeats. */
export function broken(x: number[], y: (number | null)[], span: number[]): [number, number | null][] {
  const list: [number, number | null][] = [];
  x.forEach((v, i) => {
    if (i > 0 && span[i] !== span[i - 1]) list.push([v, null]);
    list.push([v, y[i] ?? null]);
  });
  return list;
}

/** positive is null where a logarithmic axis has no place. */
export function positive(values: number[]): (number | null)[] {
  return values.map((v) => (v > 0 ? v : null));
}
