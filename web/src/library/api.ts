// What the server answers, as internal/show/serve says it, and how it is asked.

import type * as doc from "../documents";
import type { Course, Report, Trace } from "../model";

export type { CardResult, Entry, Headline, Kind, Listing, Trend, TrendPoint, Viewed } from "../documents";

/** The documents of directories, as pages are drawn from them. */
export type View = Omit<doc.View, "reports" | "beside" | "traces"> & { reports: Report[]; beside?: (Trace | null)[]; traces?: Trace[] };

/** What changed in a running run. */
export type Update = Omit<doc.Update, "report" | "courses"> & { report?: Report; courses?: { at: number; course: Course }[] };

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
