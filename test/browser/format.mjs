// Writes the values and words that come in on standard input as the page would.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const web = new URL("../../web/", import.meta.url);
const { transformSync } = createRequire(new URL("package.json", web))("esbuild");
const { code } = transformSync(readFileSync(new URL("src/format.ts", web), "utf8"), { loader: "ts", format: "esm" });
const format = await import("data:text/javascript," + encodeURIComponent(code));
const { values, words } = JSON.parse(readFileSync(0, "utf8"));
const whole = values.map(Math.trunc);
console.log(
  JSON.stringify({
    rate: values.map(format.rate),
    bandwidth: values.map(format.bandwidth),
    duration: values.map(format.duration),
    span: values.map(format.span),
    size: values.map(format.size),
    block: whole.map(format.block),
    share: values.filter((v) => v > 0).map(format.percent),
    change: values.filter((v) => v > 0).map(format.change),
    quoted: words.map(format.shellWord),
  }),
);
