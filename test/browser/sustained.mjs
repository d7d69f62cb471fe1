// Looks at a comparison with rows of sustained rates.

import { task, browser, check, open, shot, drawn, overflow, contrast, names } from "./looks.mjs";

await check("notes", async (t) => {
  const page = await open(t, task.pages.sustained);
  await drawn(page);
  const notes = await page.locator("#comparison .footnotes li").allTextContents();
  if (JSON.stringify(notes) !== JSON.stringify(task.notes)) t.fail(`the notes are ${JSON.stringify(notes)}, want ${JSON.stringify(task.notes)}`);
  const verdicts = await page.locator("#comparison table.results tbody tr td.verdict").allTextContents();
  const numbers = verdicts.map((words) => [...words.matchAll(/note (\d+)/g)].map((m) => Number(m[1])));
  const want = task.rows.map((list) => list ?? []);
  const sustained = verdicts.map((words) => words.includes("sustained rates, note "));
  if (JSON.stringify(sustained) !== JSON.stringify(task.sustained)) t.fail(`the rows of sustained rates are ${JSON.stringify(sustained)}, want ${JSON.stringify(task.sustained)}`);
  if (JSON.stringify(numbers) !== JSON.stringify(want)) t.fail(`the rows have the notes ${JSON.stringify(numbers)}, want ${JSON.stringify(want)}`);
  if (await page.evaluate(() => window.pwned !== undefined || document.querySelector("main img, main script"))) t.fail("a text has become an element, or run");
  for (const words of page.complaints) t.fail(words);
  for (const [width, scheme] of [[1280, "light"], [390, "dark"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    await drawn(page);
    for (const words of [...(await overflow(page)), ...(await contrast(page)), ...(await names(page))]) t.fail(`at ${width} px, ${scheme}: ${words}`);
    await page.evaluate(() => scrollTo(0, 0));
    await shot(page, `sustained-${width}-${scheme}`, { fullPage: true });
  }
  await page.context().close();
});

await browser.close();
