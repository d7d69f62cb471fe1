// The words of the documents that a page is made of, as docs/report.schema.json and
// docs/comparison.schema.json define them. Base units: seconds, bytes, 1/s, bytes/s.
// A number that is not finite is null.

export type Direction = "read" | "write" | "mixed" | "sync";
export type Metric = "iops" | "bandwidth" | "latency" | "p50" | "p90" | "p99" | "p99.9" | "p99.99" | "tps" | "records" | "elapsed";
export type Verdict = "valid" | "suspect" | "invalid";
export type Severity = "invalid" | "warning" | "note" | "passed" | "not-checked";
export type Change = "better" | "worse" | "same" | "unclear" | "unusable";
export type Num = number | null;

export interface Estimate {
  unit: string;
  estimate: Num;
  low: Num;
  high: Num;
  /** 0 means that there is no interval. */
  confidence: number;
}

export interface Finding {
  rule: string;
  severity: Severity;
  results?: string[];
  message: string;
  evidence?: Record<string, unknown>;
  next?: string;
}

export interface Latency {
  count: number;
  mean: Num;
  p50?: Num;
  p90?: Num;
  p99?: Num;
  "p99.9"?: Num;
  "p99.99"?: Num;
  max: Num;
}

export interface Result extends Estimate {
  workload: string;
  direction: Direction;
  metric: Metric;
  converged: boolean;
  seconds: number;
  repeats: number;
  verdict: Verdict;
  findings: string[];
  latency?: Latency;
  metrics: Partial<Record<Metric, Estimate>>;
  visits: Num[];
  series?: Num[];
  description: string;
}

export interface Points {
  at: number[];
  seconds: number[];
  iops: number[];
  bandwidth: number[];
  mean: number[];
  p50: number[];
  p99: number[];
  "p99.9": number[];
  span: number[];
}

export interface Span {
  round: number;
  ramp: number;
  start: number;
  end: number;
  error?: string;
}

export interface Heat {
  from: number[];
  times: number[];
  bounds: number[];
  cells: [number, number, number][] | null;
}

export interface Course {
  workload: string;
  direction: Direction;
  points: Points;
  spans: Span[];
  tail?: { latency: number; above: number }[];
  heat?: Heat;
  workers: number;
  thinned: number;
}

export interface Workload {
  name: string;
  access: string;
  direction: Direction;
  read_percent?: number;
  block_size: number;
  depth: number;
  jobs?: number;
  sync?: string;
  rate_iops?: number;
  metric: Metric;
  job?: string;
}

export interface Target {
  name: string;
  kind: string;
  path?: string;
  uri?: string;
  user?: string;
  /** Of a claim that exists its name, of one that was made its class. */
  cluster?: { class?: string; namespace?: string; name?: string };
}

export interface Storage {
  filesystem?: string;
  mount?: string;
  mount_from?: string;
  mount_options?: string;
  total?: number;
  used?: number;
  free?: number;
  device?: string;
  device_chain?: string[];
  device_size?: number;
  model?: string;
  rotational?: boolean;
  write_cache?: string;
  scheduler?: string;
  logical_block?: number;
  physical_block?: number;
  read_only?: boolean;
  memory: boolean;
  direct?: boolean;
  direct_error?: string;
  server?: string;
  no_flush?: boolean;
}

export interface Environment {
  hostname?: string;
  os?: string;
  kernel?: string;
  arch?: string;
  cpu_model?: string;
  cpus?: number;
  cpu_governor?: string;
  memory?: number;
  clocksource?: string;
  virtualization?: string;
  cgroup_cpu?: number;
  cgroup_memory?: number;
  storage: Storage;
  cluster?: Cluster;
}

export interface Cluster {
  version?: string;
  namespace: string;
  pod: string;
  node?: string;
  claim: string;
  made: boolean;
  volume?: string;
  mode?: string;
  access?: string[];
  capacity?: number;
  driver?: string;
  class?: string;
  provisioner?: string;
  parameters?: Record<string, string>;
  backing?: Backing;
}

export interface Backing {
  adapter?: string;
  system?: string;
  version?: string;
  engine?: string;
  replicas?: number;
  healthy?: number;
  nodes?: string[];
  locality?: string;
  facts?: Record<string, string>;
  unknown?: string[];
}

export interface Run {
  id: string;
  started: string;
  finished?: string;
  status: "running" | "complete" | "interrupted" | "failed" | "unknown";
  reason?: string;
  command?: string[];
  note?: string;
  target: Target;
  volume: {
    target: Target;
    path?: string;
    owned: boolean;
    size: number;
    size_reason?: string;
    engine: string;
    direct: boolean;
    prefill: boolean;
    no_flush?: boolean;
  };
  /** Those of a run that loads several at once. */
  volumes?: { target: Target; node?: string }[];
  schedule: {
    mode: string;
    ramp: number;
    visit: number;
    min_rounds: number;
    max_time: number;
    precision: number;
    seed: number;
    overhead: number;
  };
  profile: string;
  measured_seconds: number;
  prepare?: {
    written: number;
    seconds: number;
    path?: string;
    proof: { method: string; checked: number; unwritten: number; detail?: string };
  };
  environment: Environment;
  tools: Record<string, string> | null;
  workloads: Workload[] | null;
  jobs?: Record<string, string>;
  directory?: string;
  /** Set when another tool measured it. */
  imported?: Imported;
}

export interface Imported {
  system: string;
  sources: { name: string; raw: string; formats: string[] | null; lines: number }[] | null;
  at?: string;
  measured?: string;
  series: boolean;
}

