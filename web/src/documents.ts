// Made from the schemas in docs/ by types.mjs (make web): do not change it by hand.

/**
 * bytes
 */
export type Size = number;
export type Seconds = number | null;
export type Count = number;
export type Num = number | null;
/**
 * iops, tps (transactions) and records are in 1/s, bandwidth in B/s, all others in s. latency is the mean latency, elapsed the duration of a whole test.
 */
export type Metric = "iops" | "bandwidth" | "latency" | "p50" | "p90" | "p99" | "p99.9" | "p99.99" | "tps" | "records" | "elapsed";
/**
 * The result of one workload in one direction: its main metric.
 */
export type Result = Estimate & {
  workload: string;
  /**
   * sync: the flush that a workload waits for; mixed: reads and writes together, in imported results only.
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
   * True if the interval is within the requested precision and the stopping rule was satisfied.
   */
  converged: boolean;
  seconds: Seconds;
  repeats: Count;
  span?: Seconds;
  /**
   * Whether the result can be trusted.
   */
  verdict: "valid" | "suspect" | "invalid";
  /**
   * The rules that ended in invalid, warning or note.
   */
  findings: string[];
  latency?: Latency;
  /**
   * All metrics that could be estimated, including the main one.
   */
  metrics: {
    [k: string]: Estimate;
  };
  /**
   * The main metric of each repeat, in chronological order.
   */
  repeat_values: Num[];
  /**
   * The numbers of the steps that began before the storage had finished with earlier writes, or before the queue had turned over; they are excluded from all figures.
   */
  left_out?: number[];
  /**
   * The main metric over time, at most 60 points.
   */
  series?: Num[];
  /**
   * A short description of the workload: rand read 4k qd64.
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
 * connect: opening a connection. client-cpu, server-cpu: CPU time of the client and the server. round-trips: time between the answer to a statement and the next statement. run-queue: runnable, waiting for a CPU. work: all of the above and reads, where a law combines them. locks: waiting for locks of other transactions. latches: waiting for locks inside the server. reads: reading what was not in the server's cache. wal-write: writing the WAL. flush-queue: waiting for a flush in progress. flush: the flush that makes the operation durable. other-waits: anything else that a session waited for. submission: the call that passes an I/O to the kernel. tool-cpu: other CPU time of the load tool. block-queue: scheduler and block queue. queueing: waiting for other I/Os of the same load. service: the I/O by itself, in kernel and device. device: from the issue by the driver to the completion. block-io: reads and writes as seen by a tracer. residual: the part that no other row accounts for.
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
 * 1: a count, B: bytes, s: seconds.
 */
export type BudgetUnit = "1" | "B" | "s";
export type Sentences = string[];
export type Share = number;
export type Numbers = Num[];
/**
 * better: every rank is certain. unclear: the numbers allow several orders. unusable: fewer than two numbers can be used.
 */
export type Change = "better" | "worse" | "same" | "unclear" | "unusable";
/**
 * Writing zeros, erasing, and zone appends are writes. flush: a flush that reached the device. flush-wait: a write without data that requests a flush; the device never sees it. other: a driver command.
 */
export type Operation = "read" | "write" | "flush" | "discard" | "flush-wait" | "other";
/**
 * Latencies in fio's buckets: base64-encoded pairs of varints, each with the distance to the previous bucket and the count.
 */
export type Histogram = string;
/**
 * The kind of a directory: unknown if it holds too little to tell.
 */
export type Kind = "run" | "sweep" | "scale" | "comparison" | "ranking" | "durability" | "trace" | "unknown";
/**
 * The result of one run.
 */
export type TrendPoint = CardResult & {
  path: string;
  started: string;
  target: string;
  host?: string;
  note?: string;
};

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
 * The output of `loadline run --format json` and the contents of report.json. Base units everywhere: seconds, bytes, 1/s, bytes/s. Fields are only ever added, so readers must accept fields that they do not know. A number that is not finite is null.
 */
export interface Report {
  schema: "loadline.report/v1";
  run: Run;
  results: Result[];
  findings: Finding[];
  /**
   * The goals for the results, in the order in which they were given.
   */
  goals?: Goal[];
  budgets?: Budget[];
  comparison?: Comparison;
  /**
   * The data of the charts over time, thinned for display; the raw samples are in the run directory.
   */
  courses?: Course[];
  sweep?: Sweep;
  /**
   * Workloads measured on N volumes at once.
   */
  scales?: Scale[];
  /**
   * Up to how many clients each load of an application grows; only loads measured with at least three numbers of clients.
   */
  saturation?: Saturation[];
  durability?: DurabilityReport[];
  ranking?: Ranking;
}
export interface Run {
  id: string;
  started: string;
  finished?: string;
  /**
   * running: the process that measures is still running, or was killed.
   */
  status: "running" | "complete" | "interrupted" | "failed" | "unknown";
  /**
   * A sentence, present if the status is interrupted or failed.
   */
  reason?: string;
  command?: string[];
  labels?: Labels;
  note?: string;
  target: Target;
  volume: Volume;
  /**
   * The volumes of a run that loads several at once; volume is the first of them.
   */
  volumes?: Volume[];
  schedule: Schedule;
  profile?: string;
  measured_seconds?: Seconds;
  prepare?: Preparation;
  environment: Environment;
  /**
   * Tool versions by tool name.
   */
  tools: {
    [k: string]: string;
  };
  workloads: Workload[];
  /**
   * The exact job texts passed to the load tool, by workload.
   */
  jobs?: {
    [k: string]: string;
  };
  /**
   * The directory where the run is saved.
   */
  directory?: string;
  imported?: Imported;
}
/**
 * The user's labels: values by name, as given with --label. Names must be valid Prometheus label names.
 */
export interface Labels {
  [k: string]: string;
}
/**
 * The target that the user named.
 */
export interface Target {
  name: string;
  kind: string;
  path?: string;
  /**
   * The absolute path of what was typed, present if links led from there to path.
   */
  typed_path?: string;
  uri?: string;
  /**
   * For a Ceph image: the name of the Ceph client, without "client."; absent if the target did not specify one.
   */
  user?: string;
  /**
   * The volume requested in a Kubernetes cluster.
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
 * The volume on which the I/O was done.
 */
export interface Volume {
  target: Target;
  path?: string;
  /**
   * True if Loadline creates the file and removes it.
   */
  owned: boolean;
  size: Size;
  size_reason?: string;
  /**
   * fio's ioengine.
   */
  engine: string;
  /**
   * True if the page cache was bypassed.
   */
  direct: boolean;
  prefill: boolean;
  no_flush?: boolean;
  log?: Volume;
  /**
   * The machine that does the I/O, if there are several.
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
  min_repeats: Count;
  max_time: Seconds;
  /**
   * The requested relative half-width of the interval.
   */
  precision: number;
  seed: Count;
  overhead: Seconds;
  /**
   * The duration of the long repeat that runs without a pause in place of a workload's last regular repeat.
   */
  long_repeat?: number;
  /**
   * The number of long repeats planned.
   */
  long_repeats?: number;
  /**
   * True if the long repeat of a workload that only writes lasts 10 s after a prefill of one volume that was as long as a long repeat and whose rate did not fall.
   */
  shorter_long_write?: boolean;
}
export interface Preparation {
  written: Size;
  seconds: Seconds;
  path?: string;
  size?: Size;
  slow?: Num;
  /**
   * The rates of the prefill, about one a second, in bytes/s.
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
    /**
     * How many blocks of 4 KiB were read where there is no proof and the content was there before.
     */
    sampled?: number;
    /**
     * How many of them contain only zeros.
     */
    zeros?: number;
    detail?: string;
    bandwidth?: Num;
    /**
     * The rates of reading it back, about one a second, in bytes/s.
     */
    rates?: number[];
  };
}
/**
 * The state of an application once it was ready to be measured.
 */
export interface Application {
  name: string;
  version: string;
  /**
   * In a plan: the programs are in an image that was not looked at, so version and defaults are those of the version in its name.
   */
  assumed?: boolean;
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
     * The value if it is not set.
     */
    default?: string;
    /**
     * Where it was set.
     */
    source?: string;
  }[];
  /**
   * Present if the server existed before the run and stays after it.
   */
  server?: {
    /**
     * Identifies the server's data and its start.
     */
    instance: string;
    /**
     * The schema that was created in it, and removed.
     */
    schema?: string;
    /**
     * The server's data directory, if it is certain to be on this machine.
     */
    data?: string;
    /**
     * Whether it made a checkpoint before each repeat.
     */
    checkpoint: boolean;
    /**
     * Findings made before measuring that do not prevent it.
     */
    remarks?: string[];
  };
}
/**
 * The machine and the storage as found; anything that could not be read is absent.
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
 * What probing a volume found; anything that could not be read is absent.
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
   * True if the data is in RAM.
   */
  memory: boolean;
  /**
   * The device in RAM, where others of the volume are disks.
   */
  memory_part?: string;
  /**
   * Why this machine does not show whether the data is in RAM.
   */
  unseen?: string;
  /**
   * True if no visible mount or device leads to what holds the data.
   */
  untraced?: boolean;
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
 * Where in a Kubernetes cluster the worker and its volume were; anything that could not be read is absent.
 */
