// Looks at the library as somebody who looks for a run, watches one, takes one along,
// and has to say a token.

import { readFile } from "node:fs/promises";
import { browser, check, contrast, drawn, names, open, overflow, pixels, shot, task } from "./looks.mjs";

const rowCount = (page, n) => page.waitForFunction((n) => document.querySelectorAll("tbody tr").length === n, n);
const firstRow = (page) => page.locator("tbody tr").first();

await check("pages", async (t) => {
  const page = await open(t, task.many);
  await rowCount(page, 100);
  if (!(await page.locator(".status").textContent()).includes(`1 to 100 of ${task.runs}`)) t.fail(`the list says "${await page.locator(".status").textContent()}"`);
  await page.getByRole("checkbox").first().check();
  await page.getByRole("button", { name: "Next page" }).click();
  await rowCount(page, task.runs - 100);
  await page.getByRole("checkbox").first().check();
  // What is chosen stays so on another page.
  await page.getByRole("button", { name: "Put 2 side by side" }).waitFor();
  await shot(page, "chosen");
  await page.getByRole("button", { name: "Choose none" }).click();
  if (await page.locator(".bar").isVisible()) t.fail("nothing is chosen, and the bar stays");
  if (!(await page.getByRole("button", { name: "Next page" }).isDisabled())) t.fail("there is a page after the last one");
  for (const words of [...(await overflow(page)), ...(await contrast(page)), ...(await names(page)), ...page.complaints]) t.fail(words);
  await page.context().close();
});

await check("sort and search", async (t) => {
  const page = await open(t, task.many);
  await rowCount(page, 100);
  const targets = () => page.locator("tbody tr th > a").allTextContents();
  await page.getByRole("button", { name: "target" }).click();
  await page.waitForFunction(() => document.querySelector("tbody tr th a")?.textContent === "/srv/000");
  const sorted = await targets();
  if (sorted.join() !== [...sorted].sort().join()) t.fail(`sorted by target: ${sorted.slice(0, 5)}`);
  if ((await page.locator("th[aria-sort=ascending]").count()) !== 1) t.fail("a screen reader is not told what the list is sorted by");
  await page.getByRole("button", { name: "target" }).click();
  await page.waitForFunction((last) => document.querySelector("tbody tr th a")?.textContent >= last, sorted.at(-1));
  // A result of one's choice, the largest first.
  await page.getByLabel("Result").selectOption({ label: "rand-read-iops" });
  await page.getByRole("button", { name: "result" }).click();
  await page.waitForFunction(() => document.querySelector("tbody tr .result .number")?.textContent.startsWith("1.13k"));
  // Its trend has a mark for each run, also for those on other pages of the list.
  await page.locator(".trend .plot[data-drawn]").waitFor();
  if (!(await page.locator(".trend .title").textContent()).includes(`over ${task.runs} runs`)) t.fail(`the trend is called "${await page.locator(".trend .title").textContent()}"`);
  for (const p of await pixels(page)) if (p.colored < 200) t.fail(`the trend shows ${p.colored} coloured pixels`);
  await shot(page, "trend");
  // The address keeps all of it.
  await page.getByLabel("Search").fill("srv/007");
  await rowCount(page, 1);
  await page.waitForURL(/q=srv/);
  await page.reload();
  await rowCount(page, 1);
  if ((await page.getByLabel("Search").inputValue()) !== "srv/007") t.fail("after a reload the search is forgotten");
  await page.getByLabel("Search").fill("nothing is called this");
  await page.waitForFunction(() => /^None of/.test(document.querySelector(".status").textContent));
  for (const words of page.complaints) t.fail(words);
  await page.context().close();
});

await check("bundle", async (t) => {
  const page = await open(t, task.many);
  await rowCount(page, 100);
  const download = page.waitForEvent("download");
  await firstRow(page).getByRole("link", { name: /^Download/ }).click();
  const file = await download;
  const text = await readFile(await file.path());
  if (!file.suggestedFilename().endsWith(".tar") || text.length % 512 || !text.toString("latin1").includes("/report.json")) t.fail(`the bundle ${file.suggestedFilename()} has ${text.length} bytes`);
  await page.context().close();
});

await check("live", async (t) => {
  const page = await open(t, task.live);
  await rowCount(page, 1);
  if (!(await firstRow(page).textContent()).includes("running")) t.fail(`the list does not say that it is running: ${await firstRow(page).textContent()}`);
  await firstRow(page).getByRole("link").first().click();
  await page.waitForSelector(".pulse.running");
  await page.waitForFunction(() => document.querySelector(".plot[data-drawn]"));
  // The first chart and its caption grow, and the words above count on.
  const state = () =>
    page.evaluate(() => ({
      rounds: Number(/(\d+) repeats/.exec(document.querySelector("figcaption").textContent)?.[1] ?? 1),
      made: Number(/(\d+)( of at least \d+)? repeat/.exec(document.querySelector(".pulse").textContent)?.[1] ?? 0),
      pixels: document.querySelector(".plot canvas").toDataURL(),
    }));
  const before = await state();
  // The chart follows its caption with a later frame.
  await page.waitForFunction(
    (before) => Number(/(\d+) repeats/.exec(document.querySelector("figcaption").textContent)?.[1] ?? 1) >= before.rounds + 2 && document.querySelector(".plot canvas").toDataURL() !== before.pixels,
    before,
  );
  const after = await state();
  t.log(`${before.made} repeats and ${before.rounds} rounds, then ${after.made} and ${after.rounds} repeats`);
  if (after.made <= before.made || after.pixels === before.pixels) t.fail("the repeats are not counted on, or the chart is drawn as it was");
  const n = await drawn(page);
  for (const p of await pixels(page)) if (p.colored < 40) t.fail(`chart ${p.name} shows ${p.colored} coloured pixels`);
  if (n < 2 || (await page.locator("th", { hasText: "verdict" }).count()) > 0) t.fail(`${n} charts, and a verdict on what is not over`);
  for (const words of [...(await overflow(page)), ...(await contrast(page)), ...(await names(page)), ...page.complaints]) t.fail(words);
  await page.evaluate(() => scrollTo(0, 0));
  await shot(page, "live");

  // Its end brings the report.
  await fetch(task.stop);
  await page.waitForSelector("section#reproduce");
  if (!(await page.locator("main").textContent()).includes("interrupted")) t.fail("the report does not say how the run ended");
  for (const words of page.complaints) t.fail(words);
  await shot(page, "ended");
  await page.context().close();
});

await check("token", async (t) => {
  const context = await browser.newContext({ viewport: { width: 320, height: 640 }, colorScheme: "dark" });
  const page = await context.newPage();
  const asked = [];
  page.on("request", (r) => asked.push(r.url()));
  await page.goto(`${task.guarded}?q=srv%2F007`);
  await page.waitForURL(/\/login\?/);
  for (const words of [...(await overflow(page)), ...(await contrast(page)), ...(await names(page))]) t.fail(words);
  await shot(page, "login");
  await page.getByLabel("Token").fill("not the token at all");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Token").fill(task.token);
  await page.keyboard.press("Enter");
  // One arrives where one wanted to go.
  await page.waitForURL(/\?q=srv/);
  await rowCount(page, 1);
  if (asked.some((url) => url.includes(task.token))) t.fail("the token is in an address");
  if ((await page.evaluate(() => document.cookie)) !== "") t.fail("a script can read the cookie");
  await context.close();
});

await browser.close();
