// Made from the schemas in docs/ by types.mjs (make web): do not change it by hand.

/**
 * bytes
 */
export type Size = number;
export type Seconds = number | null;
export type Count = number;
export type Num = number | null;
/**
 * iops, tps (transactions) and records in 1/s, bandwidth in B/s, all others in s: latency is the mean, elapsed the time that a whole test took.
 */
export type Metric = "iops" | "bandwidth" | "latency" | "p50" | "p90" | "p99" | "p99.9" | "p99.99" | "tps" | "records" | "elapsed";
/**
 * What one workload did in one direction: its headline metric.
 */
export type Result = Estimate & {
  workload: string;
  /**
   * sync is the flush that a workload waits for; mixed is both ways together, of imported numbers.
   */
  direction: "read" | "write" | "mixed" | "sync";
  app?: Transactions;
  sustained?: Sustained;
  metric: Metric;
  unit?: Unit;
  estimate?: Num;
  low?: Num;
  high?: Num;
  confidence?: number;
  open?: boolean;
  /**
   * The interval is as narrow as was requested, and the rule for stopping held.
   */
  converged: boolean;
  seconds: Seconds;
  repeats: Count;
  span?: Seconds;
  /**
   * Whether the number may be believed.
   */
  verdict: "valid" | "suspect" | "invalid";
  /**
   * The rules that ended in invalid, warning or note.
   */
  findings: string[];
  latency?: Latency;
  /**
   * All metrics that could be estimated, the headline too.
   */
  metrics: {
    [k: string]: Estimate;
  };
  /**
   * The headline metric of each repeat, in the order of time.
   */
  repeat_values: Num[];
  /**
   * Numbers of the steps that began before the storage was done with what was written, and are in none of the figures.
   */
  left_out?: number[];
  /**
   * The headline metric over time, at most 60 points.
   */
  series?: Num[];
  /**
   * The workload in short: rand read 4k qd64.
   */
  description: string;
};
export type Unit = "1/s" | "B/s" | "s";
/**
 * 1/s
 */
export type Rate = number | null;
/**
 * seconds
 */
export type Time = number | null;
/**
 * connect: connection set-up. client-cpu, server-cpu: on a processor. round-trips: between a statement's answer and the next. run-queue: ready, and waiting for one. work: all of these and reads, where a law has them as one. locks: of other transactions. latches: locks inside the server. reads: of what the server's cache did not hold. wal-write: writing the WAL. flush-queue: waiting for a flush that is in progress. flush: the flush that makes it durable. other-waits: what else a session waited for. submission: the call that hands an I/O to the kernel. tool-cpu: the load tool on a processor, besides. block-queue: scheduler and block queue. queueing: waiting for other I/Os of the same load. service: the I/O alone, kernel and device. device: from the driver's issue to the completion. block-io: reads and writes as a tracer saw them. residual: what is left over.
 */
export type BudgetPart =
  | "connect"
  | "client-cpu"
  | "round-trips"
  | "server-cpu"
  | "run-queue"
  | "work"
  | "locks"
  | "latches"
  | "reads"
  | "wal-write"
  | "flush-queue"
  | "flush"
  | "other-waits"
  | "submission"
  | "tool-cpu"
  | "block-queue"
  | "queueing"
  | "service"
  | "device"
  | "block-io"
  | "residual";
/**
 * 1: a number, B: bytes, s: seconds.
 */
export type BudgetUnit = "1" | "B" | "s";
export type Sentences = string[];
export type Share = number;
export type Numbers = Num[];
/**
 * better: every place is certain. unclear: the numbers allow several orders. unusable: fewer than two numbers can be used.
 */
export type Change = "better" | "worse" | "same" | "unclear" | "unusable";
/**
 * What writes zeros, erases or appends to a zone is a write. flush: one that the device got. flush-wait: a write without data that asks for one, which the device never sees. other: a driver's command.
 */
export type Operation = "read" | "write" | "flush" | "discard" | "flush-wait" | "other";
/**
 * Latencies in fio's buckets: base64 of pairs of varints, the distance to the bucket before and the count.
 */
export type Histogram = string;

export interface All {
  Report?: Report;
  Comparison?: Comparison;
  DurabilityReport?: DurabilityReport;
  Reference?: Reference;
  Explanation?: Explanation;
  TraceReport?: TraceReport;
  TraceComparison?: TraceComparison;
}
/**
 * What `loadline run --format json` prints and report.json holds. Base units everywhere: seconds, bytes, 1/s, bytes/s. Fields are only ever added, so readers must accept fields that they do not know. A number that is not finite is null.
 */