export interface Goal {
  text: string;
  workload: string;
  direction: Direction;
  metric: Metric;
  above: boolean;
  bound: number;
  estimate: Estimate;
  outcome: "met" | "missed" | "undecided";
  message: string;
  next?: string;
}

export interface Row {
  workload: string;
  direction: Direction;
  metric: Metric;
  description: string;
  a: Estimate;
  b: Estimate;
  ratio: Estimate;
  p: number;
  adjusted_p: number;
  margin: number;
  verdict: Change;
  blocks: number;
  blocks_needed?: number;
  narrow?: number;
  trust: Verdict;
  changes: Num[];
}

export interface Comparison {
  schema: string;
  id?: string;
  a: Run;
  b: Run;
  method: "paired" | "independent";
  margins: { rate: number; p99: number };
  alpha: number;
  common: { name: string; value: string }[];
  differences: { name: string; a: string; b: string; unlike: boolean }[];
  comparable: boolean;
  rows: Row[];
  findings: Finding[];
  directory?: string;
  compared?: string;
}

export interface SweepPoint {
  result: string;
  direction: Direction;
  depth: number;
  jobs: number;
  block_size: number;
  iops: Estimate;
  bandwidth: Estimate;
  mean?: Estimate;
  p50?: Estimate;
  p99?: Estimate;
  "p99.9"?: Estimate;
  offered?: number;
  fraction?: number;
  achieved?: number;
  verdict: Verdict;
}

export interface Sweep {
  kind: "grid" | "load";
  base: string;
  points: SweepPoint[] | null;
  capacity?: Estimate;
  knee?: { offered: number; fraction: number; p99: number; beyond: boolean; why: string };
}

export interface ScalePoint {
  volumes: number;
  nodes?: number;
  total: Estimate;
  per_volume: Estimate;
  each?: number[];
  fairness?: number;
  mean?: Estimate;
  p50?: Estimate;
  p99?: Estimate;
  offered?: number;
  device?: Estimate;
  start_spread?: number;
  verdict: Verdict;
}

export interface Law {
  kind: "min" | "amdahl" | "usl";
  first: Estimate;
  capacity?: Estimate;
  alpha?: number;
  beta?: number;
  capacity_extrapolated?: boolean;
  knee?: number;
  residuals: Num[] | null;
  error: number;
  chosen: boolean;
  band?: BandPoint[];
}

export interface BandPoint {
  volumes: number;
  value: number;
  low: number;
  high: number;
  extrapolated?: boolean;
}

export interface Scale {
  workload: string;
  direction: Direction;
  metric: Metric;
  points: ScalePoint[] | null;
  laws?: Law[];
  source?: string;
}

export interface Cut {
  number: number;
  kind: string;
  what: string;
  noticed: boolean;
  acknowledged: number;
  lost: number;
  torn: number;
  foreign: number;
  unstable: number;
  unreadable: number;
}

export interface Durability {
  result: "clean" | "lies" | "corrupt" | "unproven";
  statement: string;
  proves: string;
  sync: string;
  cuts: Cut[] | null;
}

export interface Report {
  schema: string;
  run: Run;
  results: Result[];
  findings: Finding[];
  goals?: Goal[];
  comparison?: Comparison;
  courses?: Course[];
  sweep?: Sweep;
  scales?: Scale[];
  durability?: Durability[];
  ranking?: Ranking;
}

export interface RankEntry {
  system: number;
  estimate: Estimate;
  /** The best and the worst place that the number allows; 0 for one that cannot be used. */
  first: number;
  last: number;
  trust: Verdict;
  repeats: number;
}

export interface RankRow {
  group: string;
  workload: string;
  direction: Direction;
  metric: Metric;
  description: string;
  entries: RankEntry[] | null;
  verdict: Change;
  reason?: string;
}

export interface RankGroup {
  /** Empty over all groups. */
  name: string;
  rows: number;
  entries: RankEntry[] | null;
  verdict: Change;
  reason?: string;
}

export interface Ranking {
  systems: { name: string; directory?: string }[] | null;
  rows: RankRow[] | null;
  groups: RankGroup[] | null;
  noise?: { repeats: { system: number; workload: string; metric: Metric; values: number[]; difference: Num }[] | null; largest: number; apart: number };
}

/** A table in words; numeric tells which columns hold figures. */
export interface Grid {
  titles: string[];
  numeric: boolean[];
  rows: string[][];
}

/** A part of a chapter: one of its members is set. */
export interface Part {
  text?: string;
  items?: string[];
  table?: Grid;
  scale?: Scale;
}

export interface Chapter {
  id: string;
  title: string;
  level: number;
  missing?: string;
  parts?: Part[];
}

/** A reference report. */
export interface Reference {
  title: string;
  sources: string[] | null;
  chapters: Chapter[];
}

/** What a page is made of: reports, and comparisons of two runs; or a reference report. */
/** The report of a durability test that stands alone. */
export interface DurabilityReport extends Durability {
  id: string;
  started: string;
  finished?: string;
  status: Run["status"];
  reason?: string;
  command?: string[];
  target: Run["target"];
  path: string;
  block_size: number;
  blocks: number;
  jobs: number;
  clean: number;
  counted: number;
  bound?: number;
  findings: Finding[];
  environment: Run["environment"];
}

export interface Documents {
  reports: Report[];
  comparisons?: Comparison[];
  durability?: DurabilityReport[];
  reference?: Reference;
}
