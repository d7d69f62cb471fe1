// Numbers for people: three significant digits, never more. The same rules as
// internal/model/units, which a test holds this file to.

import type { Amplification, Direction, Estimate, Metric, Num } from "./model";

const none = "–";

/** three writes v with three significant digits and no exponent. */
export function three(v: number): string {
  const a = Math.abs(v);
  return v.toFixed(a >= 99.95 ? 0 : a >= 9.995 ? 1 : 2);
}

function trim3(v: number): string {
  const s = three(v);
  return s.includes(".") ? s.replace(/0+$/, "").replace(/\.$/, "") : s;
}

export function rate(v: number): string {
  const a = Math.abs(v);
  if (a < 999.5) return trim3(v);
  if (a < 999.5e3) return three(v / 1e3) + "k";
  if (a < 999.5e6) return three(v / 1e6) + "M";
  return three(v / 1e9) + "G";
}

export function bandwidth(v: number): string {
  if (v < 999.5 * 1024) return three(v / 1024) + " KiB/s";
  if (v < 9999.5 * 1024 * 1024) return three(v / 2 ** 20) + " MiB/s";
  return three(v / 2 ** 30) + " GiB/s";
}

export function duration(s: number): string {
  const a = Math.abs(s);
  if (a === 0) return "0 s";
  if (a < 999.5e-9) return three(s * 1e9) + " ns";
  if (a < 999.5e-6) return three(s * 1e6) + " µs";
  if (a < 999.5e-3) return three(s * 1e3) + " ms";
  return three(s) + " s";
}

export function size(n: number): string {
  // Averages have fractions of a byte, which nobody reads.
  n = Math.trunc(n);
  if (n < 1024) return `${n} B`;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
  let v = n / 1024;
  let u = 0;
  while (v >= 1023.95 && u < units.length - 1) {
    v /= 1024;
    u++;
  }
  return `${trim3(v)} ${units[u]}`;
}

/** block writes a block size as fio does: 4k, 128k, 1M. */
export function block(n: number): string {
  if (n >= 2 ** 20 && n % 2 ** 20 === 0) return `${n / 2 ** 20}M`;
  if (n >= 1024 && n % 1024 === 0) return `${n / 1024}k`;
  return String(n);
}

/** span writes a stretch of time: 41 s, 4 m 05 s, 2 h 10 m. */
export function span(seconds: Num): string {
  if (seconds === null) return none;
  const n = Math.round(seconds);
  const two = (v: number) => String(v).padStart(2, "0");
  if (n < 60) return `${n} s`;
  if (n < 3600) return `${Math.floor(n / 60)} m ${two(n % 60)} s`;
  return `${Math.floor(n / 3600)} h ${two(Math.floor((n % 3600) / 60))} m`;
}

/** metric writes a value with its unit; the I/Os of a flow of flushes are flushes. */
export function metric(m: Metric, v: Num | undefined, direction?: Direction): string {
  if (v === null || v === undefined || !Number.isFinite(v)) return none;
  if (m === "iops") return rate(v) + (direction === "sync" ? " flushes/s" : " IOPS");
  if (m === "tps") return rate(v) + " tps";
  if (m === "records") return rate(v) + "/s";
  if (m === "bandwidth") return bandwidth(v);
  return m.startsWith("p") ? percentile(v) : duration(v);
}

/** longest is the lower end of the last bucket of a histogram, and lastMiddle its middle, which fio prints. */
const longest = 17.045651456;
const lastMiddle = 17.11276032;

/** percentile writes one in seconds: in the last bucket, it is only known to be at least that long. */
export function percentile(v: Num | undefined): string {
  const beyond = [longest, lastMiddle].some((limit) => Math.abs((v ?? 0) - limit) < 1e-6);
  return beyond ? `≥ ${duration(longest)}` : seconds(v);
}

export function seconds(v: Num | undefined): string {
  return v === null || v === undefined || !Number.isFinite(v) ? none : duration(v);
}

/** percent writes a fraction: 23%, 5.1%, 0.04%. */
export function percent(v: number): string {
  const p = v * 100;
  if (!Number.isFinite(p)) return none;
  if (p >= 9.95) return p.toFixed(0) + "%";
  if (p === 0) return "0%";
  if (p < 0.005) return "<0.01%";
  return p.toFixed(p < 0.095 ? 2 : 1) + "%";
}

