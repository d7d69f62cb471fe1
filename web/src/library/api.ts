// What the server answers, as internal/show/serve says it, and how it is asked.

import type { Change, Comparison, Direction, DurabilityReport, Estimate, Metric, Report, Trace, Verdict } from "../model";

export type Kind = "run" | "sweep" | "scale" | "comparison" | "ranking" | "durability" | "trace" | "unknown";

export interface CardResult extends Estimate {
  workload: string;
  direction: Direction;
  metric: Metric;
  verdict: Verdict;
}

/** A row of the list: one directory. */
export interface Entry {
  path: string;
  kind: Kind;
  id: string;
  started?: string;
  finished?: string;
  status: "" | "running" | "complete" | "interrupted" | "failed" | "unknown";
  reason?: string;
  target: string;
  target_kind?: string;
  baseline?: string;
  profile?: string;
  note?: string;
  labels?: Record<string, string>;
  host?: string;
  verdict?: Verdict;
  invalid?: number;
  warnings?: number;
  results?: CardResult[];
  changes?: Partial<Record<Change, number>>;
  durability?: DurabilityReport["result"];
  statement?: string;
  problems?: string[];
  more?: number;
}

export interface Headline {
  workload: string;
  direction: Direction;
  metric: Metric;
  runs: number;
}

export interface Listing {
  folder: string;
  total: number;
  matches: number;
  offset: number;
  limit: number;
  runs: Entry[];
  results: Headline[];
  reading?: boolean;
  remarks?: string[];
}

/** A result over runs, the oldest first. */
export interface Trend {
  workload: string;
  direction: Direction;
  metric: Metric;
  points: TrendPoint[];
  earlier?: number;
  unlike?: number;
}

export interface TrendPoint extends CardResult {
  path: string;
  started: string;
  target: string;
  host?: string;
  note?: string;
}

export interface Viewed {
  path: string;
  kind: Kind;
  running: boolean;
}

export interface View {
  runs: Viewed[];
  reports: Report[];
  beside?: (Trace | null)[];
  comparisons: Comparison[];
  durability: DurabilityReport[];
  traces?: Trace[];
  remarks: string[];
}

/** What changed in a running run. */
export interface Update {
  whole?: boolean;
  report?: Report;
  courses?: { at: number; course: NonNullable<Report["courses"]>[number] }[];
}

/** ask fetches a document. Who is not let in is sent to the login; other refusals are errors with a sentence. */
export async function ask<T>(address: string): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(address, { headers: { Accept: "application/json" } });
  } catch {
    throw new Error("The server does not answer.");
  }
  if (answer.status === 401) {
    location.assign("/login?next=" + encodeURIComponent(location.pathname + location.search));
    return new Promise(() => undefined);
  }
  const document = (await answer.json()) as T & { error?: string };
  if (!answer.ok) throw new Error(document.error ?? `The server answers with ${answer.status}.`);
  return document;
}

/** runs writes paths as the parameters of an address. */
export function runs(paths: string[]): string {
  return paths.map((p) => "run=" + encodeURIComponent(p)).join("&");
}

export const viewOf = (...paths: string[]): string => "/view?" + runs(paths);
export const bundleOf = (path: string): string => "/api/bundle?" + runs([path]);
export const samplesOf = (path: string): string => "/api/samples?" + runs([path]);