export interface Report {
  schema: "loadline.report/v1";
  run: Run;
  results: Result[];
  findings: Finding[];
  /**
   * What the results were asked to reach, in the order in which it was asked.
   */
  goals?: Goal[];
  budgets?: Budget[];
  comparison?: Comparison;
  /**
   * What the charts over time are drawn from, thinned for the eye; the raw samples are in the run directory.
   */
  courses?: Course[];
  sweep?: Sweep;
  /**
   * N volumes at once.
   */
  scales?: Scale[];
  durability?: DurabilityReport[];
  ranking?: Ranking;
}
export interface Run {
  id: string;
  started: string;
  finished?: string;
  /**
   * running: the process that measured was killed, or is still at work.
   */
  status: "running" | "complete" | "interrupted" | "failed" | "unknown";
  /**
   * A sentence when the status is interrupted or failed.
   */
  reason?: string;
  command?: string[];
  labels?: Labels;
  note?: string;
  target: Target;
  volume: Volume;
  /**
   * Those of a run that loads several at once; volume is the first of them.
   */
  volumes?: Volume[];
  schedule: Schedule;
  profile?: string;
  measured_seconds?: Seconds;
  prepare?: Preparation;
  environment: Environment;
  /**
   * Versions by name.
   */
  tools: {
    [k: string]: string;
  };
  workloads: Workload[];
  /**
   * The exact job texts that the load tool was given, by workload.
   */
  jobs?: {
    [k: string]: string;
  };
  /**
   * Where the run is saved.
   */
  directory?: string;
  imported?: Imported;
}
/**
 * What the user calls it: values by name, as --label was given. The names are those that Prometheus allows.
 */
export interface Labels {
  [k: string]: string;
}
/**
 * What the user named.
 */
export interface Target {
  name: string;
  kind: string;
  path?: string;
  uri?: string;
  /**
   * Of a Ceph image: whom the cluster knew the client as, without "client."; absent where the target named nobody.
   */
  user?: string;
  /**
   * What was asked of a Kubernetes cluster.
   */
  cluster?: {
    class?: string;
    namespace?: string;
    name?: string;
    size?: Size;
    block?: boolean;
    access?: string;
  };
}
/**
 * What the I/O was done on.
 */
export interface Volume {
  target: Target;
  path?: string;
  /**
   * Loadline made the file and removes it.
   */
  owned: boolean;
  size: Size;
  size_reason?: string;
  /**
   * fio's ioengine.
   */
  engine: string;
  /**
   * The page cache was bypassed.
   */
  direct: boolean;
  prefill: boolean;
  no_flush?: boolean;
  log?: Volume;
  /**
   * The machine that does the I/O, where there are several.
   */
  node?: string;
  destroy_data_on?: string;
}
/**
 * How the workloads were measured.
 */
export interface Schedule {
  mode: string;
  ramp: Seconds;
  repeat_time: Seconds;
  min_rounds: Count;
  max_time: Seconds;
  /**
   * The relative half-width that was requested.
   */
  precision: number;
  seed: Count;
  overhead: Seconds;
  /**
   * For how long a workload was looked at without a pause, in the place of its last certain repeat.
   */
  look?: number;
  /**
   * How many such looks were planned.
   */
  looks?: number;
}
export interface Preparation {
  written: Size;
  seconds: Seconds;
  path?: string;
  size?: Size;
  slow?: Num;
  /**
   * Those of the prefill, about one a second, in bytes/s.
   */
  rates?: number[];
  app?: Application;
  /**
   * Whether every byte of the volume was really written.
   */
  proof: {
    method: string;
    checked: Size;
    unwritten: Size;
    detail?: string;
    bandwidth?: Num;
  };
}
/**
 * An application as it was when it had been made ready.
 */
export interface Application {
  name: string;
  version: string;
  scale?: Count;
  data?: Size;
  cache?: Size;
  seconds?: Seconds;
  round_trip?: Seconds;
  connection?: Seconds;
  settings?: {
    name: string;
    value: string;
    /**
     * What it would be if it were not set.
     */
    default?: string;
    /**
     * Who has set it.
     */
    source?: string;
  }[];
  /**
   * Set where the server was there before and stays.
   */
  server?: {
    /**
     * Names the server's data and its start.
     */
    instance: string;
    /**
     * What was made in it, and removed.
     */
    schema?: string;
    /**
     * The server's directory, where it is on this machine for certain.
     */
    data?: string;
    /**
     * Whether it made a checkpoint before each repeat.
     */
    checkpoint: boolean;
    /**
     * What was found before, and does not forbid to measure.
     */
    remarks?: string[];
  };
}
/**
 * The machine and the storage as they were found; what could not be read is absent.
 */
export interface Environment {
  hostname?: string;
  os?: string;
  kernel?: string;
  arch?: string;
  cpu_model?: string;
  cpus?: Count;
  cpu_governor?: string;
  memory?: Size;
  clocksource?: string;
  virtualization?: string;
  cgroup_cpu?: Num;
  cgroup_memory?: Size;
  storage: Storage;
  log_storage?: Storage;
  cluster?: Cluster;
}
/**
 * What probing a volume found; what could not be read is absent.
 */
export interface Storage {
  filesystem?: string;
  mount?: string;
  mount_from?: string;
  mount_options?: string;
  total?: Size;
  used?: Size;
  free?: Size;
  device?: string;
  device_chain?: string[];
  device_size?: Size;
  model?: string;
  rotational?: boolean;
  write_cache?: string;
  scheduler?: string;
  logical_block?: Size;
  physical_block?: Size;
  read_only?: boolean;
  /**
   * The data lives in RAM.
   */
  memory: boolean;
  /**
   * Whether O_DIRECT works; absent when it does not apply or was not tried.
   */
  direct?: boolean;
  direct_error?: string;
  bypassed?: boolean;
  bypass_detail?: string;
  server?: string;
  no_flush?: boolean;
}
/**
 * Where in a Kubernetes cluster the worker and its volume were; what could not be read is absent.
 */
