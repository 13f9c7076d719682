// Edits of pages. Each returns what it did, or `undefined` if the docs don't have what it needs.

import { png } from "../png.mjs";
import { changeFile, exchangeFiles } from "./change.mjs";
import { addBlock, addImport, headings, replaceLine, sentences, setFrontmatter, slug, words } from "./texts.mjs";

/** Values of keys of the frontmatter. */
const FRONTMATTER = {
  title: ["Install", "'A: title'", "Guide", "Über uns", "{product} guide"], sidebarTitle: ["Setup", "Short"],
  description: ["From nothing to a site.", "With `code` and [a link](/index)"], icon: ["rocket", "book", "/logo.svg"],
  iconType: ["regular", "solid"], tag: ["NEW", "deprecated"], mode: ["wide", "center", "frame", "custom", "default"],
  hidden: ["true"], noindex: ["true"], searchable: ["false"], boost: ["2", "0.5"], keywords: ["[sso, login]"],
  deprecated: ["true"], url: ["https://example.com"], openapi: ["GET /edited"], api: ["GET https://api.example.com/edited"],
  authMethod: ["bearer", "none"], playground: ["none"], hideApiMarker: ["true"], hideFooterPagination: ["true"],
  related: ["[index, {Other: /quickstart}]"], contextual: ["{options: [claude]}", "{options: []}"], timestamp: ["true", "false"],
  lastUpdatedDate: ["2026-01-31"], rss: ["true"], canonical: ["https://example.com/install"], robots: ["noindex"],
  '"og:title"': ["Install Acme"], unknown: ["value"], version: ["2.0"], groups: ["[admin]"],
};

/** Blocks that pages can contain. */
const BLOCKS = [
  "<Note>\n  A note with [a link](/).\n</Note>", "<Card title=\"More\" icon=\"star\" href=\"/edited\">Text.</Card>",
  "<Tabs>\n  <Tab title=\"One\">First.</Tab>\n  <Tab title=\"Two\">Second.</Tab>\n</Tabs>",
  "<Accordion title=\"Details\">Hidden text.</Accordion>", "<Steps>\n  <Step title=\"First\">Begin.</Step>\n</Steps>",
  "```js title=\"a.js\" {1}\nconst edited = 1;\n```", "```python\nprint('edited')\n```", "```mermaid\ngraph TD; A-->B\n```",
  "$$\nx^2 + y_1\n$$", "| A | B |\n| - | - |\n| 1 | 2 |", "<Icon icon=\"leaf\" />", "Text with {edited} variables.",
  "<Update label=\"May 2026\" description=\"v2\">A change.</Update>", "{/* docwright-ignore broken-link */}\n\n[x](/no-such-page)",
  "<ParamField path=\"edited\" type=\"string\" required>A field.</ParamField>", "<Tooltip tip=\"A tip\">word</Tooltip>",
  "<Frame caption=\"Missing\"><img src=\"/no-such-image.png\" /></Frame>", "<Unknown>text</Unknown>", "<div>not closed",
  "export const added = 1\n\nIt is {added + 1}.", "<Snippet file=\"edited-old.mdx\" />", "Footnote.[^edited]\n\n[^edited]: The note.",
  "## Repeated heading\n\n## Repeated heading", "![inline](data:image/gif;base64,R0lGODlhAQABAAAAACw=)",
];

const url = (path) => `/${path.replace(/\.mdx?$/, "")}`;

/** Changes the text of a random page. */
function changePage(place, what, change) {
  return changeFile(place, place.docs.pages(), what, change);
}

