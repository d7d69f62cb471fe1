// Looks at the pages in Chromium. It is told what to look at on standard input and
// answers with one line of JSON for each check: its name, what is wrong, what to log.

import { createRequire } from "node:module";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stdin } from "node:process";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");
const chunks = [];
for await (const chunk of stdin) chunks.push(chunk);
const task = JSON.parse(Buffer.concat(chunks).toString());
// Inside of a container Chromium cannot build its own sandbox; it only sees our pages.
const browser = await chromium.launch({ executablePath: task.chromium, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
process.on("SIGINT", () => browser.close().finally(() => process.exit(130)));

/** check runs one look and reports it; what it throws is an error of it, too. */
async function check(name, look) {
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
async function open(t, address, options = {}) {
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

const shot = (page, name, options = {}) => page.screenshot({ path: join(task.out, `${name}.png`), ...options });

/** unfold opens what is folded, but for long lists of charts only their first few. */
async function unfold(page) {
  await page.evaluate(() => {
    document.querySelectorAll("details:not(.folded):not(.numbers)").forEach((d) => (d.open = true));
    [...document.querySelectorAll("details.folded")].slice(0, 3).forEach((d) => (d.open = true));
  });
}

/** drawn brings every chart into sight and waits until it is drawn, as wide as its place. */
const drawn = (page) =>
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
const pixels = (page) =>
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
const overflow = (page) =>
  page.evaluate(() => {
    const root = document.documentElement;
    if (root.scrollWidth <= innerWidth) return [];
    const wide = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre"));
    return [`${root.scrollWidth} px of ${innerWidth}: ${wide.slice(0, 5).map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 40)}`).join(" | ")}`];
  });

/** contrast names texts that are hard to read on what is behind them (WCAG AA). */
const contrast = (page) =>
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
const names = (page) =>
  page.evaluate(() => {
    const bad = [];
    for (const e of document.querySelectorAll("[aria-labelledby], [aria-describedby]"))
      for (const id of [e.getAttribute("aria-labelledby"), e.getAttribute("aria-describedby")].filter(Boolean).join(" ").split(" ")) if (!document.getElementById(id)?.textContent.trim()) bad.push(`nothing is called ${id}`);
    for (const e of document.querySelectorAll("button, a, summary, input, select")) if (!(e.getAttribute("aria-label") ?? e.textContent + (e.labels?.[0]?.textContent ?? "")).trim()) bad.push(`a ${e.tagName} has no name`);
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

const expected = { run: 18, invalid: 15, compare: 20, grid: 8, load: 3, volumes: 9, scale: 4, evil: 5, empty: 0 };

for (const [name, file] of Object.entries(task.pages)) {
  await check(`drawn/${name}`, async (t) => {
    const page = await open(t, file);
    const [built, painted] = await page.evaluate(() => new Promise((done) => new PerformanceObserver((seen) => done([performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd, seen.getEntriesByName("first-contentful-paint")[0]?.startTime])).observe({ type: "paint", buffered: true })));
    t.log(`whole page built after ${built.toFixed(0)} ms, first seen after ${painted?.toFixed(0)} ms`);
    await unfold(page);
    const n = await drawn(page);
    if (n < expected[name]) t.fail(`${n} charts, expected at least ${expected[name]}`);
    const all = await pixels(page);
    t.log(`${n} charts: ${all.map((p) => `${p.name} ${p.colored}`).join(", ")}`);
    for (const p of all) if (p.colored < 60 || p.any < 500) t.fail(`chart ${p.name} shows ${p.colored} coloured of ${p.any} pixels`);
    for (const words of [...(await overflow(page)), ...(await contrast(page)), ...(await names(page)), ...page.complaints]) t.fail(words);
    const digits = await page.evaluate(() => {
      document.querySelectorAll("details.numbers").forEach((d) => (d.open = true));
      return new Promise((done) => setTimeout(() => done(document.body.innerText.match(/[^\n]{0,30}\d*[1-9]\d*\.\d{5,}[^\n]{0,10}|[^\n]{0,30}\d\.\d*[1-9]\d{3,}[^\n]{0,10}/g) ?? []), 200));
    });
    for (const words of digits.slice(0, 5)) t.fail(`too many digits: ${words}`);
    if (page.requests.length > 1) t.fail(`the page has asked for ${page.requests.slice(1).join(", ")}`);
    await page.evaluate(() => document.querySelectorAll("details.numbers").forEach((d) => (d.open = false)));
    await page.evaluate(() => scrollTo(0, 0));
    await shot(page, name, { fullPage: true });

    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 320, height: 640 });
    await drawn(page);
    for (const words of [...(await overflow(page)), ...(await contrast(page))]) t.fail(`narrow and dark: ${words}`);
    if (!(await page.evaluate(() => document.documentElement.dataset.theme === "dark"))) t.fail("the page is not dark for who asks for dark");
    for (const p of await pixels(page)) if (p.colored < 40) t.fail(`narrow and dark: chart ${p.name} shows ${p.colored} coloured pixels`);
    await page.evaluate(() => scrollTo(0, 0));
    await shot(page, `${name}-320-dark`, { fullPage: true });
    await page.context().close();
  });
}

await check("colours", async (t) => {
  const page = await open(t, task.pages.run);
  const plot = page.locator(".plot").first();
  await plot.scrollIntoViewIfNeeded();
  await drawn(page);
  const before = [await plot.screenshot(), await page.evaluate(() => getComputedStyle(document.body).backgroundColor)];
  await page.getByRole("button", { name: "Light or dark" }).click();
  await drawn(page);
  const after = [await plot.screenshot(), await page.evaluate(() => getComputedStyle(document.body).backgroundColor)];
  if (before[0].equals(after[0])) t.fail("a chart looks the same in light and dark");
  if (before[1] === after[1]) t.fail("the page looks the same in light and dark");
  await shot(page, "run-dark", { fullPage: true });
  await page.context().close();
});

await check("tooltip", async (t) => {
  for (const [name, chart] of [["run", "rand-read-iops-rate"], ["grid", "sweep-randrw-read-curve"], ["scale", "scale-rand-write-iops-write-1-total"]]) {
    const page = await open(t, task.pages[name]);
    const plot = page.locator(`[data-chart="${chart}"]`);
    await plot.scrollIntoViewIfNeeded();
    await drawn(page);
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    // Go to coloured places, spread over the drawing, until one of them tells something.
    const places = await plot.locator("canvas").first().evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const list = [];
      for (let y = 0.05; y < 0.8; y += 0.004) {
        for (let x = 0.1; x < 0.97; x += 0.004) {
          const i = 4 * (Math.floor(y * canvas.height) * canvas.width + Math.floor(x * canvas.width));
          if (data[i + 3] > 200 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 80) list.push([x, y]);
        }
      }
      return list;
    });
    let words = "";
    for (let i = 0; i < places.length && !words; i += Math.max(1, Math.floor(places.length / 150))) {
      await page.mouse.move(box.x + box.width * places[i][0], box.y + box.height * places[i][1]);
      words = await page.evaluate(() => [...document.querySelectorAll(".tip")].find((e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true }))?.innerText ?? "");
    }
    if (!/\d/.test(words)) t.fail(`${chart}: no tooltip with a number, but "${words}"`);
    t.log(`${chart}: ${words.replaceAll("\n", " | ")}`);
    await shot(page, `tooltip-${name}`);
    await page.context().close();
  }
});

await check("keyboard", async (t) => {
  const page = await open(t, task.pages.run);
  const reached = new Set();
  let summary = false;
  const count = await page.locator(".plot").count();
  for (let i = 0; i < 400 && reached.size < count; i++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      const outline = getComputedStyle(e).outlineStyle;
      return { tag: e.tagName, chart: e.dataset.chart, text: e.textContent.slice(0, 30), outline };
    });
    if (at.outline === "none") t.fail(`the focus on ${at.tag} "${at.text}" cannot be seen`);
    if (at.tag === "SUMMARY") summary = true;
    if (at.chart) reached.add(at.chart);
  }
  if (reached.size < count || !summary) t.fail(`the tabulator reaches ${reached.size} of ${count} charts, and a summary: ${summary}`);
  const figure = page.locator("#chart-rand-read-iops-rate");
  const plot = figure.locator(".plot");
  const status = figure.locator("[role=status]");
  await plot.focus();
  await page.keyboard.press("ArrowRight");
  const first = await status.textContent();
  await page.keyboard.press("End");
  const last = await status.textContent();
  if (!/\d/.test(first) || first === last) t.fail(`the arrow keys say "${first}" and "${last}"`);
  await figure.locator(".tip").waitFor();
  await page.keyboard.press("Escape");
  await figure.locator("summary").focus();
  await page.keyboard.press("Enter");
  await figure.locator("tbody tr").first().waitFor();
  const download = page.waitForEvent("download");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const file = await (await download).path();
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const rows = await figure.locator("tbody tr").count();
  if (!lines[0].includes("rate (1/s)") || lines.length !== rows + 1) t.fail(`the file has ${lines.length} lines for ${rows} rows, the first is ${lines[0]}`);
  const numbers = lines[1].split(",").map(Number);
  if (numbers.some((v, i) => i > 0 && Number.isNaN(v))) t.fail(`the file's numbers are no numbers: ${lines[1]}`);
  await page.context().close();
});

await check("document", async (t) => {
  const page = await open(t, task.pages.run);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save the report document (JSON)" }).click();
  const saved = JSON.parse(await readFile(await (await download).path(), "utf8"));
  const own = await page.evaluate(() => JSON.parse(document.getElementById("loadline-data").textContent).reports[0]);
  if (JSON.stringify(saved) !== JSON.stringify(own)) t.fail("the saved document is not the page's");
  await page.context().close();
});

await check("print", async (t) => {
  const page = await open(t, task.pages.run, { colorScheme: "dark" });
  const printed = await page.evaluate(() => {
    addEventListener("beforeprint", () => (window.seen = [...document.querySelectorAll(".plot")].filter((p) => !p.dataset.drawn).length));
  }).then(() => page.pdf({ format: "A4", printBackground: true }));
  await writeFile(join(task.out, "run.pdf"), printed);
  const sheets = printed.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  t.log(`${sheets} sheets, ${Math.round(printed.length / 1000)} kB`);
  if (!printed.subarray(0, 5).equals(Buffer.from("%PDF-")) || sheets < 2 || printed.length < 50_000) t.fail(`the print has ${sheets} sheets and ${printed.length} bytes`);
  const undrawn = await page.evaluate(() => window.seen);
  if (undrawn !== 0) t.fail(`${undrawn} charts were not drawn for the print`);
  if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== "dark") t.fail("after the print the colours are not what they were");
  await page.emulateMedia({ media: "print" });
  if (await page.getByRole("button", { name: "Light or dark" }).isVisible()) t.fail("buttons are printed");
  await page.context().close();
});

/** harmless looks for any effect of the hostile text, and for the text itself. */
async function harmless(t, page, where) {
  const found = await page.evaluate(() => ({
    pwned: window.pwned,
    images: document.querySelectorAll("img").length,
    scripts: [...document.querySelectorAll("script")].map((s) => s.id || s.getAttribute("src") || "inline").join(" "),
    shown: document.body.innerText.split("<script>window.pwned=1</script>").length - 1,
    handlers: [...document.querySelectorAll("*")].filter((e) => e.getAttributeNames().some((n) => n.startsWith("on"))).length,
  }));
  if (found.pwned || found.images || found.handlers) t.fail(`${where}: the hostile text has had an effect: ${JSON.stringify(found)}`);
  if (found.shown < 1) t.fail(`${where}: the hostile text is not shown`);
  t.log(`${where}: shown ${found.shown} times, scripts: ${found.scripts}`);
  return found;
}

await check("injection", async (t) => {
  for (const name of ["evil", "invalid"]) {
    const page = await open(t, task.pages[name]);
    await unfold(page);
    await drawn(page);
    await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
    // Tooltips hold names, too.
    for (const plot of await page.locator(".plot:visible").all()) {
      await plot.focus();
      await page.keyboard.press("ArrowRight");
    }
    const found = await harmless(t, page, name);
    if (found.scripts !== "loadline-data inline") t.fail(`the page has other scripts than its own: ${found.scripts}`);
    if (!(await page.title()).includes("<script>") && name === "evil") t.fail(`the title is ${await page.title()}`);
    await page.context().close();
  }
});

await check("network", async (t) => {
  const page = await open(t, task.pages.run);
  const tried = await page.evaluate(async (trap) => {
    const outcome = { refused: [] };
    addEventListener("securitypolicyviolation", (e) => outcome.refused.push(e.effectiveDirective));
    const failed = (p) => p.then(() => false, () => true);
    outcome.fetch = await failed(fetch(trap + "/fetch"));
    outcome.image = await failed(new Promise((ok, bad) => { const i = new Image(); i.onload = ok; i.onerror = bad; i.src = trap + "/image"; }));
    outcome.script = await failed(new Promise((ok, bad) => { const s = document.createElement("script"); s.onload = ok; s.onerror = bad; s.src = trap + "/script"; document.head.append(s); }));
    const inline = document.createElement("script");
    inline.textContent = "window.ran = 1";
    document.head.append(inline);
    const style = document.createElement("style");
    style.textContent = `body { background: url(${trap}/style) }`;
    document.head.append(style);
    const frame = document.createElement("iframe");
    frame.src = trap + "/frame";
    document.body.append(frame);
    try { new WebSocket(trap.replace("http", "ws")); } catch { outcome.socket = true; }
    navigator.sendBeacon(trap + "/beacon");
    await new Promise((done) => setTimeout(done, 500));
    outcome.ran = window.ran;
    return outcome;
  }, task.trap);
  if (!tried.fetch || !tried.image || !tried.script || tried.ran) t.fail(`the policy lets through: ${JSON.stringify(tried)}`);
  for (const d of ["connect-src", "img-src", "script-src-elem", "style-src-elem", "frame-src"]) if (!tried.refused.includes(d)) t.fail(`nothing was refused for ${d}: ${tried.refused}`);
  await page.context().close();
});

await check("library", async (t) => {
  const page = await open(t, task.library);
  const rows = page.locator("tbody tr");
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length >= 5);
  await harmless(t, page, "list");
  for (const words of [...(await overflow(page)), ...(await contrast(page)), ...(await names(page))]) t.fail(words);
  await shot(page, "library", { fullPage: true });
  await page.getByRole("button", { name: "Light or dark" }).click();
  for (const words of await contrast(page)) t.fail(`dark: ${words}`);
  await shot(page, "library-dark", { fullPage: true });
  await page.setViewportSize({ width: 320, height: 640 });
  for (const words of await overflow(page)) t.fail(words);
  await shot(page, "library-320-dark", { fullPage: true });
  await page.setViewportSize({ width: 1280, height: 900 });

  // With the keyboard: search, then open what was found.
  await page.getByLabel("Search").focus();
  await page.keyboard.type("first light");
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
  const link = rows.first().getByRole("link").first();
  await link.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/view\?/);
  await page.waitForSelector("section#time");
  const n = await drawn(page);
  for (const p of await pixels(page)) if (p.colored < 60) t.fail(`chart ${p.name} shows ${p.colored} coloured pixels`);
  if (n < expected.run) t.fail(`${n} charts of a run in the library, ${expected.run} in its file`);
  for (const words of page.complaints) t.fail(words);
  await page.context().close();
});

await check("library/side by side", async (t) => {
  const page = await open(t, task.library);
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length >= 5);
  await page.getByLabel("Search").fill("quick");
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 3);
  const boxes = page.getByRole("checkbox");
  await boxes.nth(1).check();
  await boxes.nth(2).check();
  await page.getByRole("button", { name: "Put 2 side by side" }).click();
  await page.waitForSelector("section#comparison");
  await drawn(page);
  await harmless(t, page, "side by side");
  for (const p of await pixels(page)) if (p.colored < 60) t.fail(`chart ${p.name} shows ${p.colored} coloured pixels`);
  for (const words of [...(await overflow(page)), ...(await contrast(page)), ...page.complaints]) t.fail(words);
  await page.evaluate(() => scrollTo(0, 0));
  await shot(page, "library-side-by-side", { fullPage: true });
  await page.context().close();
});

await browser.close();
