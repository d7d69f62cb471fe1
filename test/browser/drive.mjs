// Looks at the report pages and at the library.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { task, browser, check, open, shot, unfold, drawn, pixels, overflow, contrast, names } from "./looks.mjs";

const expected = { run: 18, invalid: 15, compare: 20, grid: 8, load: 3, alone: 1, volumes: 9, scale: 4, evil: 5, empty: 0, ranking: 1, place: 0, budgets: 1, import: 0, reference: 20 };

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

// What a reader asks for stands above what it was made of, and a narrow window shows the verdict.
await check("answer first", async (t) => {
  for (const [name, question, order] of [
    ["run", "How fast?", ["#answers", "#chart-repeats", "#results table", "#findings", "#time", "#reproduce"]],
    ["compare", "Better?", ["#answers", "#comparison figure", "#comparison table", "#results table", "#findings", "#time"]],
    ["grid", "How much load?", ["#answers", "#sweep figure", "#results", "#findings"]],
    ["ranking", "Which is best?", ["#answers", "#ranking figure", "#ranking table", "#findings"]],
  ]) {
    const page = await open(t, task.pages[name]);
    if ((await page.locator("#answers dt").first().textContent()) !== question) t.fail(`${name} begins with "${await page.locator("#answers dt").first().textContent()}"`);
    const tops = await page.evaluate((list) => list.map((s) => document.querySelector(s)?.getBoundingClientRect().top ?? -1), order);
    if (tops.some((y, i) => y < 0 || (i > 0 && y <= tops[i - 1]))) t.fail(`${name}: ${order.map((s, i) => `${s} at ${tops[i].toFixed(0)}`).join(", ")}`);
    const side = await page.evaluate(() => ({ nav: document.querySelector(".contents").getBoundingClientRect(), sections: document.querySelector(".sections").getBoundingClientRect(), dead: [...document.querySelectorAll(".contents a")].filter((a) => !document.querySelector(a.hash)).map((a) => a.hash) }));
    if (side.nav.right > side.sections.left || side.dead.length) t.fail(`${name}: the contents end at ${side.nav.right}, the sections begin at ${side.sections.left}; nowhere: ${side.dead}`);
    await page.setViewportSize({ width: 390, height: 800 });
    for (const table of await page.locator(".results").all()) {
      if (!(await table.isVisible())) continue;
      const seen = await table.evaluate((e) => [e.querySelectorAll("thead th")[1].textContent, e.querySelector("tbody td.verdict").getBoundingClientRect().right]);
      if (seen[0] !== "verdict" || seen[1] > 390) t.fail(`${name} at 390 px: the second column is ${seen[0]}, and ends at ${seen[1]}`);
    }
    await page.context().close();
  }
});

// A table of results fits a usual window, also where findings stand beside each number.
await check("tables fit", async (t) => {
  for (const name of ["run", "invalid", "place", "volumes"]) {
    const page = await open(t, task.pages[name]);
    const wide = await page.evaluate(() => [...document.querySelectorAll(".scroll:has(> .results)")].filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map((e) => `${e.scrollWidth} px of ${e.clientWidth}`));
    if (wide.length) t.fail(`${name}: a table of results is cut off: ${wide.join(", ")}`);
    await page.context().close();
  }
});

// A title says what was measured and where, and no disk of a hypervisor turns.
await check("place", async (t) => {
  const page = await open(t, task.pages.place);
  const head = await page.locator("header").innerText();
  if ((await page.locator("h1").textContent()) !== "/srv/data on db1" || !(await page.title()).startsWith("/srv/data on db1")) t.fail(`the title is "${await page.locator("h1").textContent()}"`);
  if (!head.includes("ext4 on vda, 40 GiB, virtual disk") || (await page.locator("main").innerText()).includes("rotating")) t.fail(`the head says: ${head}`);
  if (!(await page.locator("#results").innerText()).includes("[500, 1.50k IOPS]")) t.fail("a wide interval is not written with its ends");
  const goals = await page.locator("#goals").innerText();
  for (const words of ["undecided: rand-read-iops iops > 1k", "contains the bound", "--repeat 90"]) if (!goals.includes(words)) t.fail(`the goals do not say "${words}": ${goals}`);
  const again = await page.locator("#reproduce").innerText();
  for (const words of ["loadline run /srv/data --profile quick", "target\n/srv/data", "typed as\n."]) if (!again.includes(words)) t.fail(`to reproduce it, the page does not say "${words}": ${again}`);
  await page.context().close();
});

// A comparison without the reports of its sides is named by them.
await check("alone", async (t) => {
  const page = await open(t, task.pages.alone);
  const title = "/srv/old against /srv/data on vm";
  if ((await page.locator("h1").allTextContents()).join() !== title || (await page.title()) !== `${title} · Loadline`) t.fail(`the titles are "${await page.locator("h1").allTextContents()}" and "${await page.title()}"`);
  await page.context().close();
  const runs = await open(t, task.pages.compare);
  if ((await runs.locator("h1").count()) !== 2) t.fail("the reports of both sides do not have a title each");
  await runs.context().close();
});

