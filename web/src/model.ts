// The words of the documents that a page is made of: names for what documents.ts, which is
// made from the schemas in docs/, has. Base units: seconds, bytes, 1/s, bytes/s. A number
// that is not finite is null.

import type * as doc from "./documents";

export type { Change, Cluster, Comparison, Cut, DurabilityReport, Environment, Finding, Goal, Imported, Latency, Metric, Num, Result, Row, Run, Target, Transactions, Volume, Workload } from "./documents";

export type Direction = doc.Result["direction"];
export type Verdict = doc.Result["verdict"];
export type Severity = doc.Finding["severity"];

/** A value with its interval, of any unit. */
export type Estimate = Pick<doc.Estimate, "estimate" | "low" | "high" | "confidence" | "open">;

type Item<T> = NonNullable<T> extends (infer I)[] ? I : never;

/** The same where every number is there, but for those of estimates: what charts are drawn
 * from is left out by the program rather than said to be unknown. */
type Finite<T> = [T] extends [number | null | undefined] ? Exclude<T, null> : T extends Estimate ? T : T extends object ? { [K in keyof T]: Finite<T[K]> } : T;

export type Course = Finite<doc.Course>;
export type Points = Course["points"];
export type Span = Item<Course["spans"]>;
export type Heat = NonNullable<Course["heat"]>;

export type Sweep = Finite<doc.Sweep>;
export type SweepPoint = Item<Sweep["points"]>;

export type Scale = Finite<doc.Scale>;
export type ScalePoint = Item<Scale["points"]>;
export type Law = Item<Scale["laws"]>;
export type BandPoint = Item<Law["band"]>;

export type Ranking = Finite<doc.Ranking>;
export type RankRow = Item<Ranking["rows"]>;
export type RankGroup = Item<Ranking["groups"]>;
export type RankEntry = Item<RankRow["entries"]>;

export type Budget = Finite<doc.Budget>;
export type BudgetRow = Budget["rows"][number];
export type BudgetPart = BudgetRow["part"];
export type Amplification = doc.Amplification;
export type Counterfactual = Item<Budget["counterfactuals"]>;
export type BudgetComparison = Finite<doc.BudgetComparison>;

export type Report = Omit<doc.Report, "courses" | "sweep" | "scales" | "ranking" | "budgets"> & {
  courses?: Course[];
  sweep?: Sweep;
  scales?: Scale[];
  ranking?: Ranking;
  budgets?: Budget[];
};

export type Storage = doc.Environment["storage"];
export type Grid = NonNullable<doc.Part["table"]>;
/** A part of a chapter: one of its members is set. */
export type Part = Omit<doc.Part, "scale"> & { scale?: Scale };
export type Chapter = Omit<Item<doc.Reference["chapters"]>, "parts"> & { parts?: Part[] };
/** A reference report. */
export type Reference = Omit<doc.Reference, "chapters"> & { chapters: Chapter[] };

export type TraceRow = doc.TraceRow;
export type TraceKind = Omit<doc.TraceKind, "course"> & { course?: Course };
/** A trace: what others did, seen from the block layer. */
export type Trace = Omit<doc.TraceReport, "kinds"> & { kinds: TraceKind[] };

export type ComparedRow = doc.ComparedRow;
export type TraceComparison = doc.TraceComparison;

/** What a page is made of: reports, comparisons of two runs and durability tests; or a reference report, traces, or a comparison of two traces. */
export interface Documents {
  reports: Report[];
  /** The traces made beside the runs: one for each report, null where there was none. */
  beside?: (Trace | null)[];
  comparisons?: doc.Comparison[];
  durability?: doc.DurabilityReport[];
  reference?: Reference;
  traces?: Trace[];
  traced?: TraceComparison;
}
