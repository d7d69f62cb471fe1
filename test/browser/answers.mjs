// Looks at the sentences at the top of pages, and at what else a page says in its own words.

import { task, browser, check, open, shot, drawn } from "./looks.mjs";

/** answer is what a page answers to a question. */
const answer = (page, question) => page.locator("#answers .answer", { has: page.locator("dt", { hasText: question }) }).first().locator("dd").textContent();

// The largest number of a sweep that is said is one that its table does not strike through.
await check("sweep", async (t) => {
  for (const [name, right, wrong] of [
    ["grid", ["At most 179k IOPS", "depth 8", "1 of 6 points is invalid and left out"], "267k"],
    ["none", ["No number can be trusted: all 6 points are invalid."], "IOPS"],
  ]) {
    const page = await open(t, task.pages[name]);
    const said = await answer(page, "How much load?");
    if (right.some((w) => !said.includes(w)) || said.includes(wrong)) t.fail(`${name} says: ${said}`);
    // Its table is not cut off, its advice has only commands in monospace, and they break between words.
    const wide = await page.evaluate(() => [...document.querySelectorAll(".scroll:has(> .results)")].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => `${e.scrollWidth} px of ${e.clientWidth}`));
    if (wide.length) t.fail(`${name}: a table is cut off: ${wide.join(", ")}`);
    const advice = await page.locator("#findings .next").allTextContents();
    const typed = await page.locator("#findings .next code").allTextContents();
    if (!advice.some((w) => w.startsWith("Next: give it a faster CPU")) || typed.length < 2 || typed.some((w) => !w.startsWith("loadline "))) t.fail(`the advice is ${advice.join(" | ")}, and as commands: ${typed.join(" | ")}`);
    await page.context().close();
  }
});

// A narrow chart of a comparison keeps the place of no change, and the words that tell what the marks are.
await check("narrow", async (t) => {
  const page = await open(t, task.pages.compared);
  await page.setViewportSize({ width: 390, height: 900 });
  await drawn(page);
  await page.locator("#comparison figure").first().scrollIntoViewIfNeeded();
  const side = await page.evaluate(() => document.documentElement.scrollWidth);
  if (side > 390) t.fail(`the page is ${side} px wide`);
  await shot(page, "compared-390");
  await page.context().close();
});

// The answers of a page with a comparison have the numbers of its table, and what differs from them is explained.
await check("comparison", async (t) => {
  const page = await open(t, task.pages.compared);
  for (const [side, value] of [["A", "40.6k IOPS"], ["B", "50.6k IOPS"]]) {
    const said = await answer(page, `How fast? (${side})`);
    if (!said.includes(value) || !(await page.locator("#comparison table.results").innerText()).includes(value)) t.fail(`${side} is said to be: ${said}`);
  }
  if (!(await page.locator("#comparison .legend").innerText()).includes("geometric means")) t.fail("nothing says why the results of each run differ");
  // The contents tell whose part of a section an entry is.
  const entries = await page.locator(".contents ul ul a").allTextContents();
  if (entries.length < 2 || new Set(entries).size !== entries.length) t.fail(`the contents are ${entries.join(", ")}`);
  await page.context().close();
});

await browser.close();
