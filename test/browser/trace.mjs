// Looks at the page of a trace.

import { task, browser, check, open, shot, unfold, drawn, pixels, overflow, contrast, names } from "./looks.mjs";

const operations = ["read", "write", "flush"];
const charts = ["heat", "rate", "latency", "histogram", "tail"];

// Each operation has all its charts, which show something, at every width and in the dark.
await check("trace", async (t) => {
  const page = await open(t, task.pages.trace);
  await unfold(page);
  await drawn(page);
  // Looking at the pixels makes the browser complain of the looking.
  for (const words of page.complaints) t.fail(words);
  for (const [width, scheme] of [[1280, "light"], [390, "light"], [320, "dark"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    await drawn(page);
    const seen = Object.fromEntries((await pixels(page)).map((p) => [p.name, p]));
    for (const op of operations) for (const c of charts) if (!(seen[`vda-${op}-${c}`]?.colored >= 40)) t.fail(`at ${width} px, ${c} of ${op} shows ${seen[`vda-${op}-${c}`]?.colored} coloured pixels`);
    for (const words of [...(await overflow(page)), ...(await contrast(page)), ...(await names(page))]) t.fail(`at ${width} px, ${scheme}: ${words}`);
    await page.evaluate(() => scrollTo(0, 0));
    await shot(page, `trace-${width}-${scheme}`, { fullPage: true });
  }
  if (page.requests.length > 1) t.fail(`the page has asked for ${page.requests.slice(1).join(", ")}`);
  await page.context().close();
});

// The figures are those of the samples, with their intervals; what was not seen stands among the answers.
await check("figures", async (t) => {
  const page = await open(t, task.pages.trace);
  const says = async (where, list) => {
    const words = (await page.locator(where).innerText()).replace(/\s+/g, " ");
    for (const w of list) if (w instanceof RegExp ? !w.test(words) : !words.includes(w)) t.fail(`${where} does not say "${w}": ${words}`);
  };
  if ((await page.locator("h1").textContent()) !== "Trace of /srv/data, on vda at db1") t.fail(`the title is "${await page.locator("h1").textContent()}"`);
  await says("#answers", ["How long?", /Most were vda writes: 2\.1\d?k IOPS ±/, /p99 [\d.]+ µs ±/, "postgres (process 4711) did 85% of the I/Os", "Was all of it seen?", "2.1 % unseen"]);
  await says("#latency", [/vda read/, "128k to below 256k", /±\d/]);
  await page.locator("#latency summary").click();
  // What is folded is filled when the browser tells of the opening, which is after the click.
  await page.locator("#latency details table").waitFor();
  await says("#latency", ["8k to below 16k", "4k to below 8k"]);
  await says("#who", ["postgres", "4711", "pg_dump", "unowned flushes", "/kubepods/burstable/pod8f1c/9a31b2"]);
  await says("#devices", ["41 000", "160 000", "2.1%", "79%"]);
  await says("#findings", ["2.1 % unseen", "who made a request that no scheduler got"]);
  await says("#reproduce", ["loadline trace /srv/data --time 40s"]);
  const figure = page.locator("#chart-vda-read-histogram");
  await figure.locator("summary").click();
  await figure.locator("tbody tr").first().waitFor();
  const sum = await figure.locator("tbody tr").evaluateAll((rows) => rows.reduce((n, r) => n + Number(r.children[2].textContent.replaceAll(" ", "")), 0));
  if (sum !== 20000) t.fail(`the histogram of reads counts ${sum}, of 20000`);
  const digits = await page.evaluate(() => document.body.innerText.match(/[^\n]{0,30}\d*[1-9]\d*\.\d{5,}[^\n]{0,10}|[^\n]{0,30}\d\.\d*[1-9]\d{3,}[^\n]{0,10}/g) ?? []);
  for (const words of digits.slice(0, 5)) t.fail(`too many digits: ${words}`);
  await page.context().close();
});

// Two traces: none is better, and hostile text stays text there too.
await check("compared", async (t) => {
  const page = await open(t, task.pages.traced);
  const words = (await page.locator("main").innerText()).replace(/\s+/g, " ");
  for (const w of ["watched two loads", "not interleaved", "= same", "±"]) if (!words.includes(w)) t.fail(`the page does not say "${w}": ${words.slice(0, 900)}`);
  if (await page.evaluate(() => window.pwned !== undefined || document.querySelector("main img, main script"))) t.fail("a text has become an element, or run");
  const title = await page.title();
  if (!/^Trace of .+ against Trace of .+ · Loadline$/.test(title)) t.fail(`the title names no sides: ${title}`);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const words of [...(await overflow(page)), ...(await contrast(page)), ...(await names(page))]) t.fail(`at ${width} px: ${words}`);
    await shot(page, `traced-${width}`, { fullPage: true });
  }
  await page.context().close();
});

