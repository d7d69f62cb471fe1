// What a colour means, everywhere on a page. The hues are Paul Tol's "bright" and
// "vibrant" sets, which people with the usual kinds of colour blindness can tell apart;
// nothing is told by colour alone: lines differ in dashes and marks, verdicts in a sign
// and a word.

import type { Change, Direction, Severity, Verdict } from "./model";

export interface Theme {
  dark: boolean;
  text: string;
  faint: string;
  line: string;
  paper: string;
  /** The stretches that are shaded behind a line: ramps, and every other repeat. */
  ramp: string;
  stripe: string;
  direction: Record<Direction, string>;
  /** Runs that are put side by side, by their letter. */
  runs: string[];
  good: string;
  bad: string;
  unsure: string;
  /** From few to many. */
  heat: string[];
}

const light: Theme = {
  dark: false,
  text: "#1d2733",
  faint: "#5b6776",
  line: "#d9dee5",
  paper: "#ffffff",
  ramp: "rgba(91,103,118,0.22)",
  stripe: "rgba(91,103,118,0.07)",
  direction: { read: "#0077bb", write: "#d55e00", mixed: "#00897b", sync: "#aa3377" },
  runs: ["#332288", "#d9661c", "#228833", "#cc3377", "#0099aa", "#806600"],
  good: "#11772d",
  bad: "#c3240c",
  unsure: "#8a6100",
  heat: ["#e8f1f8", "#b7d6ea", "#76b3d8", "#3a87bd", "#1b5a96", "#0b2f60"],
};

const dark: Theme = {
  dark: true,
  text: "#e6ebf1",
  faint: "#9aa7b6",
  line: "#37424f",
  paper: "#171d24",
  ramp: "rgba(154,167,182,0.26)",
  stripe: "rgba(154,167,182,0.08)",
  direction: { read: "#4db2ec", write: "#f58a3c", mixed: "#3cc7b4", sync: "#e07ab5" },
  runs: ["#a99cf5", "#f5a05a", "#6fca7f", "#f07ab0", "#4fd0de", "#d9bc4a"],
  good: "#5fcf7d",
  bad: "#ff7a66",
  unsure: "#e3b341",
  heat: ["#1e3040", "#1f4a6b", "#2670a3", "#4b9fd1", "#93cbe8", "#eaf6fc"],
};

const marks = ["circle", "rect", "triangle", "diamond", "pin", "arrow"];
const dashes: (number[] | "solid")[] = ["solid", [6, 4], [2, 3], [10, 3, 2, 3], [4, 2], [1, 2]];

/** mark and dash tell the nth run apart where colours do not. */
export const mark = (n: number): string => marks[n % marks.length]!;
export const dash = (n: number): number[] | "solid" => dashes[n % dashes.length]!;
export const letter = (n: number): string => String.fromCharCode(65 + (n % 26));

const wish = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let forced: "light" | "dark" | null = null;
let printing = false;

export function isDark(): boolean {
  return !printing && (forced ? forced === "dark" : wish.matches);
}

export function theme(): Theme {
  return isDark() ? dark : light;
}

/** onTheme calls the listener whenever the colours change. */
export function onTheme(listener: () => void): void {
  listeners.add(listener);
}

function changed(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function toggleTheme(): void {
  forced = isDark() ? "light" : "dark";
  changed();
}

/** Paper is white: a print has the light colours. */
export function setPrinting(on: boolean): void {
  if (printing === on) return;
  printing = on;
  changed();
}

wish.addEventListener("change", changed);
document.documentElement.dataset.theme = isDark() ? "dark" : "light";

export const verdictSign: Record<Verdict, string> = { valid: "✓", suspect: "!", invalid: "✗" };
export const severitySign: Record<Severity, string> = { invalid: "✗", warning: "!", note: "i", passed: "✓", "not-checked": "–" };
export const changeSign: Record<Change, string> = { better: "▲", worse: "▼", same: "=", unclear: "?", unusable: "✗" };
export const verdictTone: Record<Verdict, Tone> = { valid: "good", suspect: "unsure", invalid: "bad" };
export const severityTone: Record<Severity, Tone> = { invalid: "bad", warning: "unsure", note: "plain", passed: "good", "not-checked": "plain" };
export const changeTone: Record<Change, Tone> = { better: "good", worse: "bad", same: "plain", unclear: "unsure", unusable: "bad" };

export type Tone = "good" | "bad" | "unsure" | "plain";