export interface Cluster {
  /**
   * Of the API server.
   */
  version?: string;
  context?: string;
  namespace: string;
  pod: string;
  image?: string;
  node?: string;
  kubelet?: string;
  runtime?: string;
  os_image?: string;
  instance_type?: string;
  zone?: string;
  /**
   * The worker ran as root.
   */
  root?: boolean;
  /**
   * As whom the worker ran.
   */
  identity?: {
    user: number;
    group: number;
    /**
     * More groups of the worker, which change nothing of the volume.
     */
    groups?: number[];
    /**
     * The group that Kubernetes gave the volume's files to.
     */
    fs_group?: number;
    selinux_level?: string;
  };
  /**
   * The volume was bound to certain nodes before its pod was placed.
   */
  pinned?: boolean;
  /**
   * How the pods of several volumes lie on nodes.
   */
  spread?: {
    /**
     * What was requested: hard or soft.
     */
    asked?: string;
    volumes: number;
    /**
     * How many have a volume at least.
     */
    nodes: number;
    /**
     * How many may have one, where that may be read.
     */
    eligible?: number;
    /**
     * The most volumes on one node.
     */
    most: number;
    /**
     * The fewest volumes on one of the nodes that have any.
     */
    least: number;
    /**
     * Why they are not spread as far or as evenly as they could.
     */
    why?: string;
  };
  claim: string;
  /**
   * The claim was made for this measurement.
   */
  made: boolean;
  volume?: string;
  mode?: string;
  access?: string[];
  capacity?: Size;
  driver?: string;
  handle?: string;
  attributes?: {
    [k: string]: string;
  };
  class?: string;
  provisioner?: string;
  parameters?: {
    [k: string]: string;
  };
  mount_options?: string[];
  reclaim_policy?: string;
  binding_mode?: string;
  /**
   * What the storage system behind the volume says of itself; unknown tells in sentences what could not be found out, and why.
   */
  backing?: {
    /**
     * Who asked: longhorn, local-path, csi.
     */
    adapter?: string;
    system?: string;
    version?: string;
    /**
     * The version of what serves this volume's I/O.
     */
    engine?: string;
    /**
     * How many copies the volume is to have.
     */
    replicas?: number;
    /**
     * How many took part when the worker had found its volume.
     */
    healthy?: number;
    /**
     * Those that hold a copy.
     */
    nodes?: string[];
    locality?: string;
    facts?: {
      [k: string]: string;
    };
    unknown?: string[];
  };
  log?: Cluster;
  client?: Cluster;
  events?: {
    object: string;
    type?: string;
    reason: string;
    message: string;
  }[];
}
export interface Workload {
  name: string;
  access: "rand" | "seq" | "";
  direction: "read" | "write" | "mixed";
  read_percent?: number;
  block_size: Size;
  depth: Count;
  jobs?: Count;
  threads?: boolean;
  offset_increment?: Size;
  /**
   * The flush after each write.
   */
  sync?: "" | "fsync" | "fdatasync";
  /**
   * Written as a log is: through the page cache, to reserved space that was never written, anew at each repeat.
   */
  append?: boolean;
  rate_iops?: Num;
  volumes?: Count;
  rate_bandwidth?: Num;
  /**
   * I/Os are due at random times at the rate, whether or not earlier ones have ended; latencies count from when an I/O was due.
   */
  open_loop?: boolean;
  /**
   * What is asked of an application's load tool; absent for the load of a storage. depth is then the number of clients.
   */
  app?: {
    tool?: string;
    threads?: Count;
    /**
     * The tool's own, one per line.
     */
    options?: string;
    /**
     * Each transaction opens a connection of its own.
     */
    reconnect?: boolean;
    /**
     * The text of the user's own script.
     */
    script?: string;
    limit?: Seconds;
    published?: Count;
    published_scale?: Count;
  };
  of_capacity?: Num;
  metric: Metric;
  /**
   * The user's own fio job options.
   */
  job?: string;
}
/**
 * The mark of results that another tool measured.
 */
export interface Imported {
  /**
   * What was measured, as the user or the source names it.
   */
  system: string;
  sources:
    | {
        /**
         * The file's name without its folder.
         */
        name: string;
        /**
         * The name of its copy under raw/.
         */
        raw: string;
        /**
         * The formats that were found in it.
         */
        formats: string[] | null;
        /**
         * The format that the user forced.
         */
        as?: string;
        /**
         * The name that the source itself gives the system.
         */
        own?: string;
        lines: Count;
      }[]
    | null;
  /**
   * When it was imported.
   */
  at?: string;
  /**
   * When it was measured; absent when the source does not say.
   */
  measured?: string;
  /**
   * The source holds the seconds, so that there are intervals.
   */
  series: boolean;
}
/**
 * A value with its interval.
 */
export interface Estimate {
  unit: Unit;
  estimate: Num;
  low: Num;
  high: Num;
  /**
   * The nominal coverage of [low, high]. 0 means that there is no interval: low and high then equal the estimate.
   */
  confidence: number;
  /**
   * Nothing bounds the value from above: what makes it large came too rarely. high is then the largest that was seen.
   */
  open?: boolean;
}
/**
 * What the transactions of a workload cost an application and its storage, over all repeats that count, ramps included. What is not known is absent.
 */
