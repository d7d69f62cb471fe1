// Builds each entry into one classic script and one style sheet, for embedding.
// The names are fixed and nothing of this machine gets into the files, so that the
// same sources give the same bytes everywhere.
import { build } from "vite";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { notices } from "./notices.mjs";

// Each entry: its name in src/, and the directory that embeds it. The library is built
// second, because it takes the page from the report's script.
const entries = [
  { name: "report", out: "../internal/show/report/html/assets" },
  { name: "library", out: "../internal/show/serve/assets" },
];

// With an argument the files go to a folder of that name instead, to be compared.
const elsewhere = process.argv[2];

// given are the modules that the report's script shows to the library (src/shared.ts).
let given = [];

// taken makes the library ask the report's script for a module instead of having it.
const src = new URL("src", import.meta.url).pathname;
const taken = {
  name: "taken",
  enforce: "pre",
  resolveId(id, importer) {
    if (!importer || !id.startsWith(".") || id.endsWith(".css")) return null;
    const path = relative(src, resolve(dirname(importer), id));
    if (path.startsWith("library")) return null;
    const name = path.replaceAll("/", "_");
    if (!given.includes(name)) throw new Error(`src/shared.ts does not show ${path} to ${relative(src, importer)}`);
    return { id: `loadline.${name}`, external: true };
  },
};

for (const { name, out } of entries) {
  const outDir = elsewhere ? `${elsewhere}/${name}` : out;
  await rm(outDir, { recursive: true, force: true });
  const built = await build({
    configFile: false,
    root: import.meta.dirname ?? new URL(".", import.meta.url).pathname,
    logLevel: "warn",
    plugins: name === "library" ? [taken] : [],
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2020",
      minify: "esbuild",
      cssMinify: "esbuild",
      reportCompressedSize: false,
      copyPublicDir: false,
      lib: { entry: `src/${name}.ts`, formats: ["iife"], name: "loadline", fileName: () => `${name}.js`, cssFileName: name },
      rollupOptions: { output: { globals: (id) => id } },
    },
  });
  // Whoever has the script has the licenses of what is in it: it is embedded in the
  // program, and copied into every page that the program writes.
  const script = `${outDir}/${name}.js`;
  const output = [built].flat().flatMap((b) => b.output);
  if (name === "report") given = output.flatMap((chunk) => chunk.exports ?? []);
  const modules = output.flatMap((chunk) => Object.entries(chunk.modules ?? {}));
  const linked = modules.filter(([, m]) => m.renderedLength > 0).map(([id]) => id);
  const code = await readFile(script, "utf8");
  // What the library keeps to itself must not stand in the place of the page's own.
  await writeFile(script, (await notices(linked)) + (name === "library" ? `(()=>{${code.trimEnd()}})();\n` : code));
}
