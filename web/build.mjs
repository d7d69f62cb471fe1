// Builds each entry into one classic script and one style sheet, for embedding.
// The names are fixed and nothing of this machine gets into the files, so that the
// same sources give the same bytes everywhere.
import { build } from "vite";
import { readFile, rm, writeFile } from "node:fs/promises";
import { notices } from "./notices.mjs";

// Each entry: its name in src/, and the directory that embeds it.
const entries = [
  { name: "report", out: "../internal/report/html/assets" },
  { name: "library", out: "../internal/serve/assets" },
];

// With an argument the files go to a folder of that name instead, to be compared.
const elsewhere = process.argv[2];

for (const { name, out } of entries) {
  const outDir = elsewhere ? `${elsewhere}/${name}` : out;
  await rm(outDir, { recursive: true, force: true });
  const built = await build({
    configFile: false,
    root: import.meta.dirname ?? new URL(".", import.meta.url).pathname,
    logLevel: "warn",
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
    },
  });
  // Whoever has the script has the licences of what is in it: it is embedded in the
  // program, and copied into every page that the program writes.
  const script = `${outDir}/${name}.js`;
  const modules = [built].flat().flatMap((b) => b.output).flatMap((chunk) => Object.entries(chunk.modules ?? {}));
  const linked = modules.filter(([, m]) => m.renderedLength > 0).map(([id]) => id);
  await writeFile(script, (await notices(linked)) + (await readFile(script, "utf8")));
}