export interface Transactions {
  transactions: Count;
  failed?: Count;
  skipped?: Count;
  under_way?: Num;
  connect?: Num;
  flushes?: Num;
  flush_time?: Num;
  flushing?: Num;
  log_bytes?: Num;
  page_images?: Num;
  reads?: Num;
  hit_rate?: Num;
  reading?: Num;
  device_reads?: Num;
  device_writes?: Num;
  device_flushes?: Num;
  device_written_bytes?: Num;
  log_device_reads?: Num;
  log_device_writes?: Num;
  log_device_flushes?: Num;
  log_device_written_bytes?: Num;
  checkpoints?: Num;
  vacuums?: Num;
}
/**
 * What a look without a pause says of a result, in the result's direction. Where the rate fell, the result is the level end of the look.
 */
export interface Sustained {
  /**
   * held: as in the short repeats; fell: the result is what it fell to; fell-unsteady: likewise, but not level; below: slower than what another workload fell to; doubtful: faster than that, and not looked at, or not often enough.
   */
  lasting: "held" | "fell" | "fell-unsteady" | "below" | "doubtful";
  /**
   * The workload that was looked at: this one, or the heaviest in its direction.
   */
  looked: string;
  step: Count;
  seconds: Seconds;
  /**
   * I/Os done in the look, in this direction.
   */
  ios: number;
  /**
   * Bytes moved in it.
   */
  bytes: number;
  /**
   * Where its level end begins, in seconds since the run began.
   */
  from: number;
  rate: Num;
  bandwidth: Num;
  /**
   * Nothing that was looked at moves as many bytes per second as this result.
   */
  bytes_unseen?: boolean;
  /**
   * The rate before it fell. ios and bytes are what was done above the later rate, refill how long that rate takes to fill it again: each is a lower bound.
   */
  burst?: {
    rate: Num;
    bandwidth: Num;
    seconds: Seconds;
    ios: number;
    bytes: number;
    refill: Seconds;
  };
}
/**
 * Latencies in seconds, from the merged histograms (each within 1/128). A percentile that the number of I/Os cannot support is absent.
 */
export interface Latency {
  unit: "s";
  count: Count;
  mean: Seconds;
  p50?: Seconds;
  p90?: Seconds;
  p99?: Seconds;
  "p99.9"?: Seconds;
  "p99.99"?: Seconds;
  max: Seconds;
}
/**
 * A trust rule's outcome. not-checked means that the evidence was missing; it is never a pass.
 */
export interface Finding {
  rule: string;
  severity: "invalid" | "warning" | "note" | "passed" | "not-checked";
  /**
   * The workloads that it concerns; absent or empty means the whole run.
   */
  results?: string[];
  message: string;
  /**
   * The figures behind the message, in base units.
   */
  evidence?: {};
  /**
   * The command to type or the thing to do next.
   */
  next?: string;
}
/**
 * A goal, decided on the interval: met or missed when all of it lies on one side of the bound.
 */
export interface Goal {
  /**
   * As it was written.
   */
  text: string;
  workload: string;
  direction: "read" | "write" | "sync";
  metric: Metric;
  /**
   * The value must be above the bound, otherwise below.
   */
  above: boolean;
  /**
   * In base units.
   */
  bound: number;
  estimate: Estimate;
  outcome: "met" | "missed" | "undecided";
  message: string;
  /**
   * What would decide an undecided goal, or show where a missed one would be met.
   */
  next?: string;
}
export interface Budget {
  workload: string;
  description: string;
  /**
   * What the rows are about: transaction, read, write, write with its flush, read or write.
   */
  operation: string;
  in_flight: Num;
  rate: Rate;
  seen: Time;
  seen_by: string;
  rows: BudgetRow[];
  residual: BudgetRow;
  closure: Num;
  /**
   * Why nothing is concluded from it; absent when the budget closes (a closure within 15 % of 1).
   */
  refused?: string;
  /**
   * What a budget that does not close lacks, and what would measure it.
   */
  missing?: {
    what: string;
    measure: string;
  }[];
  /**
   * How often something was done for one operation.
   */
  counts?: {
    name: string;
    unit: BudgetUnit;
    value: Num;
  }[];
  /**
   * What a law says would be otherwise.
   */
  counterfactuals?: Counterfactual[];
  notes?: Sentences;
}
export interface BudgetRow {
  part: BudgetPart;
  name: string;
  seconds: Time;
  share: Num;
  margin?: Time;
  /**
   * How it is computed.
   */
  of?: string;
  /**
   * Who measured it, or which law it comes from. A residual has none.
   */
  source?: string;
}
export interface Counterfactual {
  change: string;
  part: BudgetPart;
  saved: Time;
  rate: Rate;
  gain: Num;
  law: string;
  assumes: Sentences;
}
/**
 * What `loadline compare --format json` prints and comparison.json holds; it needs report.schema.json beside it. A is the baseline: a change is from A to B. Base units everywhere: seconds, bytes, 1/s, bytes/s. Fields are only ever added, so readers must accept fields that they do not know. A number that is not finite is null.
 */