// The page of a run has the trace made beside it, after the run's own answers and before its charts over
// time; of two runs each has its own.
await check("beside a run", async (t) => {
  const page = await open(t, task.pages.beside);
  await unfold(page);
  await drawn(page);
  for (const words of page.complaints) t.fail(words);
  const says = (await page.locator("#trace").innerText()).replace(/\s+/g, " ");
  for (const w of ["Trace of /srv/data, on vda at db1", "40 s by BPF", "2.1 % unseen", "postgres (process 4711) did 85% of the I/Os", "/kubepods/burstable/pod8f1c/9a31b2", "vda read: latency heatmap", "what the devices counted", "loadline report"]) if (!says.toLowerCase().includes(w.toLowerCase())) t.fail(`the section does not say "${w}": ${says.slice(0, 1500)}`);
  const tops = await page.evaluate((list) => list.map((s) => (document.querySelector(s)?.getBoundingClientRect().top ?? -scrollY - 1) + scrollY), ["#answers", "#results table", "#findings", "#trace-answers", "#trace-latency table", "#trace-who table", "#chart-vda-read-trace-heat", "#trace-devices table", "#time"]);
  if (tops.some((y, i) => y < 0 || (i > 0 && y <= tops[i - 1]))) t.fail(`the parts stand at ${tops.map((y) => y.toFixed(0))}`);
  const twice = await page.evaluate(() => [...document.querySelectorAll("[id]")].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i));
  if (twice.length) t.fail(`ids that stand twice: ${twice}`);
  for (const [width, scheme] of [[1280, "light"], [390, "light"], [320, "dark"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    await drawn(page);
    const seen = Object.fromEntries((await pixels(page)).map((p) => [p.name, p]));
    for (const op of operations) if (!(seen[`vda-${op}-trace-heat`]?.colored >= 40)) t.fail(`at ${width} px, the heatmap of ${op} shows ${seen[`vda-${op}-trace-heat`]?.colored} coloured pixels`);
    for (const words of [...(await overflow(page)), ...(await contrast(page)), ...(await names(page))]) t.fail(`at ${width} px, ${scheme}: ${words}`);
    await page.evaluate(() => scrollTo(0, 0));
    await shot(page, `beside-${width}-${scheme}`, { fullPage: true });
  }
  await page.context().close();

  const both = await open(t, task.pages["beside-compared"]);
  await drawn(both);
  for (const id of ["trace-who-a", "trace-who-b"]) if (!(await both.locator(`#${id} table`).count())) t.fail(`two runs with traces: no ${id}`);
  const methods = await both.locator("#trace").innerText();
  for (const how of ["by BPF", "by perf events"]) if (!methods.includes(`40 s ${how}`)) t.fail(`two runs traced by two methods: nothing says "${how}"`);
  if (await both.evaluate(() => window.pwned !== undefined || document.querySelector("main img, main script"))) t.fail("a text has become an element, or run");
  for (const words of [...(await overflow(both)), ...both.complaints]) t.fail(`two runs with traces: ${words}`);
  await shot(both, "beside-compared", { fullPage: true });
  await both.context().close();
});

// Text from outside stays text.
await check("hostile", async (t) => {
  const page = await open(t, task.pages["evil-trace"]);
  await unfold(page);
  await drawn(page);
  if (await page.evaluate(() => window.pwned !== undefined || document.querySelector("main img, main script"))) t.fail("a text has become an element, or run");
  for (const words of [...(await overflow(page)), ...page.complaints]) t.fail(words);
  await page.context().close();
});

// The library shows the same page.
await check("library", async (t) => {
  const page = await open(t, task.library);
  await page.getByRole("link", { name: /srv\/data/ }).first().click();
  await page.locator("#who table").waitFor();
  if ((await page.locator("h1").textContent()) !== "Trace of /srv/data, on vda at db1") t.fail(`the title is "${await page.locator("h1").textContent()}"`);
  await shot(page, "library");
  // And beside a run.
  await page.goto(task.library);
  await page.locator("a[href*='run=beside']").first().click();
  await page.locator("#trace-who table").waitFor();
  if (!(await page.locator("#trace-answers").innerText()).includes("2.1 % unseen")) t.fail(`the answers of the trace are "${await page.locator("#trace-answers").innerText()}"`);
  await page.context().close();
});

await browser.close();
