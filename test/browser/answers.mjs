// Looks at the sentences at the top of pages, and at what else a page says in its own words.

import { task, browser, check, open, shot, drawn } from "./looks.mjs";

/** answer is what a page answers to a question. */
const answer = (page, question) => page.locator("#answers .answer", { has: page.locator("dt", { hasText: question }) }).first().locator("dd").textContent();

// The largest number of a sweep that is said is one that its table does not strike through.
await check("sweep", async (t) => {
  for (const [name, right, wrong] of [
    ["grid", ["At most 179k IOPS", "depth 8", "without 1 point of 6 that is invalid"], "267k"],
    ["none", ["No number can be trusted: all 6 points are invalid."], "IOPS"],
  ]) {
    const page = await open(t, task.pages[name]);
    const said = await answer(page, "How much load?");
    if (right.some((w) => !said.includes(w)) || said.includes(wrong)) t.fail(`${name} says: ${said}`);
    await page.context().close();
  }
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