export interface Comparison {
  schema: "loadline.comparison/v1";
  /**
   * Names a comparison that was measured as one; absent for two runs of their own.
   */
  id?: string;
  a: Run;
  b: Run;
  /**
   * paired: interleaved blocks of one repeat each. independent: two runs after each other, where what changed in between is part of the difference.
   */
  method: "paired" | "independent";
  /**
   * The relative changes that count as no change: p99 for p90 and above, rate for all else.
   */
  margins: {
    rate: Share;
    p99: Share;
  };
  /**
   * The error that is allowed over all rows together.
   */
  alpha: number;
  /**
   * What both sides share, in words.
   */
  common: Trait[];
  /**
   * In what they differ, in words; – is unknown.
   */
  differences: Difference[];
  /**
   * false when a difference makes the two unlike things.
   */
  comparable: boolean;
  rows: Row[];
  findings: Finding[];
  budgets?: BudgetComparison[];
  /**
   * Where a comparison that was measured as one is saved.
   */
  directory?: string;
  compared?: string;
}
export interface Trait {
  name: string;
  value: string;
}
export interface Difference {
  name: string;
  a: string;
  b: string;
  /**
   * The sides are unlike things because of it.
   */
  unlike: boolean;
}
/**
 * One metric of one workload in one direction.
 */
export interface Row {
  workload: string;
  direction: "read" | "write" | "sync";
  metric: Metric;
  description: string;
  a: Estimate;
  b: Estimate;
  ratio: ChangeRatio;
  /**
   * The two-sided p of no difference.
   */
  p: number;
  /**
   * The same after Holm's correction for all usable rows.
   */
  adjusted_p: number;
  margin: Share;
  /**
   * better or worse: adjusted p below alpha, and the whole interval beyond the margin. same: the whole interval within it. unusable: a number behind it is invalid.
   */
  verdict: "better" | "worse" | "same" | "unclear" | "unusable";
  blocks: Count;
  blocks_needed?: Count;
  narrow?: Num;
  /**
   * The worse of the two sides' verdicts.
   */
  trust: "valid" | "suspect" | "invalid";
  /**
   * B/A − 1 of each block, in the order of time.
   */
  changes: Num[];
  /**
   * The rate of a side fell in a look without a pause: the sustained rates are compared, and not the blocks.
   */
  sustained?: boolean;
}
/**
 * B as a multiple of A with its interval: the quotient of b and a, which are geometric means over the blocks (over the repeats of runs that were not interleaved).
 */
export interface ChangeRatio {
  unit: "";
  estimate: Num;
  low: Num;
  high: Num;
  /**
   * 0 means that there is no interval.
   */
  confidence: number;
}
export interface BudgetComparison {
  /**
   * The workload of side A.
   */
  a: string;
  b: string;
  ratio: Num;
  changes: {
    part: BudgetPart;
    name: string;
    a?: Time;
    b?: Time;
    of: Num;
  }[];
  /**
   * What the operations of the two sides did unlike often, by more than a quarter: then they are not the same work.
   */
  unlike?: {
    name: string;
    unit: BudgetUnit;
    a: Num;
    b: Num;
  }[];
  /**
   * What B would do with as many I/Os for each operation as A.
   */
  equal?: {
    count: string;
    each: Num;
    seconds: Time;
    rate: Rate;
    law: string;
    assumes: Sentences;
  };
  says: Sentences;
}
/**
 * How one workload went in one direction over the time of the run.
 */
export interface Course {
  workload: string;
  direction: "read" | "write" | "sync";
  /**
   * Columns with one entry for each point. A latency is null where no I/O ended, or too few for it.
   */
  points: {
    at: Numbers;
    seconds: Numbers;
    iops: Numbers;
    bandwidth: Numbers;
    mean: Numbers;
    p50: Numbers;
    p99: Numbers;
    "p99.9": Numbers;
    /**
     * The index of the repeat that the point belongs to.
     */
    span: Count[];
  };
  /**
   * The repeats, in the order of time.
   */
  spans: {
    round: Count;
    ramp: Num;
    start: Num;
    end: Num;
    /**
     * Why the repeat yields no number.
     */
    error?: string;
  }[];
  /**
   * The complementary distribution of the latency of all measured I/Os.
   */
  tail?: {
    latency: Seconds;
    /**
     * The share of the I/Os that took longer.
     */
    above: number;
  }[];
  /**
   * I/Os by time and latency.
   */
  heat?: {
    from: Numbers;
    times: Numbers;
    bounds: Numbers;
    /**
     * [column, row, I/Os] of the cells that are not empty.
     */
    cells: [Count, Count, Count][] | null;
  };
  workers: Count;
  thinned: Count;
}
/**
 * One workload measured in many ways; the numbers behind each point, with all their metrics, are the result of the same name.
 */