/** asked writes a fraction that somebody has chosen, as they did: 5%, 2.5%. */
export const asked = (v: number): string => `${Math.round(v * 1e4) / 1e2}%`;

/** halfWidth is the larger relative distance to a bound; null without an interval. */
export function halfWidth(e: Estimate): number | null {
  if (!e.confidence || !e.estimate || e.low === null || e.high === null) return null;
  return Math.max(e.high - e.estimate, e.estimate - e.low) / Math.abs(e.estimate);
}

export function plusMinus(e: Estimate): string {
  if (e.open) return none;
  const w = halfWidth(e);
  return w === null ? none : "±" + percent(w);
}

/** Beyond this a half-width is no way to say an interval: that of ±143 % would begin below zero. */
const mostHalf = 0.3;

/** interval writes a 95 % interval: "±2%", or "[1.2k, 3.4k IOPS]" where it is wide. */
export function interval(m: Metric, e: Estimate, direction?: Direction): string {
  if (e.open) return `≥ ${metric(m, e.low, direction)}`.replace("≥ ≥", "≥");
  const w = halfWidth(e);
  if (w === null || w <= mostHalf) return plusMinus(e);
  const [low, high] = [metric(m, e.low, direction), metric(m, e.high, direction)];
  const unit = high.includes(" ") ? high.slice(high.lastIndexOf(" ")) : /(?:\/s)?$/.exec(high)![0];
  return `[${unit && low.endsWith(unit) ? low.slice(0, -unit.length) : low}, ${high}]`;
}

/** change writes a ratio as a change: +0.8%, −12%, ×10. */
export function change(ratio: Num): string {
  if (ratio === null || !Number.isFinite(ratio)) return none;
  if (ratio >= 10) return "×" + ratio.toFixed(0);
  if (ratio >= 3) return "×" + ratio.toFixed(1);
  const v = (ratio - 1) * 100;
  // What is left after a large drop must show: −99.7% and −99.97% are a factor of ten.
  const s = Math.abs(v).toFixed(v < -99.05 ? 2 : Math.abs(v) >= 9.95 ? 0 : 1);
  if (Number(s) === 0) return "0%";
  return (v < 0 ? "−" : "+") + s + "%";
}

/** amplified writes how many I/Os the disks did for each of the client's, and how many are expected: 6.02× of 6. */
export function amplified(r: Amplification): string {
  if (r.not_counted || r.estimate === null) return "not counted";
  return `${Number(r.estimate.toFixed(2))}×${r.expected ? ` of ${r.expected}` : ""}`;
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

export function integer(n: number): string {
  return Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, " ");
}

/** when writes a moment in the reader's own time zone, to the minute. */
export function when(iso: string | undefined): string {
  if (!iso) return none;
  const d = new Date(iso);
  // The zero time of Go is no moment.
  if (!(d.getFullYear() > 1970)) return none;
  const two = (v: number) => String(v).padStart(2, "0");
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}`;
}

/** moment is when, with the name of that time zone ("UTC", "GMT+1"): a page is read elsewhere than it was made. */
export function moment(iso: string | undefined): string {
  const written = when(iso);
  if (written === none) return none;
  const zone = new Intl.DateTimeFormat("en", { timeZoneName: "short" }).formatToParts(new Date(iso!)).find((p) => p.type === "timeZoneName");
  return zone ? `${written} ${zone.value}` : written;
}

/** shellWord quotes a word for a command line that is pasted into a shell, by the rules of
 * ShellWord in internal/model/safetext. */
export function shellWord(word: string): string {
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(word) || /(?![\0-\x7f])\p{Default_Ignorable_Code_Point}/u.test(word)) {
    const bytes = [...new TextEncoder().encode(word)].map((b) => {
      const c = String.fromCharCode(b);
      return c === "'" || c === "\\" ? `\\${c}` : b < 0x20 || b > 0x7e ? `\\${b.toString(8).padStart(3, "0")}` : c;
    });
    return `$'${bytes.join("")}'`;
  }
  return /^(?!=)[\p{L}\p{Nd}_@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