/** A page, or a fragment of one, that links can lead to. */
function target({ docs, random }) {
  const page = random.one(docs.pages());
  const heading = random.one(headings(docs.read(page)));
  if (!heading || random.chance(0.4)) return url(page);
  const name = heading.line.replace(/^#+ /, "");
  docs.memory.headings.push({ page, line: heading.line });
  return `${url(page)}#${slug(name)}`;
}

export const PAGE_EDITS = {
  "sentence changed": (place) =>
    changePage(place, "sentence changed", (text) => {
      const at = place.random.one(sentences(text));
      return at && replaceLine(text, at, (line) => `${line} ${words(place.random)}.`);
    }),
  "sentence removed": (place) =>
    changePage(place, "sentence removed", (text) => {
      const at = place.random.one(sentences(text));
      return at && replaceLine(text, at, () => "");
    }),
  "paragraph added": (place) =>
    changePage(place, "paragraph added", (text) => addBlock(text, `${words(place.random, 20)}.`, place.random)),
  "block added": (place) => {
    const block = place.random.one(BLOCKS);
    return changePage(place, `block ${JSON.stringify(block)} added`, (text) => addBlock(text, block, place.random));
  },
  "frontmatter set": (place) => {
    const key = place.random.one(Object.keys(FRONTMATTER));
    const value = place.random.one(FRONTMATTER[key]);
    return changePage(place, `${key} set to ${value}`, (text) => setFrontmatter(text, key, value));
  },
  "title changed": (place) => {
    const title = words(place.random, 3);
    return changePage(place, `title ${title}`, (text) => setFrontmatter(text, "title", title));
  },
  "frontmatter removed": (place) => {
    let key;
    const changed = changePage(place, "key removed", (text) => {
      const keys = [.../^---\r?\n([^]*?)\r?\n---/.exec(text)?.[1].matchAll(/^([\w":]+?):/gm) ?? []].map((found) => found[1]);
      key = place.random.one(keys);
      return key && setFrontmatter(text, key);
    });
    return changed && `${changed}: ${key}`;
  },
  "frontmatter broken": (place) =>
    changePage(place, "frontmatter broken", (text) => setFrontmatter(text, "description", "\"not closed")),
  "heading renamed": (place) => {
    const { docs, random } = place;
    const linked = random.chance(0.6) && random.one(docs.memory.headings);
    const page = linked ? linked.page : random.one(docs.pages());
    if (!docs.has(page)) return undefined;
    const text = docs.read(page);
    const found = headings(text);
    const heading = (linked && found.find(({ line }) => line === linked.line)) || random.one(found);
    if (!heading) return undefined;
    docs.write(page, replaceLine(text, heading.number, (line) => `${line.trimEnd()} ${words(random, 1)}`));
    return `${page}: heading ${heading.line} renamed`;
  },
  "link added": (place) => {
    const link = target(place);
    return changePage(place, `link to ${link} added`, (text) => addBlock(text, `See [this place](${link}).`, place.random));
  },
  "broken link added": (place) => {
    const { random } = place;
    const link = random.one([target(place) + random.one(["x", "/none", "#gone"]), target(place).toUpperCase(), "/edited/page", "./nowhere"]);
    return changePage(place, `broken link to ${link} added`, (text) => addBlock(text, `See [nothing](${link}).`, random));
  },
  "link changed": (place) => {
    const link = target(place);
    return changePage(place, `a link leads to ${link} now`, (text) => text.replace(/\]\(\/[^)\s]*\)/, () => `](${link})`));
  },
  "page emptied": (place) => changePage(place, "emptied", () => ""),
  "line endings changed": (place) =>
    changePage(place, "line endings changed", (text) => (text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text.replaceAll("\n", "\r\n"))),
  "not UTF-8": (place) => {
    const page = place.random.one(place.docs.pages());
    place.docs.write(page, Buffer.concat([Buffer.from(place.docs.read(page)), Buffer.from([0x0a, 0xff, 0xfe, 0x0a])]));
    return `${page}: not UTF-8`;
  },
  "page deleted": ({ docs, random }) => {
    const page = random.one(docs.pages());
    docs.remove(page);
    return `${page} deleted`;
  },
  "page copied": ({ docs, random }) => {
    const page = random.one(docs.pages());
    const copy = random.one([`edited/copy-${random.below(1000)}.mdx`, page.replace(/\.mdx?$/, "-copy.mdx"), page.replace(/\.mdx?$/, "/index.mdx")]);
    return docs.write(copy, docs.read(page)) ? `${page} copied to ${copy}` : undefined;
  },
  "pages exchanged": (place) => exchangeFiles(place, place.docs.pages()),
  "component added": (place) => {
    const { docs, random } = place;
    const name = `Edited${random.below(1000)}`;
    const path = `snippets/edited/${name}.jsx`;
    docs.memory.components.push(path);
    docs.write(path, `export const ${name} = ({ start }) => {\n  const [count, setCount] = useState(start);\n  return <button onClick={() => setCount(count + 1)}>Count {count}</button>;\n};\n`);
    return changePage(place, `component ${path} added`, (text) => addImport(text, `import { ${name} } from '/${path}'`, `<${name} start={${random.below(9)}} />`)) ?? `${path} added`;
  },
  "snippet added": (place) => {
    const { docs, random } = place;
    const [inner, outer] = [`snippets/edited/inner-${random.below(1000)}.mdx`, `snippets/edited/outer-${random.below(1000)}.mdx`];
    docs.memory.snippets.push(inner, outer);
    docs.write(inner, `export const color = 'red'\n\nInside, it is {color}.\n`);
    docs.write(outer, `import Inner from '/${inner}'\n\n### Shared ${random.below(100)}\n\nOutside, {props.word}.\n\n<Inner />\n\n![Picture](/images/edited-shared.png)\n`);
    if (random.chance(0.5)) docs.write("images/edited-shared.png", png(10 + random.below(90), 20, 9));
    const add = (text) => addImport(text, `import Outer from '/${outer}'`, "<Outer word=\"one\" />");
    changePage(place, "", add);
    return `${changePage(place, "", add) ?? "nothing"} snippet ${outer} added`;
  },
};