export interface Sweep {
  /**
   * grid: depth × block size × jobs in a closed loop; load: the rate that is offered in an open loop.
   */
  kind: "grid" | "load";
  /**
   * The workload that was varied.
   */
  base: string;
  points:
    | {
        /**
         * The name of the workload in results.
         */
        result: string;
        direction: "read" | "write" | "sync";
        depth: Count;
        jobs: Count;
        block_size: Size;
        iops: Estimate;
        bandwidth: Estimate;
        mean?: Estimate;
        p50?: Estimate;
        p99?: Estimate;
        "p99.9"?: Estimate;
        offered?: Num;
        fraction?: Num;
        achieved?: Num;
        verdict: "valid" | "suspect" | "invalid";
      }[]
    | null;
  capacity?: Estimate;
  /**
   * The largest offered rate at which p99 is at most twice that at the lowest rate and at least 98 % of the rate is achieved.
   */
  knee?: {
    offered: Num;
    fraction: Num;
    p99: Seconds;
    /**
     * A higher rate was tried and failed; without it the knee lies at or above offered.
     */
    beyond: boolean;
    why: string;
  };
}
/**
 * One workload on N volumes at once, for several N.
 */
export interface Scale {
  workload: string;
  direction: "read" | "write" | "sync";
  access?: "rand" | "seq";
  block_size?: Size;
  depth?: Count;
  metric: Metric;
  points:
    | {
        volumes: Count;
        /**
         * The name of the workload in results.
         */
        result?: string;
        nodes?: Count;
        total: Estimate;
        per_volume: Estimate;
        each?: Numbers;
        fairness?: Num;
        mean?: Estimate;
        p50?: Estimate;
        p99?: Estimate;
        offered?: Num;
        device?: Estimate;
        start_spread?: Seconds;
        /**
         * Empty for a point that others have published: nothing is known against it.
         */
        verdict: "valid" | "suspect" | "invalid" | "";
      }[]
    | null;
  /**
   * The fitted laws, the chosen one first.
   */
  laws?: {
    /**
     * min(N·x, C), Amdahl's law, or the universal scalability law.
     */
    kind: "min" | "amdahl" | "usl";
    first: Estimate;
    capacity?: Estimate;
    alpha?: Num;
    beta?: Num;
    knee?: Num;
    /**
     * The capacity lies beyond the largest measured total.
     */
    capacity_extrapolated?: boolean;
    /**
     * Every point stands at the capacity: first is the least, knee the most that it can be.
     */
    all_saturated?: boolean;
    saturated?: Count;
    /**
     * Volumes of points at the knee that lie below both branches and were kept out of it.
     */
    bent?: Count[];
    /**
     * ln(measured / law) at each point.
     */
    residuals: Num[] | null;
    error: Num;
    chosen: boolean;
    /**
     * The 95 % prediction band.
     */
    band?: {
      volumes: Num;
      value: Num;
      low: Num;
      high: Num;
      extrapolated?: boolean;
    }[];
  }[];
  /**
   * Where imported points come from.
   */
  source?: string;
}
/**
 * What `loadline durability --format json` prints and report.json of its directory holds. Fields are only ever added, so readers must accept fields that they do not know.
 */
export interface DurabilityReport {
  schema: "loadline.durability/v1";
  id: string;
  started: string;
  finished?: string;
  /**
   * running: the process is gone, or still at work.
   */
  status: "running" | "complete" | "interrupted" | "failed";
  /**
   * A sentence when the status is interrupted or failed.
   */
  reason?: string;
  command?: string[];
  labels?: Labels;
  target: Target;
  /**
   * What was written: the target's path or address, or that of our own file.
   */
  path: string;
  /**
   * How a write was made durable before it counted as acknowledged.
   */
  sync: "fsync" | "fdatasync" | "dsync" | "flush" | "fua" | "none";
  block_size: Size;
  blocks: Count;
  jobs: Count;
  /**
   * clean: after every cut that counts, each block was at least as new as its last acknowledged write. lost-writes: acknowledged and flushed writes were gone. corrupt: blocks were torn, foreign, unreadable or unstable. unproven: nothing was found wrong, but what was cut or promised shows nothing about a loss of power.
   */
  result: "clean" | "lost-writes" | "corrupt" | "unproven";
  statement: string;
  /**
   * What the cuts can show, and what they leave open.
   */
  proves: string;
  clean: Count;
  counted: Count;
  /**
   * Upper limit, at 95 % confidence, of the probability that a cut loses something: 3/clean, at most 1. Only when the result is clean.
   */
  bound?: number;
  cuts: Cut[];
  findings: Finding[];
  environment: Environment;
  /**
   * Where the test is saved.
   */
  directory?: string;
}
/**
 * One cut and what the check after it found. Counts are of writes, or of blocks where it says so.
 */
export interface Cut {
  number: number;
  /**
   * writer: the writing process was killed. process: another one was. command: the user's own command. reboot: the machine went down without a word.
   */
  kind: "writer" | "process" | "command" | "reboot";
  what: string;
  at: string;
  /**
   * The writer felt it: an error, a stall, its own end. What was not noticed is not counted as a cut.
   */
  noticed: boolean;
  /**
   * The error that the writer got.
   */
  words?: string;
  issued: Count;
  acknowledged: Count;
  in_flight: Count;
  in_flight_found: Count;
  lost: Count;
  lost_blocks: Count;
  torn: Count;
  torn_in_flight: Count;
  foreign: Count;
  unstable: Count;
  unreadable: Count;
  /**
   * The check had to read through the page cache.
   */
  buffered?: boolean;
  examples?: string[];
}
/**
 * Several systems compared. Each has a report of its own; results are then empty.
 */
