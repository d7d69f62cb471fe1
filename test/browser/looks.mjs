// How to look at a page: starts Chromium, and has what the scripts that look have in
// common. Such a script is told what to look at on standard input, and answers with one
// line of JSON for each check: its name, what is wrong, what to log.

import { createRequire } from "node:module";
import { join } from "node:path";
import { stdin } from "node:process";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");
const chunks = [];
for await (const chunk of stdin) chunks.push(chunk);
export const task = JSON.parse(Buffer.concat(chunks).toString());
// Inside of a container Chromium cannot build its own sandbox; it only sees our pages.
export const browser = await chromium.launch({ executablePath: task.chromium, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
process.on("SIGINT", () => browser.close().finally(() => process.exit(130)));

/** check runs one look and reports it; what it throws is an error of it, too. */
export async function check(name, look) {
  const errors = [];
  const log = [];
  const start = performance.now();
  try {
    await look({ fail: (words) => errors.push(words), log: (words) => log.push(words) });
  } catch (err) {
    errors.push(String(err?.stack ?? err));
  }
  log.push(`took ${((performance.now() - start) / 1000).toFixed(1)} s`);
  console.log(JSON.stringify({ name, errors, log }));
}

/** open shows a page and collects what it complains about; close it with page.context().close(). */
export async function open(t, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  page.complaints = [];
  page.requests = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && page.complaints.push(m.text()));
  page.on("pageerror", (err) => t.fail(`an exception: ${err.stack ?? err}`));
  page.on("request", (r) => page.requests.push(r.url()));
  await page.goto(address.startsWith("http") ? address : `file://${address}`);
  await page.waitForSelector("main h1");
  return page;
}

export const shot = (page, name, options = {}) => page.screenshot({ path: join(task.out, `${name}.png`), ...options });

/** unfold opens what is folded, but for long lists of charts only their first few. */
export async function unfold(page) {
  await page.evaluate(() => {
    document.querySelectorAll("details:not(.folded):not(.numbers)").forEach((d) => (d.open = true));
    const folded = [...document.querySelectorAll("details.folded")];
    for (const of of [true, false]) folded.filter((d) => !!d.closest(".budgets") === of).slice(0, 3).forEach((d) => (d.open = true));
  });
}

/** drawn brings every chart into sight and waits until it is drawn, as wide as its place. */
export const drawn = (page) =>
  page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const plots = [...document.querySelectorAll(".plot")].filter((p) => p.checkVisibility());
    const ready = (p) => p.dataset.drawn && Math.abs((p.querySelector("canvas")?.getBoundingClientRect().width ?? 0) - p.clientWidth) < 2;
    for (const plot of plots) {
      plot.scrollIntoView({ block: "center", behavior: "instant" });
      for (let end = performance.now() + 30_000; !ready(plot) && performance.now() < end; ) await frame();
      if (!ready(plot)) throw new Error(`the chart ${plot.dataset.chart} is not drawn, or not as wide as its place`);
    }
    // The drawing itself comes with the next frames.
    await frame();
    await frame();
    return plots.length;
  });

/** pixels counts for each chart what is drawn, and what of it shows data: it is coloured, or far from the axes and as strong as text. */
export const pixels = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".plot[data-drawn]")].map((plot) => {
      let colored = 0;
      let any = 0;
      for (const canvas of plot.querySelectorAll("canvas")) {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const dark = document.documentElement.dataset.theme === "dark";
        for (let i = 0; i < data.length; i += 4) {
          if (data[i + 3] < 32) continue;
          any++;
          const [x, y] = [((i / 4) % canvas.width) / canvas.width, i / 4 / canvas.width / canvas.height];
          const [low, high] = [Math.min(data[i], data[i + 1], data[i + 2]), Math.max(data[i], data[i + 1], data[i + 2])];
          const strong = dark ? low > 200 : high < 70;
          if (high - low > 48 || (strong && x > 0.27 && x < 0.95 && y > 0.06 && y < 0.75)) colored++;
        }
      }
      return { name: plot.dataset.chart, any, colored };
    }),
  );

/** overflow names what is wider than the window. */
export const overflow = (page) =>
  page.evaluate(() => {
    const root = document.documentElement;
    if (root.scrollWidth <= innerWidth) return [];
    const wide = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre"));
    return [`${root.scrollWidth} px of ${innerWidth}: ${wide.slice(0, 5).map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 40)}`).join(" | ")}`];
  });

/** contrast names texts that are hard to read on what is behind them (WCAG AA). */
export const contrast = (page) =>
  page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgba = (color) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      return canvas.getImageData(0, 0, 1, 1).data;
    };
    const luminance = ([r, g, b]) => {
      const f = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
      return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
    };
    const behind = (e) => {
      for (let at = e; at; at = at.parentElement) {
        const c = rgba(getComputedStyle(at).backgroundColor);
        if (c[3] > 250) return c;
      }
      return [255, 255, 255];
    };
    const bad = new Set();
    for (const e of document.body.querySelectorAll("*")) {
      if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || !e.checkVisibility()) continue;
      const [a, b] = [luminance(rgba(getComputedStyle(e).color)), luminance(behind(e))].sort((x, y) => y - x);
      if ((a + 0.05) / (b + 0.05) < 4.5 && !e.disabled) bad.add(`${e.tagName}.${e.className} has contrast ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
    }
    return [...bad];
  });

/** names says which parts a screen reader could not name. */
export const names = (page) =>
  page.evaluate(() => {
    const bad = [];
    for (const e of document.querySelectorAll("[aria-labelledby], [aria-describedby]"))
      for (const id of [e.getAttribute("aria-labelledby"), e.getAttribute("aria-describedby")].filter(Boolean).join(" ").split(" ")) if (!document.getElementById(id)?.textContent.trim()) bad.push(`nothing is called ${id}`);
    for (const e of document.querySelectorAll("button, a, summary, input:not([type=hidden]), select")) if (!(e.getAttribute("aria-label") ?? e.textContent + (e.labels?.[0]?.textContent ?? "")).trim()) bad.push(`a ${e.tagName} has no name`);
    for (const e of document.querySelectorAll("[tabindex='0']")) if (!e.getAttribute("aria-label") && !e.getAttribute("aria-labelledby")) bad.push(`${e.tagName}.${e.className} can be reached but has no name`);
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    for (const id of new Set(ids)) if (ids.filter((o) => o === id).length > 1) bad.push(`two elements are called ${id}`);
    let last = 0;
    for (const e of document.querySelectorAll("h1, h2, h3, h4")) {
      const level = Number(e.tagName[1]);
      if (last && level > last + 1) bad.push(`after a heading of level ${last} comes "${e.textContent.slice(0, 40)}" of level ${level}`);
      last = level;
    }
    return bad;
  });
