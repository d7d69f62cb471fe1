// Writes the comment at the head of a built script: the packages whose code is in it,
// each with its license and its notice. internal/show/notices reads it back, so its form is
// that of the file there.
import { readFile, readdir } from "node:fs/promises";

const rule = "=".repeat(64);

// notices takes the files that a script was made of.
export async function notices(files) {
  const roots = new Set();
  for (const file of files) {
    const found = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll("\\", "/"));
    if (found) roots.add(found[1]);
  }
  if (roots.size === 0) return "";
  const entries = [];
  for (const root of [...roots].sort()) entries.push(await entry(root));
  const text = `/*! Third-party code in this script, and its licenses:\n${entries.join("")}${rule}\n*/\n`;
  // It stands in a comment of a script that stands in a page.
  if (text.slice(0, -3).includes("*/") || /<\/script|<!--/i.test(text)) throw new Error("a license text would end the comment or the script that it stands in");
  return text;
}

// entry is the notice of one package: every file of it that says who may do what.
async function entry(root) {
  const { name, version, license } = JSON.parse(await readFile(`${root}/package.json`, "utf8"));
  const folder = await readdir(`${root}/licenses`).catch(() => []);
  const all = (await readdir(root)).filter((f) => f !== "licenses").concat(folder.map((f) => `licenses/${f}`));
  const texts = all.filter((f) => /^(licenses\/)?(licen[cs]e|notice|copying|copyright)[^/]*$/i.test(f) && !/\.(js|ts|json|html)$/i.test(f)).sort();
  if (!license || texts.length === 0) throw new Error(`${name} ${version} does not say under which license it is: look at ${root}`);
  let text = `${rule}\n${name} ${version}\nLicense: ${license}\n`;
  for (const file of texts) text += `\n${(await readFile(`${root}/${file}`, "utf8")).replaceAll("\r\n", "\n").replace(/^\s*\/\*[!*\s]*|[*\s]*\*\/\s*$/g, "").trim()}\n`;
  return text;
}