export interface Ranking {
  systems:
    | {
        name: string;
        /**
         * Where its run is saved.
         */
        directory?: string;
      }[]
    | null;
  /**
   * The systems by one metric of one workload.
   */
  rows:
    | {
        /**
         * The kind of test.
         */
        group: string;
        workload: string;
        direction: "read" | "write" | "mixed" | "sync";
        metric: Metric;
        description: string;
        /**
         * From the best value to the worst.
         */
        entries: Place[] | null;
        verdict: Change;
        apart?: Num;
        /**
         * Why nothing tells them apart.
         */
        reason?: string;
      }[]
    | null;
  /**
   * The sum over each kind of test, and over all of them last.
   */
  groups:
    | {
        /**
         * Empty over all groups.
         */
        name: string;
        rows: Count;
        entries: Place[] | null;
        pairs:
          | {
              a: Count;
              b: Count;
              ratio: Ratio;
              wins: Count;
              losses: Count;
              open: Count;
              verdict: Change;
            }[]
          | null;
        verdict: Change;
        reason?: string;
      }[]
    | null;
  /**
   * What repeats of the same test on the same system differ by; absent when nothing was repeated.
   */
  noise?: {
    repeats:
      | {
          system: Count;
          workload: string;
          direction: "read" | "write" | "mixed" | "sync";
          metric: Metric;
          values: Numbers;
          difference: Num;
        }[]
      | null;
    largest: Num;
    deviation: Num;
    freedom: Count;
    apart: Num;
    least?: Seconds;
  };
  /**
   * The error allowed for one statement about two systems.
   */
  alpha: number;
}
/**
 * One system among several. First and last are the best and the worst place that the number allows; both are absent for a number that cannot be used.
 */
export interface Place {
  system: Count;
  /**
   * The value, of a group how many times better than the mean of all systems.
   */
  estimate: {
    unit?: "1/s" | "B/s" | "s" | "";
    estimate: Num;
    low: Num;
    high: Num;
    confidence: number;
    /**
     * Nothing bounds it from above; high is then the largest that was seen.
     */
    open?: boolean;
  };
  first?: number;
  last?: number;
  trust: "valid" | "suspect" | "invalid";
  repeats: Count;
}
/**
 * How many times better, with its interval.
 */
export interface Ratio {
  unit?: "";
  estimate: Num;
  low: Num;
  high: Num;
  confidence: number;
}
/**
 * What `loadline report --reference … --format json` writes: a reference report as chapters of parts, the same ones that its page and its Markdown are made of. The figures of tables are words, with their units; those of charts are numbers in base units (seconds, bytes, 1/s, bytes/s). It needs report.schema.json beside it. Fields are only ever added, so readers must accept fields that they do not know. A number that is not finite is null.
 */
export interface Reference {
  schema: "loadline.reference/v1";
  title: string;
  /**
   * The runs and files that it is made from.
   */
  sources: string[];
  chapters: {
    /**
     * Unique in the document.
     */
    id: string;
    title: string;
    /**
     * 1 is a chapter, 2 a section of the one before.
     */
    level: 1 | 2;
    /**
     * What of it was not measured.
     */
    missing?: string;
    parts?: Part[];
  }[];
}
/**
 * A paragraph, a list, a table, or the points of a scale with their laws.
 */
export interface Part {
  text?: string;
  items?: string[];
  table?: {
    titles: string[];
    /**
     * Which columns hold figures.
     */
    numeric: boolean[];
    /**
     * Each has a cell for each title.
     */
    rows: string[][];
  };
  scale?: Scale;
}
/**
 * What `loadline explain --json` prints. Times are seconds, rates 1/s, shares from 0 to 1. A number that is not known is null. Fields are only ever added, so readers must accept fields that they do not know.
 */
export interface Explanation {
  schema: "loadline.explanation/v1";
  /**
   * The run, or side A and side B.
   *
   * @minItems 1
   * @maxItems 2
   */
  runs: [Side] | [Side, Side];
  /**
   * Of two runs, each workload that both have.
   */
  comparisons?: BudgetComparison[];
}
export interface Side {
  id: string;
  target: string;
  directory?: string;
  /**
   * Another tool measured it.
   */
  imported?: boolean;
  budgets: Budget[];
  left_out?: Sentences;
}
/**
 * What `loadline trace --json` prints and report.json of its directory holds; it needs report.schema.json beside it. Times are seconds, sizes bytes. Fields are only ever added, so readers must accept fields that they do not know.
 */