// A budget that closes is a waterfall with its sources and what would change it; one that does not says so, and draws nothing.
await check("budgets", async (t) => {
  const page = await open(t, task.pages.budgets);
  const sections = page.locator("#budgets > section");
  if ((await sections.count()) !== 2) t.fail(`${await sections.count()} budgets`);
  const [closes, refused] = await sections.all();
  const says = async (part, list) => {
    const words = (await part.innerText()).replace(/\s+/g, " ");
    for (const w of list) if (!words.includes(w)) t.fail(`a budget does not say "${w}": ${words}`);
  };
  await says(closes, ["Closure 94%", "Left over: 270 µs, round trips", "1.01 flushes × 2.28 ms", "scheduler", "PostgreSQL", "+37% rate, 327 tps", "+31% rate", "By the law: serial", "between the laws"]);
  await says(refused, ["does not close — only 38 %", "Missing: how long reads took", "track_io_timing=on", "flush of the WAL"]);
  if ((await closes.locator(".plot").count()) !== 1 || (await refused.locator(".plot").count()) !== 0) t.fail("a waterfall is missing, or drawn of what does not close");
  // The bars begin where those above them end: the first coloured pixel of each row is not left of the last one of the row above.
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await drawn(page);
    const rows = await closes.locator("canvas").first().evaluate((canvas) => {
      const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const scale = height / canvas.getBoundingClientRect().height;
      return [0, 1, 2, 3, 4].map((row) => {
        // A row is 30 pixels high, and its bar's lower edge has no words on it.
        const y = Math.round((10 + 30 * row + 15 + 8) * scale);
        const xs = [];
        for (let x = Math.round(width * 0.15); x < width; x++) {
          const i = 4 * (y * width + x);
          if (data[i + 3] > 200 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60) xs.push(x / scale);
        }
        return [xs[0] ?? -1, xs[xs.length - 1] ?? -1];
      });
    });
    if (rows.some(([from, to], i) => from < 0 || (i > 0 && Math.abs(from - rows[i - 1][1]) > 3) || to < from)) t.fail(`at ${width} px the bars are from and to ${JSON.stringify(rows)}`);
    t.log(`at ${width} px: ${rows.map((r) => r.map(Math.round).join("–")).join(", ")}`);
  }
  await page.context().close();
});

// Nothing of a sweep's curve is cut off at the edge of its drawing.
await check("unclipped", async (t) => {
  const page = await open(t, task.pages.grid);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await drawn(page);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll(".plot[data-chart$=-curve]")].map((plot) => {
        let n = 0;
        for (const canvas of plot.querySelectorAll("canvas")) {
          const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          for (let y = 0; y < height; y++) for (let x = width - 3; x < width; x++) if (data[4 * (y * width + x) + 3] > 60) n++;
          for (let x = 0; x < width; x++) for (let y = 0; y < 3; y++) if (data[4 * (y * width + x) + 3] > 60) n++;
        }
        return `${plot.dataset.chart} ${n}`;
      }),
    );
    if (cut.length < 2 || cut.some((c) => !c.endsWith(" 0"))) t.fail(`at ${width} px, painted at the edge: ${cut.join(", ")}`);
  }
  await page.context().close();
});

// The law is drawn with the band of its predictions, and what it leaves over beside it.
await check("law", async (t) => {
  for (const [name, least] of [["scale", 1], ["reference", 12]]) {
    const page = await open(t, task.pages[name]);
    await unfold(page);
    await drawn(page);
    const marks = Object.fromEntries((await pixels(page)).map((p) => [p.name, p.colored]));
    const laws = await page.evaluate(() =>
      [...document.querySelectorAll(".plot[data-chart^=scale-][data-chart$=-total]")].map((plot) => {
        // The band is a pale grey that is seen through, unlike axes, points and lines.
        let band = 0;
        for (const canvas of plot.querySelectorAll("canvas")) {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 40 && data[i + 3] < 80 && Math.max(data[i], data[i + 1], data[i + 2]) < 150) band++;
        }
        return { chart: plot.dataset.chart, band, key: plot.closest("figure").querySelector(".key").innerText };
      }),
    );
    if (laws.length < least) t.fail(`${name}: ${laws.length} laws are drawn, expected at least ${least}`);
    for (const l of laws) {
      if (l.band < 500 || !l.key.includes("prediction band")) t.fail(`${name}: the band of ${l.chart} covers ${l.band} pixels; the key says ${l.key}`);
      const left = marks[l.chart.replace(/-total$/, "-residuals")];
      if (!(left >= 60)) t.fail(`${name}: what the law of ${l.chart} leaves over shows ${left} pixels`);
    }
    t.log(`${name}: ${laws.map((l) => `${l.chart} ${l.band}`).join(", ")}`);
    await page.context().close();
  }
});

await check("colours", async (t) => {
  const page = await open(t, task.pages.run);
  const plot = page.locator(".plot").first();
  await plot.scrollIntoViewIfNeeded();
  await drawn(page);
  const before = [await plot.screenshot(), await page.evaluate(() => getComputedStyle(document.body).backgroundColor)];
  await page.getByRole("button", { name: "Theme" }).click();
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
  const table = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save every second (CSV)" }).click();
  const lines = (await readFile(await (await table).path(), "utf8")).trim().split("\r\n");
  const points = own.courses.reduce((n, c) => n + c.points.at.length, 0);
  if (lines.length !== points + 1 || !lines[0].startsWith("run,workload,direction,round,end,seconds,iops,") || lines[1].split(",").length !== lines[0].split(",").length) t.fail(`${lines.length} lines for ${points} points: ${lines[0]} / ${lines[1]}`);
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
  if (await page.getByRole("button", { name: "Theme" }).isVisible()) t.fail("buttons are printed");
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
  for (const name of ["evil", "invalid", "evil-ranking"]) {
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
  const undated = await rows.filter({ hasText: "kbench" }).locator("td.started").innerText();
  if (!/imported 20\d\d-\d\d-\d\d$/.test(undated)) t.fail(`imported numbers of unknown date: "${undated}"`);
  for (const words of [...(await overflow(page)), ...(await contrast(page)), ...(await names(page))]) t.fail(words);
  await shot(page, "library", { fullPage: true });
  await page.getByRole("button", { name: "Theme" }).click();
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
