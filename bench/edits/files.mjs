// Edits of files that aren't pages: snippets, components, images, styles, scripts, API specs, and settings.

import { png } from "../png.mjs";
import { changeFile, exchangeFiles } from "./change.mjs";
import { addBlock, sentences, replaceLine, words } from "./texts.mjs";

/** Changes one of the places that a pattern matches. */
function changeMatch(text, pattern, random, change) {
  const match = random.one([...text.matchAll(pattern)]);
  return match && text.slice(0, match.index) + change(match[0]) + text.slice(match.index + match[0].length);
}

/** Files of API specs. */
function specs(docs) {
  const candidates = docs.files(".json", ".yaml", ".yml").filter((path) => !path.startsWith(".") && path !== docs.configuration);
  docs.memory.specs ??= candidates.filter((path) => /["']?(openapi|swagger|asyncapi)["']?\s*:\s*["']?\d/.test(docs.read(path).slice(0, 2000)));
  return docs.memory.specs;
}

/** The value of JSON. `undefined` if an edit broke it. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Files that edits add, by their ending. */
const EXTENSION = { ".css": "p { color: red }", ".js": "console.log('edited');", ".txt": "Text.", ".json": "{\"edited\": 1}" };

export const FILE_EDITS = {
  "snippet changed": (place) => {
    const { docs, random } = place;
    const added = random.chance(0.4) ? docs.memory.snippets : docs.snippets();
    return changeFile(place, added, "snippet changed", (text) => {
      const at = random.one(sentences(text));
      if (at === undefined || random.chance(0.3)) return addBlock(text, `${words(random, 9)}.`, random);
      return replaceLine(text, at, (line) => `${line} ${words(random)}.`);
    });
  },
  "nested snippet changed": (place) =>
    changeFile(place, place.docs.memory.snippets, "nested snippet changed", (text) =>
      text.replace(/'\w+'/, `'${words(place.random, 1)}'`).replace(/### .*/, `### Shared ${place.random.below(100)}`)),
  "snippet deleted": ({ docs, random }) => {
    const path = random.one([...docs.snippets(), ...docs.memory.components].filter((each) => docs.has(each)));
    if (path) docs.remove(path);
    return path && `${path} deleted`;
  },
  "component changed": (place) => {
    const { docs, random } = place;
    const paths = [...docs.files(".jsx", ".tsx"), ...docs.memory.components];
    return changeFile(place, paths, "component changed", (text) => changeMatch(text, />[A-Z][\w ]{2,}|\d+/g, random, (found) => `${found}1`));
  },
  "old snippet changed": ({ docs, random }) => {
    docs.write("snippets/edited-old.mdx", `An old snippet of ${words(random)}.\n`);
    return "snippets/edited-old.mdx changed";
  },
  "image added": (place) => {
    const { docs, random } = place;
    const path = `images/edited-${random.below(20)}.png`;
    docs.write(path, png(1 + random.below(300), 1 + random.below(300), random.below(256)));
    changeFile(place, docs.pages(), "", (text) => addBlock(text, random.one([`![Edited](/${path})`, `<Frame><img src="/${path}" /></Frame>`]), random));
    return `${path} added`;
  },
  "image replaced": ({ docs, random }) => {
    const path = random.one(docs.images());
    if (path) docs.write(path, png(1 + random.below(300), 1 + random.below(300), random.below(256)));
    return path && `${path} replaced`;
  },
  "image repainted": ({ docs, random }) => {
    const path = random.one(docs.images());
    const modified = path && docs.modified(path);
    if (path) docs.write(path, png(40, 30, random.below(256)));
    if (path && random.chance(0.5)) docs.touch(path, modified);
    return path && `${path} repainted`;
  },
  "images exchanged": (place) => exchangeFiles(place, place.docs.images()),
  "image deleted": ({ docs, random }) => {
    const path = random.one(docs.images());
    if (path) docs.remove(path);
    return path && `${path} deleted`;
  },
  "drawing changed": (place) =>
    changeFile(place, place.docs.files(".svg"), "drawing changed", (text) => text.replace(/(width|height)="[^"]*"/, (_, name) => `${name}="${1 + place.random.below(90)}"`)),
  "file added": ({ docs, random }) => {
    const [ending, contents] = random.one(Object.entries(EXTENSION));
    const path = random.one([`edited-${random.below(9)}${ending}`, `static/edited${ending}`, "llms.txt", "robots.txt", "skill.md", ".mintlify/skills/edited/SKILL.md", "404.mdx", "favicon.svg", "Index.mdx"]);
    const text = path.endsWith(ending) ? contents : `---\nname: edited\ndescription: ${words(random)}\n---\n\n${words(random)}.\n`;
    return docs.write(path, `${text}\n`) ? `${path} added` : undefined;
  },
  "style or script changed": (place) => {
    const paths = place.docs.files(".css", ".js").filter((path) => !path.startsWith("."));
    return changeFile(place, paths, "style or script changed", (text, path) => `${text}\n${path.endsWith(".css") ? ".edited { margin: 1px }" : "window.edited = 1;"}\n`);
  },
  "style or script deleted": ({ docs, random }) => {
    const path = random.one(docs.files(".css", ".js").filter((each) => !each.startsWith(".")));
    if (path) docs.remove(path);
    return path && `${path} deleted`;
  },
  "description in a spec changed": (place) =>
    changeFile(place, specs(place.docs), "description changed", (text) =>
      changeMatch(text, /("(description|summary)": "|^\s*(description|summary): )(?=[A-Za-z])/gm, place.random, (found) => `${found}${words(place.random, 2)} `)),
  "operation removed": (place) =>
    changeFile(place, specs(place.docs).filter((path) => path.endsWith(".json")), "operation removed", (text) => {
      const spec = parsed(text);
      const path = place.random.one(Object.keys(spec?.paths ?? {}));
      const method = path && place.random.one(Object.keys(spec.paths[path]));
      if (!method) return undefined;
      delete spec.paths[path][method];
      return JSON.stringify(spec, null, 2);
    }),
  "field of a spec changed": (place) =>
    changeFile(place, specs(place.docs), "field changed", (text) =>
      changeMatch(text, /("type": "|\btype: )(string|integer|number|boolean)\b/g, place.random, (found) => found.replace(/\w+$/, () => place.random.one(["string", "boolean"])))),
  "operation renamed": (place) =>
    changeFile(place, specs(place.docs), "path renamed", (text) => changeMatch(text, /^\s*"?\/[\w/{}-]+(?="?:\s*(\{|$))/gm, place.random, (found) => `${found}x`)),
  "spec deleted": ({ docs, random }) => {
    const path = random.one(specs(docs).filter((each) => docs.has(each)));
    if (path) docs.remove(path);
    return path && `${path} deleted`;
  },
  "spec broken": (place) => changeFile(place, specs(place.docs), "cut off", (text) => text.slice(0, text.length / 2)),
  "data changed": (place) => {
    const paths = place.docs.files(".json", ".yaml", ".yml").filter((path) => path !== place.docs.configuration);
    return changeFile(place, paths, "data changed", (text) => changeMatch(text, /: "[\w ]+(?=")/g, place.random, (found) => `${found}x`));
  },
  "synonyms changed": ({ docs, random }) => {
    docs.write(".docwright/synonyms.yaml", `- [webhook, callback]\n- [${words(random, 1)}, ${words(random, 1)}x]\n`);
    return "synonyms changed";
  },
  "ignored rules changed": ({ docs, random }) => {
    const rules = random.shuffled(["missing-title", "broken-link", "broken-anchor", "missing-image", "unknown-component"]).slice(0, 2);
    docs.write("docwright.yaml", `ignore: [${rules.join(", ")}]\n`);
    return `rules ${rules.join(", ")} ignored`;
  },
  "ignored files changed": ({ docs, random }) => {
    const page = random.one(docs.pages());
    const pattern = random.one([page, `${page.split("/")[0]}/**/*.md`, "drafts/", `!${page}`, "*.png"]);
    const before = docs.has(".mintignore") && random.chance(0.7) ? docs.read(".mintignore") : "";
    docs.write(".mintignore", `${before}\n${pattern}\n`);
    return `.mintignore: ${pattern}`;
  },
  "settings deleted": ({ docs, random }) => {
    const path = random.one([".docwright/synonyms.yaml", "docwright.yaml", ".mintignore"].filter((each) => docs.has(each)));
    if (path) docs.remove(path);
    return path && `${path} deleted`;
  },
};