export interface Cluster {
  /**
   * The version of the API server.
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
   * True if the worker ran as root.
   */
  root?: boolean;
  /**
   * The user and groups under which the worker ran.
   */
  identity?: {
    user: number;
    group: number;
    /**
     * Supplemental groups of the worker, which do not affect the volume.
     */
    groups?: number[];
    /**
     * The group to which Kubernetes assigned the volume's files.
     */
    fs_group?: number;
    selinux_level?: string;
  };
  /**
   * True if the volume was bound to certain nodes before its pod was scheduled.
   */
  pinned?: boolean;
  /**
   * How the pods of several volumes are distributed over nodes.
   */
  spread?: {
    /**
     * What was requested: hard or soft.
     */
    asked?: string;
    volumes: number;
    /**
     * The number of nodes with at least one volume.
     */
    nodes: number;
    /**
     * The number of nodes that may have a volume; absent if this may not be read.
     */
    eligible?: number;
    /**
     * The largest number of volumes on one node.
     */
    most: number;
    /**
     * The smallest number of volumes on any node that has one.
     */
    least: number;
    /**
     * Why they are not spread as widely or as evenly as possible.
     */
    why?: string;
  };
  claim: string;
  /**
   * True if the claim was created for this measurement.
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
   * What the storage system behind the volume reports about it; unknown lists, in sentences, what could not be determined, and why.
   */
  backing?: {
    /**
     * The adapter that asked: longhorn, local-path, csi.
     */
    adapter?: string;
    system?: string;
    version?: string;
    /**
     * The version of the component that serves this volume's I/O.
     */
    engine?: string;
    /**
     * The number of copies that the volume should have.
     */
    replicas?: number;
    /**
     * The number of copies in use when the worker had found its volume.
     */
    healthy?: number;
    /**
     * The nodes that hold a copy.
     */
    nodes?: string[];
    /**
     * The directories of nodes in which the copies are kept, as far as the system tells.
     */
    disks?: {
      node: string;
      path: string;
      /**
       * The block device that holds the directory, if known.
       */
      device?: string;
    }[];
    /**
     * How many writes of its disk a copy does for each write of the volume; absent if unknown.
     */
    writes_each?: number;
    /**
     * What these writes are.
     */
    writes_of?: string;
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
   * Writes as an application writes its log: through the page cache, to space that was reserved but never written, newly allocated for each repeat.
   */
  append?: boolean;
  rate_iops?: Num;
  volumes?: Count;
  rate_bandwidth?: Num;
  /**
   * I/Os are due at random times at the given rate, whether or not earlier ones have completed; latencies count from when an I/O was due.
   */
  open_loop?: boolean;
  /**
   * The load that an application's load tool generates; absent if storage is loaded directly. depth is then the number of clients.
   */
  app?: {
    tool?: string;
    threads?: Count;
    /**
     * The tool's own options, one per line.
     */
    options?: string;
    /**
     * True if each transaction opens its own connection.
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
 * Present if the results were measured by another tool.
 */
export interface Imported {
  /**
   * The system that was measured, as named by the user or the source.
   */
  system: string;
  sources:
    | {
        /**
         * The file's name without its directory.
         */
        name: string;
        /**
         * The name of the copy under raw/.
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
         * The name by which the source itself lists the system.
         */
        own?: string;
        lines: Count;
      }[]
    | null;
  /**
   * When the results were imported.
   */
  at?: string;
  /**
   * When the results were measured; absent if the source does not say.
   */
  measured?: string;
  /**
   * True if the source has per-second data, so that there are intervals.
   */
  series: boolean;
}
/**
 * A value with its confidence interval.
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
   * True if there is no upper bound, because the events that make the value large were too rare, or because the value is a percentile in the last bucket of the histogram, from 17.045651456 s on: it is at least that. high is then the largest value seen.
   */
  open?: boolean;
}
/**
 * What a workload's transactions cost the application and its storage, over all repeats that count, including ramps. Unknown values are absent.
 */
export interface Transactions {
  transactions: Count;
  failed?: Count;
  skipped?: Count;
  in_flight?: Num;
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
 * What a long repeat shows about a result, in the result's direction. If the rate fell, the result is the rate in the steady part at the end of the long repeat.
 */
export interface Sustained {
  /**
   * held: the rate stayed as in the short repeats; fell: the rate fell, and the result is the rate that it fell to; fell-unsteady: likewise, but that rate was not steady; below: slower than the rate that another workload fell to, or may have fallen to; doubtful: faster than that rate, with no long repeat of its own, or with slower ones that do not decide.
   */
  lasting: "held" | "fell" | "fell-unsteady" | "below" | "doubtful";
  /**
   * The workload whose rate fell after this long repeat, or before a pause that this one followed, if only that casts doubt on it.
   */
  before?: string;
  /**
   * The workload of the long repeat: this one, or the one with the most I/Os in its direction.
   */
  long_workload: string;
  step: Count;
  seconds: Seconds;
  /**
   * The number of I/Os done in the long repeat, in this direction.
   */
  ios: number;
  /**
   * The number of bytes transferred by these I/Os.
   */
  bytes: number;
  /**
   * The beginning of the steady part at the end of the long repeat, in seconds since the run began.
   */
  from: number;
  rate: Num;
  bandwidth: Num;
  /**
   * True if no workload with a long repeat transfers as many bytes per second as this result.
   */
  bytes_unseen?: boolean;
  /**
   * True if the long repeat is in doubt only because its last seconds were slower.
   */
  at_end?: boolean;
  slow_seconds?: Seconds;
  /**
   * The rate during that period, in 1/s.
   */
  slow_rate?: number;
  /**
   * The rate before it fell. ios and bytes are what was done in excess of the later rate, refill the time in which the burst credits refill at that rate: each is a lower bound.
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
 * Latencies in seconds, from the merged histograms (each is accurate to 1/128; 17.045651456 s means at least that long). A percentile that the number of I/Os cannot support is absent.
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
 * The outcome of a rule of trust. not-checked means that the evidence was missing; it never counts as a pass.
 */
export interface Finding {
  rule: string;
  severity: "invalid" | "warning" | "note" | "passed" | "not-checked";
  /**
   * The workloads concerned; absent or empty means the whole run.
   */
  results?: string[];
  message: string;
  /**
   * The figures behind the message, in base units.
   */
  evidence?: {};
  /**
   * The recommended next command or action.
   */
  next?: string;
}
/**
 * A goal, decided by the interval: met or missed if the whole interval lies on one side of the bound.
 */
export interface Goal {
  /**
   * The goal as the user wrote it.
   */
  text: string;
  workload: string;
  direction: "read" | "write" | "sync";
  metric: Metric;
  /**
   * True if the value must be above the bound; otherwise it must be below.
   */
  above: boolean;
  /**
   * The bound, in base units.
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
   * The operation to which the rows refer: transaction, read, write, write with its flush, read or write.
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
   * How often something was done per operation.
   */
  counts?: {
    name: string;
    unit: BudgetUnit;
    value: Num;
  }[];
  /**
   * What a law predicts if one thing were different.
   */
  counterfactuals?: Counterfactual[];
  /**
   * The I/Os of the disks with the replicas of the volume, in each direction; absent unless --amplification was given.
   */
  amplification?: Amplification[];
  notes?: Sentences;
}
export interface BudgetRow {
  part: BudgetPart;
  name: string;
  seconds: Time;
  share: Num;
  margin?: Time;
  /**
   * How it was computed.
   */
  of?: string;
  /**
   * What measured it, or which law it comes from. A residual has none.
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
 * I/O amplification: how many I/Os all disks with the replicas of a volume did for each operation of the client, in one direction. If not_counted is present, the numbers are 0 and mean nothing.
 */
export interface Amplification {
  /**
   * The direction of the disks' I/Os.
   */
  direction: "read" | "write";
  /**
   * What the client did: read, write, transaction.
   */
  operation: string;
  estimate: Num;
  low: Num;
  high: Num;
  confidence: Num;
  expected?: Num;
  /**
   * Where the expected number comes from, or why there is none.
   */
  of?: string;
  operations_rate: Num;
  disks_rate: Num;
  seconds: Num;
  idle_rate?: Num;
  /**
   * The block devices that were counted.
   */
  devices?: string[];
  /**
   * Why nothing was counted; absent if it was.
   */
  not_counted?: string;
  /**
   * All of it in a sentence.
   */
  says: string;
}
/**
 * The output of `loadline compare --format json` and the contents of comparison.json. This schema requires report.schema.json in the same directory. A is the baseline: a change is from A to B. Base units everywhere: seconds, bytes, 1/s, bytes/s. Fields are only ever added, so readers must accept fields that they do not know. A number that is not finite is null.
 */
export interface Comparison {
  schema: "loadline.comparison/v1";
  /**
   * Identifies a comparison that was measured as one; absent for two separate runs.
   */
  id?: string;
  a: Run;
  b: Run;
  /**
   * paired: interleaved blocks of one repeat of each side. independent: two runs one after the other, so that the difference includes whatever changed between them.
   */
  method: "paired" | "independent";
  /**
   * The relative changes that count as no change: p99 applies to percentiles from p90 up, rate to all other metrics.
   */
  margins: {
    rate: Share;
    p99: Share;
  };
  /**
   * The error rate allowed over all rows together.
   */
  alpha: number;
  /**
   * What both sides have in common, in words.
   */
  common: Trait[];
  /**
   * Where the sides differ, in words; – is unknown.
   */
  differences: Difference[];
  /**
   * False if a difference means that the two sides cannot be compared.
   */
  comparable: boolean;
  rows: Row[];
  /**
   * The command that would probably decide the unclear rows that can be decided in a reasonable time, and how long it takes.
   */
  next?: string;
  findings: Finding[];
  budgets?: BudgetComparison[];
  /**
   * The directory where a comparison that was measured as one is saved.
   */
  directory?: string;
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
   * True if the sides cannot be compared because of this difference.
   */
  not_comparable: boolean;
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
   * The two-sided p-value under the null hypothesis of no difference.
   */
  p: number;
  /**
   * The p-value after Holm's correction over all usable rows.
   */
  adjusted_p: number;
  margin: Share;
  /**
   * better or worse: the adjusted p-value is below alpha, and the whole interval is beyond the margin. same: the whole interval is within the margin. unusable: a number behind it is invalid.
   */
  verdict: "better" | "worse" | "same" | "unclear" | "unusable";
  blocks: Count;
  blocks_needed?: Count;
  narrow?: Num;
  needed_seconds?: Num;
  /**
   * The worse of the two sides' verdicts.
   */
  trust: "valid" | "suspect" | "invalid";
  /**
   * B/A − 1 of each block, in chronological order.
   */
  changes: Num[];
  /**
   * True if the rate of a side fell during a long repeat, so that the sustained rates are compared and not the blocks.
   */
  sustained?: boolean;
  /**
   * Why an unclear row is unclear and what would decide it, or the burst that a row of sustained rates leaves out.
   */
  note?: string;
}
/**
 * B as a multiple of A, with the confidence interval: the quotient of b and a, which are geometric means over the blocks (or over the repeats, if the runs were not interleaved).
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
   * Counts per operation that differ by more than a quarter between the two sides, which means that the operations are not the same work.
   */
  different_counts?: {
    name: string;
    unit: BudgetUnit;
    a: Num;
    b: Num;
  }[];
  /**
   * What B would do with as many I/Os per operation as A.
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
 * How one workload behaved in one direction over the time of the run.
 */
export interface Course {
  workload: string;
  direction: "read" | "write" | "sync";
  /**
   * Columns with one entry for each point. A latency is null if no I/O completed, or too few to compute it.
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
   * The repeats, in chronological order.
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
     * The fraction of the I/Os that took longer.
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
     * [column, row, I/Os] for each cell that is not empty.
     */
    cells: [Count, Count, Count][] | null;
  };
  workers: Count;
  thinned: Count;
}
/**
 * One workload measured with varied parameters; the numbers behind each point, with all their metrics, are in the result of the same name.
 */
export interface Sweep {
  /**
   * What was varied. grid: depth × block size × jobs in a closed loop; load: the offered rate in an open loop.
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
     * True if a higher rate was tried and failed; otherwise the knee is at or above offered.
     */
    beyond: boolean;
    why: string;
  };
}
/**
 * One workload on N volumes at once, for several values of N.
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
        amplification?: Amplification;
        start_spread?: Seconds;
        /**
         * Empty for a point published by others: there is no verdict on it, because nothing is known against it.
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
     * True if the capacity is above the largest measured total.
     */
    capacity_extrapolated?: boolean;
    /**
     * True if every point is at the capacity: first is then a lower bound, and knee an upper bound.
     */
    all_saturated?: boolean;
    saturated?: Count;
    /**
     * The number of volumes of each point near the knee that lies below both branches and was excluded from the fit.
     */
    excluded?: Count[];
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
 * At how many clients the rate of one load of an application stops growing.
 */
export interface Saturation {
  /**
   * What a transaction is.
   */
  load: string;
  /**
   * The numbers of clients that were used, in their order.
   */
  points: {
    workload: string;
    clients: Count;
    more: Num;
    low: Num;
    high: Num;
  }[];
  saturated_with?: Count;
  above?: Count;
  /**
   * All of it in a sentence.
   */
  says: string;
}
/**
 * The output of `loadline durability --format json` and the contents of report.json in its directory. Fields are only ever added, so readers must accept fields that they do not know.
 */
export interface DurabilityReport {
  schema: "loadline.durability/v1";
  id: string;
  started: string;
  finished?: string;
  /**
   * running: the process is still running, or ended without recording its status.
   */
  status: "running" | "complete" | "interrupted" | "failed";
  /**
   * A sentence, present if the status is interrupted or failed.
   */
  reason?: string;
  command?: string[];
  labels?: Labels;
  target: Target;
  /**
   * What was written: the path or address of the target, or the path of Loadline's own file.
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
   * clean: after every cut that counts, each block was at least as new as its last acknowledged write. lost-writes: acknowledged and flushed writes were missing. corrupt: blocks were torn, foreign, unreadable or unstable. unproven: no fault was found, but what was cut, or which guarantee was given, says nothing about power loss.
   */
  result: "clean" | "lost-writes" | "corrupt" | "unproven";
  statement: string;
  /**
   * What the cuts can and cannot show.
   */
  proves: string;
  clean: Count;
  counted: Count;
  /**
   * The upper limit, at 95 % confidence, of the probability that a cut loses data: 3/clean, at most 1. Present only if the result is clean.
   */
  bound?: number;
  cuts: Cut[];
  findings: Finding[];
  environment: Environment;
  /**
   * The directory where the test is saved.
   */
  directory?: string;
}
/**
 * One cut and what the check after it found. Counts are of writes, or of blocks where stated.
 */
export interface Cut {
  number: number;
  /**
   * writer: the writing process was killed. process: another process was killed. command: the user's own command was run. reboot: the machine went down without a clean shutdown.
   */
  kind: "writer" | "process" | "command" | "reboot";
  what: string;
  at: string;
  /**
   * True if the cut affected the writer: an error, a stall, or its termination. Otherwise it does not count as a cut.
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
   * True if the check had to read through the page cache.
   */
  buffered?: boolean;
  examples?: string[];
}
/**
 * A ranking of several systems. Each has its own report; results is then empty.
 */
export interface Ranking {
  systems:
    | {
        name: string;
        /**
         * The directory where its run is saved.
         */
        directory?: string;
      }[]
    | null;
  /**
   * The systems ranked by one metric of one workload.
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
         * Sorted from the best value to the worst.
         */
        entries: Place[] | null;
        verdict: Change;
        apart?: Num;
        /**
         * Why the entries cannot be distinguished.
         */
        reason?: string;
      }[]
    | null;
  /**
   * A summary of each kind of test, with one over all of them last.
   */
  groups:
    | {
        /**
         * The kind of test; empty for the summary over all of them.
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
   * How much repeats of the same test on the same system differ; absent if nothing was repeated.
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
   * The error rate allowed for one statement about two systems.
   */
  alpha: number;
}
/**
 * One system among several. first and last are the best and the worst rank that the number allows; both are absent for a number that cannot be used.
 */
export interface Place {
  system: Count;
  /**
   * The value; in a group, how many times better the system is than the geometric mean of all systems.
   */
  estimate: {
    unit?: "1/s" | "B/s" | "s" | "";
    estimate: Num;
    low: Num;
    high: Num;
    confidence: number;
    /**
     * True if there is no upper bound; high is then the largest value seen.
     */
    open?: boolean;
  };
  first?: number;
  last?: number;
  trust: "valid" | "suspect" | "invalid";
  repeats: Count;
}
/**
 * How many times better, with the confidence interval.
 */
export interface Ratio {
  unit?: "";
  estimate: Num;
  low: Num;
  high: Num;
  confidence: number;
}
/**
 * The output of `loadline report --reference … --format json`: a reference report, divided into chapters and parts, from which its page and its Markdown are also generated. Figures in tables are text, with units; those of charts are numbers in base units (seconds, bytes, 1/s, bytes/s). This schema requires report.schema.json in the same directory. Fields are only ever added, so readers must accept fields that they do not know. A number that is not finite is null.
 */
export interface Reference {
  schema: "loadline.reference/v1";
  title: string;
  /**
   * The runs and files on which the report is based.
   */
  sources: string[];
  chapters: {
    /**
     * Unique in the document.
     */
    id: string;
    title: string;
    /**
     * 1 is a chapter, 2 a section of the preceding chapter.
     */
    level: 1 | 2;
    /**
     * A sentence that says what was not measured.
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
     * The rows; each has one cell per title.
     */
    rows: string[][];
  };
  scale?: Scale;
}
/**
 * The output of `loadline explain --json`. Times are in seconds, rates in 1/s, shares from 0 to 1. An unknown number is null. Fields are only ever added, so readers must accept fields that they do not know.
 */
export interface Explanation {
  schema: "loadline.explanation/v1";
  /**
   * The explained run, or side A and side B.
   *
   * @minItems 1
   * @maxItems 2
   */
  runs: [Side] | [Side, Side];
  /**
   * For two runs: a comparison of each workload that both have.
   */
  comparisons?: BudgetComparison[];
}
export interface Side {
  id: string;
  target: string;
  directory?: string;
  /**
   * True if it was measured by another tool.
   */
  imported?: boolean;
  budgets: Budget[];
  left_out?: Sentences;
}
/**
 * The output of `loadline trace --json` and the contents of report.json in its directory. This schema requires report.schema.json in the same directory. Times are in seconds, sizes in bytes. Fields are only ever added, so readers must accept fields that they do not know.
 */
export interface TraceReport {
  schema: "loadline.trace/v1";
  run: TraceRun;
  /**
   * The processes that issued I/O and how much, the busiest first, at most 500 rows; the samples contain all of them.
   */
  rows: TraceRow[];
  /**
   * Each operation on each device, regardless of which process issued it.
   */
  kinds: TraceKind[];
  findings: Finding[];
  /**
   * Sentences about samples that could not be read.
   */
  damage?: string[];
  /**
   * The directory where the trace is saved.
   */
  directory?: string;
}
export interface TraceRun {
  schema: "loadline.trace-run/v1";
  id: string;
  started: string;
  finished?: string;
  /**
   * running: the process is still running, or ended without recording its status.
   */
  status: "running" | "complete" | "interrupted" | "failed";
  reason?: string;
  command?: string[];
  labels?: Labels;
  /**
   * What was requested; an absent field means no restriction.
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
   * perf: the events of the kernel's tracepoints, which do not identify requests. counters: the devices' own counters, without percentiles, processes and cgroups.
   */
  method: "bpf" | "perf" | "counters";
  /**
   * What this method cannot see on this kernel, in sentences.
   */
  limitations?: string[];
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
   * True if the device has no requests of its own; its I/O is then measured by bio.
   */
  stacked?: boolean;
  /**
   * Counts by operation; an operation that was not seen is absent.
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
   * The device's own counters (/sys/block/DEV/stat), over the same period; absent if it has none. Writes include flush-waits.
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
   * The fraction of the device's I/Os that the trace did not see; negative if it saw more than the device counted.
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
   * True for flushes for which several cgroups waited, or no process that was seen.
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
 * Rate, mean and percentiles with their 95 % intervals, computed from the spread between the seconds of the trace; a metric with too little data is absent.
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
   * The same I/Os by size: at least that many bytes, and less than twice that.
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
 * The output of `loadline compare TRACE_A TRACE_B --format json`. This schema requires trace.schema.json and report.schema.json in the same directory. A change is from A to B. Rates are in 1/s, latencies in seconds. Fields are only ever added, so readers must accept fields that they do not know. A number that is not finite is null.
 */
export interface TraceComparison {
  schema: "loadline.trace-comparison/v1";
  a: TraceRun;
  b: TraceRun;
  /**
   * What the comparison cannot show, regardless of its figures.
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
   * The error rate allowed over all rows together.
   */
  alpha: number;
  rows: ComparedRow[];
  /**
   * What only one of the two traces has.
   */
  left_out?: string[];
  findings: Finding[];
}
export interface ComparedRow {
  device: string;
  /**
   * The device of B, if it has another name.
   */
  device_b?: string;
  operation: Operation;
  /**
   * All processes with this name together; absent for all I/O of the device.
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
   * The p-value after Holm's correction over all rows that are judged.
   */
  adjusted_p: number;
  margin: number;
  /**
   * faster and slower apply to latencies, more and fewer to rates. not-comparable: the I/Os differ in size or are part of a different mix, so their latencies are not judged. unusable: one trace did not see enough.
   */
  verdict: "faster" | "slower" | "more" | "fewer" | "same" | "unclear" | "not-comparable" | "unusable";
  /**
   * Why nothing is concluded.
   */
  reason?: string;
}
/**
 * A page of the list.
 */
export interface Listing {
  schema: "loadline.library/v1";
  /**
   * The served directory.
   */
  folder: string;
  total: Count;
  matches: Count;
  offset: Count;
  limit: Count;
  /**
   * The matches from offset on, at most limit of them.
   */
  runs: Entry[];
  /**
   * The results that can be shown as a column, most frequent first.
   */
  results: Headline[];
  /**
   * True if the directory has not been read completely yet.
   */
  reading?: boolean;
  /**
   * Sentences about the directory.
   */
  remarks?: string[];
}
/**
 * A row of the list: one directory.
 */
export interface Entry {
  /**
   * Its path below the served directory.
   */
  path: string;
  schema?: string;
  kind: Kind;
  id: string;
  /**
   * Absent if it is not known when it was measured.
   */
  started?: string;
  finished?: string;
  /**
   * When numbers measured by another tool were imported.
   */
  imported?: string;
  status: "" | "running" | "complete" | "interrupted" | "failed" | "unknown";
  /**
   * A sentence, present if the status is interrupted or failed.
   */
  reason?: string;
  /**
   * An absolute path, or the target as typed if it is not a path.
   */
  target: string;
  target_kind?: string;
  /**
   * The target of side A of a comparison.
   */
  baseline?: string;
  profile?: string;
  note?: string;
  labels?: Labels;
  host?: string;
  /**
   * The worst verdict of its results; absent without results.
   */
  verdict?: "valid" | "suspect" | "invalid";
  invalid?: Count;
  warnings?: Count;
  /**
   * The requested result, else the first few.
   */
  results?: CardResult[];
  /**
   * The number of a comparison's rows with each verdict.
   */
  changes?: {
    better?: Count;
    worse?: Count;
    same?: Count;
    unclear?: Count;
    unusable?: Count;
  };
  /**
   * The result of a durability test.
   */
  durability?: "clean" | "lost-writes" | "corrupt" | "unproven";
  /**
   * A sentence about that result, or about a ranking.
   */
  statement?: string;
  document?: Count;
  /**
   * What is wrong with the directory, in sentences.
   */
  problems?: string[];
  more?: Count;
}
/**
 * The headline result of a workload in one direction.
 */
export interface CardResult {
  workload: string;
  direction: "read" | "write" | "mixed" | "sync";
  metric: Metric;
  unit: Unit;
  estimate: Num;
  low: Num;
  high: Num;
  confidence: number;
  /**
   * True if there is no upper bound.
   */
  open?: boolean;
  verdict: "valid" | "suspect" | "invalid";
}
/**
 * A result that several runs have.
 */
export interface Headline {
  workload: string;
  direction: "read" | "write" | "mixed" | "sync";
  metric: Metric;
  runs: Count;
}
/**
 * One result over the runs that match a search, oldest first.
 */
export interface Trend {
  schema: "loadline.trend/v1";
  workload: string;
  direction: "read" | "write" | "mixed" | "sync";
  /**
   * Empty if no run has the result.
   */
  metric: Metric | "";
  points: TrendPoint[];
  earlier?: Count;
  other_metric?: Count;
  undated?: Count;
}
/**
 * The documents of one directory, or of several side by side.
 */
export interface View {
  schema: "loadline.view/v1";
  /**
   * The directories: one for each report in the same order, then those of the durability tests.
   */
  runs: Viewed[];
  reports: Report[];
  /**
   * The traces that were made during the runs, in the same order, null for a run without one: documents as described in trace.schema.json. Absent if no run has one.
   */
  beside?: ({} | null)[];
  comparisons: Comparison[];
  durability: DurabilityReport[];
  traces?: TraceReport[];
  /**
   * Sentences, such as what is wrong with a directory, or why there is no comparison.
   */
  remarks: string[];
}
/**
 * One directory of a view.
 */
export interface Viewed {
  path: string;
  kind: Kind;
  running: boolean;
}
/**
 * What has changed of a run in progress.
 */
export interface Update {
  /**
   * True if what was sent before must be discarded.
   */
  whole?: boolean;
  report?: Report;
  /**
   * The courses that have changed.
   */
  courses?: CourseUpdate[];
}
/**
 * A course that has changed.
 */
export interface CourseUpdate {
  at: Count;
  course: Course;
}
