// Docs that grow along one dimension each. All texts are the same in each run.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { png } from "../png.mjs";
import { texts } from "./texts.mjs";

function write(docs, path, text) {
  const file = join(docs, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Writes `docs.json` with a navigation and other keys. */
function configure(docs, navigation, others = {}) {
  const configuration = { $schema: "https://mintlify.com/docs.json", theme: "mint", name: "Growth", colors: { primary: "#0f766e" }, navigation, ...others };
  write(docs, "docs.json", JSON.stringify(configuration));
}

const numbers = (count) => Array.from({ length: count }, (_, number) => number);
const page = (title, body) => `---\ntitle: "${title}"\n---\n\n${body}\n`;

/** A page of about 2 kB with three sections. */
function ordinary(title, text) {
  return page(title, numbers(3).map((place) => `## Section ${place}\n\n${text.paragraph()}`).join("\n\n"));
}

/** Groups of 50 pages. */
function grouped(pages) {
  return numbers(Math.ceil(pages.length / 50)).map((group) => ({ group: `Group ${group}`, pages: pages.slice(group * 50, group * 50 + 50) }));
}

/** Groups of 50 pages, written below a folder. */
function groups(docs, count, text, below = "") {
  const pages = numbers(count).map((number) => `${below}group-${Math.floor(number / 50)}/page-${number}`);
  pages.forEach((path, number) => write(docs, `${path}.mdx`, ordinary(`Page ${number}`, text)));
  return grouped(pages);
}

/** An API spec with operations and schemas, and the pages that it makes. */
function describe(docs, paths, schemas) {
  const description = { openapi: "3.1.0", info: { title: "Growth", version: "1" }, servers: [{ url: "https://api.example.com" }], paths, components: { schemas } };
  write(docs, "openapi.json", JSON.stringify(description));
  write(docs, "index.mdx", page("Start", "Text."));
  configure(docs, { groups: [{ group: "Start", pages: ["index"] }, { group: "API", openapi: "openapi.json" }] });
}

/** What grows: the sizes to measure, and a function that writes docs with a number of units. */
export const DIMENSIONS = {
  pages: {
    sizes: [1_000, 5_000, 25_000, 100_000],
    make: (docs, count) => configure(docs, { groups: groups(docs, count, texts()) }),
  },
  "entries of a group": {
    sizes: [250, 500, 1_000, 2_000],
    make(docs, count) {
      const [text, pages] = [texts(), numbers(count).map((number) => `page-${number}`)];
      for (const path of pages) write(docs, `${path}.mdx`, ordinary(path, text));
      configure(docs, { groups: [{ group: "All", pages }] });
    },
  },
  languages: {
    sizes: [5, 10, 20, 40],
    make(docs, count) {
      const codes = "en cn zh zh-Hans zh-Hant es fr fr-CA ja jp pt pt-BR de ko it ru ro cs id ar tr hi sv no lv nl uk vi pl uz he fi hu da el bg th fa ms ca".split(" ");
      const text = texts();
      configure(docs, { languages: codes.slice(0, count).map((language) => ({ language, groups: groups(docs, 100, text, `${language}/`) })) });
    },
  },
  versions: {
    sizes: [5, 10, 20, 40],
    make(docs, count) {
      const text = texts();
      configure(docs, { versions: numbers(count).map((number) => ({ version: `v${number}`, groups: groups(docs, 100, text, `v${number}/`) })) });
    },
  },
  operations: {
    sizes: [500, 1_000, 2_000, 4_000],
    make(docs, count) {
      const text = texts();
      const operation = (number) => ({
        summary: `Operation ${number}`, description: text.sentence(), tags: [`Tag ${number % 20}`],
        parameters: [{ name: "id", in: "query", description: text.sentence(), schema: { type: "string" } }],
        requestBody: { content: { "application/json": { schema: { type: "object", properties: { name: { type: "string", description: text.sentence() }, count: { type: "integer" } } } } } },
        responses: { 200: { description: "Done", content: { "application/json": { schema: { $ref: "#/components/schemas/Item" } } } } },
      });
      const paths = Object.fromEntries(numbers(count).map((number) => [`/items/${number}`, { post: operation(number) }]));
      describe(docs, paths, { Item: { type: "object", properties: { id: { type: "string" }, tags: { type: "array", items: { type: "string" } } } } });
    },
  },
  schemas: {
    sizes: [500, 1_000, 2_000, 4_000],
    // Each operation shows one schema, and each schema names two others.
    make(docs, count) {
      const text = texts();
      const schema = (number) => ({ type: "object", description: text.sentence(), properties: { name: { type: "string" }, next: { $ref: `#/components/schemas/S${(number * 7 + 1) % count}` }, other: { $ref: `#/components/schemas/S${(number * 3 + 2) % count}` } } });
      const paths = Object.fromEntries(numbers(50).map((number) => [`/items/${number}`, { get: { summary: `Operation ${number}`, responses: { 200: { description: "Done", content: { "application/json": { schema: { $ref: `#/components/schemas/S${Math.floor((number * count) / 50)}` } } } } } } }]));
      describe(docs, paths, Object.fromEntries(numbers(count).map((number) => [`S${number}`, schema(number)])));
    },
  },
  "properties of a schema": {
    sizes: [500, 1_000, 2_000, 4_000],
    make(docs, count) {
      const text = texts();
      const properties = Object.fromEntries(numbers(count).map((number) => [`property_${number}`, { type: "string", description: text.sentence() }]));
      describe(docs, { "/items": { get: { summary: "Operation", responses: { 200: { description: "Done", content: { "application/json": { schema: { type: "object", properties } } } } } } } }, {});
    },
  },
  redirects: {
    sizes: [1_000, 4_000, 16_000, 64_000],
    make(docs, count) {
      const made = groups(docs, 100, texts());
      const redirects = numbers(count).map((number) => ({ source: `/old/${number}`, destination: `/group-0/page-${number % 50}#section-1` }));
      configure(docs, { groups: made }, { redirects });
    },
  },
  "redirects with patterns": {
    sizes: [250, 500, 1_000, 2_000],
    make(docs, count) {
      const made = groups(docs, 1_000, texts());
      const redirects = numbers(count).map((number) => ({ source: `/old-${number}/:slug*`, destination: "/group-0/page-0" }));
      configure(docs, { groups: made }, { redirects });
    },
  },
  snippets: {
    sizes: [500, 1_000, 2_000, 4_000],
    // One page shows all of them, and each page shows one.
    make(docs, count) {
      const text = texts();
      const pages = numbers(count).map((number) => {
        write(docs, `snippets/s${number}.mdx`, text.paragraph());
        write(docs, `page-${number}.mdx`, page(`Page ${number}`, `import One from "/snippets/s${number}.mdx";\n\n<One />`));
        return `page-${number}`;
      });
      const imports = numbers(count).map((number) => `import S${number} from "/snippets/s${number}.mdx";`).join("\n");
      write(docs, "all.mdx", page("All", `${imports}\n\n${numbers(count).map((number) => `<S${number} />`).join("\n\n")}`));
      configure(docs, { groups: [{ group: "Start", pages: ["all"] }, ...grouped(pages)] });
    },
  },
  images: {
    sizes: [500, 1_000, 2_000, 4_000],
    make(docs, count) {
      for (const number of numbers(count)) write(docs, `images/${number}.png`, png(number + 1, 1, (number + 1) % 251));
      const pages = numbers(Math.ceil(count / 10)).map((number) => {
        const shown = numbers(10).map((place) => `![Image](/images/${(number * 10 + place) % count}.png)`);
        write(docs, `page-${number}.mdx`, page(`Page ${number}`, shown.join("\n\n")));
        return `page-${number}`;
      });
      configure(docs, { groups: grouped(pages) });
    },
  },
  "links between pages": {
    sizes: [10_000, 20_000, 40_000, 80_000],
    make(docs, count) {
      const text = texts();
      const pages = numbers(500).map((number) => `page-${number}`);
      for (const path of pages) write(docs, `${path}.mdx`, page(path, numbers(Math.ceil(count / 500)).map(() => `[Link](/page-${text.random(500)})`).join("\n\n")));
      configure(docs, { groups: grouped(pages) });
    },
  },
  "broken links": {
    sizes: [1_000, 2_000, 4_000, 8_000],
    // Also more pages that could be meant.
    make(docs, count) {
      const pages = numbers(Math.ceil(count / 4)).map((number) => `page-${number}`);
      pages.forEach((path, number) => write(docs, `${path}.mdx`, page(path, numbers(4).map((place) => `[Link](/pgae-${number}-${place})`).join("\n\n"))));
      configure(docs, { groups: grouped(pages) });
    },
  },
  "entries without a page": {
    sizes: [500, 1_000, 2_000, 4_000],
    make(docs, count) {
      const made = groups(docs, count, texts());
      for (const { pages } of made) pages.push(...pages.map((path) => `${path}-gone`));
      configure(docs, { groups: made });
    },
  },
  "redirects that loop": {
    sizes: [500, 1_000, 2_000, 4_000],
    make(docs, count) {
      const redirects = numbers(count).map((number) => ({ source: `/old/${number}`, destination: `/old/${(number + 1) % count}` }));
      configure(docs, { groups: groups(docs, 100, texts()) }, { redirects });
    },
  },
  "sections of a page": {
    sizes: [500, 1_000, 2_000, 4_000],
    make(docs, count) {
      const text = texts();
      write(docs, "index.mdx", page("Long", numbers(count).map((number) => `## Section ${number}\n\n${text.paragraph()}`).join("\n\n")));
      configure(docs, { groups: [{ group: "Start", pages: ["index"] }] });
    },
  },
  "lines of code on a page": {
    sizes: [2_500, 5_000, 10_000, 20_000],
    make(docs, count) {
      const text = texts();
      const code = numbers(count).map((number) => `const value${number} = call(${text.random(1000)}); // ${text.sentence()}`);
      write(docs, "index.mdx", page("Code", `\`\`\`js\n${code.join("\n")}\n\`\`\``));
      configure(docs, { groups: [{ group: "Start", pages: ["index"] }] });
    },
  },
  "rows of a table": {
    sizes: [500, 1_000, 2_000, 4_000],
    make(docs, count) {
      const text = texts();
      const rows = numbers(count).map((number) => `| ${number} | ${text.sentence()} | [Start](/) |`);
      write(docs, "index.mdx", page("Table", `| A | B | C |\n| --- | --- | --- |\n${rows.join("\n")}`));
      configure(docs, { groups: [{ group: "Start", pages: ["index"] }] });
    },
  },
};
