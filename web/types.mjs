// Writes src/documents.ts, the types of the documents, from their schemas in docs/.
// With an argument it goes to the file of that name instead, to be compared.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

// The schemas of what a page is made of, and the names of the types of their documents: none if each of several
// definitions is a document.
const documents = { report: "Report", comparison: "Comparison", durability: "DurabilityReport", reference: "Reference", explanation: "Explanation", trace: "TraceReport", "trace-comparison": "TraceComparison", library: "" };

// A definition that several schemas have is that of the first, but for these, which mean
// something else in a schema that comes later.
const renamed = {
  "comparison#ratio": "ChangeRatio",
  "report#number": "Num",
  "explanation#row": "BudgetRow",
  "explanation#part": "BudgetPart",
  "explanation#unit": "BudgetUnit",
  "explanation#comparison": "BudgetComparison",
  "trace#run": "TraceRun",
  "trace#device": "TraceDevice",
  "trace#row": "TraceRow",
  "trace#kind": "TraceKind",
  "trace#operation": "Operation",
  "trace-comparison#row": "ComparedRow",
};

// Members that are documents of their own: JSON schema says so in words.
const embedded = {
  "Report.comparison": "Comparison",
  "Report.durability": ["DurabilityReport"],
  "Report.budgets": ["budget"],
  "Comparison.budgets": ["BudgetComparison"],
  "view.reports": ["Report"],
  "view.comparisons": ["Comparison"],
  "view.durability": ["DurabilityReport"],
  "view.traces": ["TraceReport"],
  "update.report": "Report",
};

const $defs = {};
for (const [file, document] of Object.entries(documents)) {
  const schema = JSON.parse(await readFile(new URL(`../docs/${file}.schema.json`, import.meta.url), "utf8"));
  const named = (of, def) => renamed[`${of}#${def}`] ?? renamed[`report#${def}`] ?? def;
  // The generator reads references within one schema, and makes a type of its own where one
  // has a description. That an object must have one of several members, and a list at least
  // so many, would make types that nobody can build; a list of just so many is a tuple.
  const local = (value) => {
    if (Array.isArray(value)) return value.map(local);
    if (!value || typeof value !== "object") return value;
    if (value.$ref) {
      const [, of, def] = /^(?:(\w+)\.schema\.json)?#\/\$defs\/(\w+)$/.exec(value.$ref);
      return { $ref: `#/$defs/${named(of ?? file, def)}` };
    }
    const { oneOf, not, ...rest } = value;
    if (rest.maxItems === undefined) delete rest.minItems;
    return Object.fromEntries(Object.entries(rest).map(([k, v]) => [k, local(v)]));
  };
  const { $defs: defs, $schema, $id, title, ...root } = schema;
  for (const [def, value] of Object.entries(defs ?? {})) $defs[named(file, def)] ??= local(value);
  if (document) $defs[document] = local(root);
}
for (const [member, to] of Object.entries(embedded)) {
  const [document, name] = member.split(".");
  const ref = { $ref: `#/$defs/${[to].flat()[0]}` };
  $defs[document].properties[name] = Array.isArray(to) ? { type: "array", items: ref } : ref;
}
const all = { $defs, type: "object", properties: Object.fromEntries(Object.values(documents).filter(Boolean).map((n) => [n, { $ref: `#/$defs/${n}` }])) };
const text = await compile(all, "All", {
  additionalProperties: false,
  bannerComment: "// Made from the schemas in docs/ by types.mjs (make web): do not change it by hand.",
  unreachableDefinitions: true,
  style: { printWidth: 160 },
});
// Where in the schema it found a definition is no news.
const lean = text.replace(/\n *\*\n *\* This interface was referenced by `All`'s JSON-Schema\n *\* via the `definition` "[^"]*"\.(?=\n)/g, "").replace(/\/\*\*\n *\* This interface was referenced by `All`'s JSON-Schema\n *\* via the `definition` "[^"]*"\.\n *\*\/\n/g, "");
await writeFile(process.argv[2] ?? new URL("src/documents.ts", import.meta.url), lean);