export interface TraceReport {
  schema: "loadline.trace/v1";
  run: TraceRun;
  /**
   * Who did how much, the busiest first, at most 500; the samples have all.
   */
  rows: TraceRow[];
  /**
   * Each operation on each device, whoever asked for it.
   */
  kinds: TraceKind[];
  findings: Finding[];
  /**
   * Sentences on what could not be read of the samples.
   */
  damage?: string[];
  /**
   * Where the trace is saved.
   */
  directory?: string;
}
export interface TraceRun {
  schema: "loadline.trace-run/v1";
  id: string;
  started: string;
  finished?: string;
  /**
   * running: the process is gone, or still at work.
   */
  status: "running" | "complete" | "interrupted" | "failed";
  reason?: string;
  command?: string[];
  labels?: Labels;
  /**
   * What was requested; what is absent is no limit.
   */
  request: {
    target?: string;
    devices?: string[];
    pid?: Count;
    container?: string;
    pod?: string;
    cgroups?: string[];
    seconds?: Time;
  };
  /**
   * perf: the events of the kernel's tracepoints, which name no request. counters: the devices' own, without percentiles, processes and cgroups.
   */
  method: "bpf" | "perf" | "counters";
  /**
   * Sentences: what this method does not see on this kernel.
   */
  cannot_tell?: string[];
  seconds: Time;
  lost_records?: Count;
  devices?: TraceDevice[];
  environment: Environment;
}
export interface TraceDevice {
  name: string;
  /**
   * major:minor
   */
  number: string;
  /**
   * It has no requests of its own and is measured by the bio.
   */
  stacked?: boolean;
  /**
   * By operation; absent where nothing of the kind was seen.
   */
  operations?: {
    [k: string]: {
      queued?: Count;
      queued_bytes?: Count;
      issued?: Count;
      issued_bytes?: Count;
      done?: Count;
      done_bytes?: Count;
      merged?: Count;
      merged_bytes?: Count;
      requeued?: Count;
      errors?: Count;
    };
  };
  /**
   * The device's own (/sys/block/DEV/stat), between the same instants; absent where it does not count. Writes include flush-waits.
   */
  counters?: {
    reads?: Count;
    read_merges?: Count;
    read_bytes?: Count;
    read_seconds?: number;
    writes?: Count;
    write_merges?: Count;
    written_bytes?: Count;
    write_seconds?: number;
    discards?: Count;
    discard_bytes?: Count;
    flushes?: Count;
    flush_seconds?: number;
    busy_seconds?: number;
    weighted_seconds?: number;
  };
  /**
   * Share of the device's I/Os that the trace did not see; below 0 it saw more than the device counted.
   */
  unseen?: number | null;
  unmatched?: Count;
  overflowed?: Count;
  dropped?: Count;
}
export interface TraceRow {
  device: string;
  operation: Operation;
  pid?: Count;
  command?: string;
  cgroup?: string;
  /**
   * Flushes for which several cgroups waited, or nobody that was seen.
   */
  unowned?: boolean;
  ios: Count;
  bytes: Count;
  mean: Time;
  p50?: Time;
  p99?: Time;
  "p99.9"?: Time;
  max: Time;
  wait: Time;
  histogram: Histogram;
  metrics?: Metrics;
}
/**
 * Rate, mean and percentiles with their 95 % intervals, by the spread between the seconds of the trace; absent where there is too little for one.
 */
export interface Metrics {
  [k: string]: Estimate;
}
export interface TraceKind {
  device: string;
  operation: Operation;
  ios: Count;
  bytes: Count;
  mean: Time;
  p50?: Time;
  p99?: Time;
  "p99.9"?: Time;
  max: Time;
  wait: Time;
  histogram: Histogram;
  metrics?: Metrics;
  /**
   * The histogram in powers of two of a microsecond.
   */
  bars?: {
    from: Time;
    to: Time;
    ios: Count;
  }[];
  course?: Course;
  /**
   * The same I/Os by size: at least that many bytes, and below twice that.
   */
  sizes?: {
    size: Count;
    ios: Count;
    bytes?: Count;
    mean?: Time;
    p50?: Time;
    p99?: Time;
    "p99.9"?: Time;
    max?: Time;
    wait?: Time;
    histogram?: Histogram;
    metrics?: Metrics;
  }[];
}
/**
 * What `loadline compare TRACE_A TRACE_B --format json` prints; it needs trace.schema.json and report.schema.json beside it. A change is from A to B. Rates are 1/s, latencies seconds. Fields are only ever added, so readers must accept fields that they do not know. A number that is not finite is null.
 */
export interface TraceComparison {
  schema: "loadline.trace-comparison/v1";
  a: TraceRun;
  b: TraceRun;
  /**
   * What the comparison cannot tell, whatever its figures say.
   */
  caution: string;
  /**
   * The relative changes that count as no change.
   */
  margins: {
    rate: number;
    p99: number;
  };
  /**
   * The error that is allowed over all rows together.
   */
  alpha: number;
  rows: ComparedRow[];
  /**
   * What only one of the two has.
   */
  left_out?: string[];
  findings: Finding[];
}
export interface ComparedRow {
  device: string;
  /**
   * B's device, where it has another name.
   */
  device_b?: string;
  operation: Operation;
  /**
   * Of processes with this name, all together; absent for all I/O of the device.
   */
  command?: string;
  metric: "iops" | "latency" | "p50" | "p99";
  a: Estimate;
  b: Estimate;
  /**
   * B as a multiple of A.
   */
  ratio: {
    unit?: "";
    estimate: Num;
    low: Num;
    high: Num;
    confidence: number;
    open?: boolean;
  };
  p: number;
  /**
   * After Holm, over all rows that are judged.
   */
  adjusted_p: number;
  margin: number;
  /**
   * faster and slower are of latencies, more and fewer of rates. unlike: the I/Os differ in size or are part of another mix, and their latencies are not judged. unusable: one trace did not see enough.
   */
  verdict: "faster" | "slower" | "more" | "fewer" | "same" | "unclear" | "unlike" | "unusable";
  /**
   * Why nothing is concluded.
   */
  reason?: string;
}
