// The independent reference: the MDX compiler's result for a page when every component passes its children through.
// Authors' code doesn't run: imports of code and expressions that aren't plain text are omitted on both sides of
// the comparison.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { evaluate } from "@mdx-js/mdx";
import { createElement, Fragment } from "react";
import * as runtime from "react/jsx-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";

const MAXIMUM_DEPTH = 12;

// The HTML of the page at `path` below `root`. Throws the errors of the MDX compiler.
export async function referenceHtml(root, path, depth = 0) {
  const Page = await pageComponent(root, path, depth);
  return renderToStaticMarkup(createElement(Page, {}));
}

async function pageComponent(root, path, depth) {
  const imports = new Map();
  const names = new Set();
  const source = prepare(readFileSync(join(root, path), "utf8"));
  const { default: Content } = await evaluate(source, {
    ...runtime,
    format: "mdx",
    remarkPlugins: [
      remarkFrontmatter,
      remarkGfm,
      [remarkMath, { singleDollarTextMath: false }],
      () => (tree) => neutralize(tree, imports, names),
    ],
  });
  const components = {};
  for (const name of names) components[name] ??= passThrough;
  for (const [name, target] of imports) {
    const file = resolveImport(root, path, target);
    if (file && depth < MAXIMUM_DEPTH) components[name] = await pageComponent(root, file, depth + 1);
  }
  nest(components);
  return (props) => createElement(Content, { ...props, components });
}

// Headings can end in `{#id}`, which MDX doesn't support. A single dollar is math only around a formula, which the
// MDX extension can't tell.
function prepare(source) {
  return source.replace(/^\uFEFF/, "").replace(/\$(?=\S)[^$\n`]*[\\^=][^$\n`]*(?<=\S)\$(?![\p{L}\p{N}])/gu, "").replace(/^(#{1,6} .*?)\s*\\?\{#[^}\s]+\}\s*$/gmu, "$1");
}

function passThrough({ children }) {
  return createElement("div", {}, children);
}



// Replaces code with its known value, without running it.
function neutralize(tree, imports, names) {
  const visit = (node) => {
    if (node.type === "mdxjsEsm") {
      collectImports(node.value, imports);
      node.value = "";
      node.data = { estree: { type: "Program", body: [], sourceType: "module", comments: [] } };
    } else if (node.type === "mdxFlowExpression" || node.type === "mdxTextExpression") {
      neutralizeExpression(node);
    } else if (node.type === "mdxJsxFlowElement" || node.type === "mdxJsxTextElement") {
      neutralizeElement(node, imports, names);
    }
    for (const child of node.children ?? []) visit(child);
  };
  visit(tree);
}

function collectImports(value, imports) {
  for (const match of value.matchAll(/import\s+([A-Za-z_$][\w$]*)\s*(?:,\s*\{[^}]*\})?\s*from\s*["']([^"']+)["']/g)) {
    imports.set(match[1], match[2]);
  }
}

function neutralizeExpression(node) {
  const text = node.value.trim();
  const literal = /^(["'])([^\\]*)\1$/s.exec(text) ?? /^(`)([^`$\\]*)`$/s.exec(text);
  const property = /^(?:props\.)?([A-Za-z_$][\w$]*)$/.exec(text);
  const inline = node.type === "mdxTextExpression";
  if (literal && !literal[2].includes(literal[1])) {
    node.type = "text";
    node.value = literal[2];
    delete node.data;
    if (!inline) Object.assign(node, { type: "paragraph", children: [{ type: "text", value: literal[2] }] });
    return;
  }
  const body = property ? `props[${JSON.stringify(property[1])}]` : "";
  node.value = body;
  node.data = { estree: program(property?.[1]) };
}

function program(property) {
  const body = property
    ? [
        {
          type: "ExpressionStatement",
          expression: {
            type: "MemberExpression",
            object: { type: "Identifier", name: "props" },
            property: { type: "Literal", value: property },
            computed: true,
            optional: false,
          },
        },
      ]
    : [];
  return { type: "Program", body, sourceType: "module", comments: [] };
}

const INLINE = new Set(["Tooltip", "Badge", "Icon"]);
const VOID = new Set(["br", "hr", "img", "input", "source", "track", "wbr"]);

function neutralizeElement(node, imports, names) {
  if (node.name === "Visibility" && node.attributes.some((each) => each.name === "for" && each.value === "agents")) {
    node.children = [];
  }
  if (VOID.has(node.name)) node.children = [];
  const file = node.name === "Snippet" && node.attributes.find((each) => each.name === "file")?.value;
  if (file) {
    node.name = `Snippet${imports.size}`;
    imports.set(node.name, `legacy:${file}`);
  }
  if (node.name && /^[A-Z]/.test(node.name)) names.add(node.name);
  node.attributes = node.attributes.filter(
    (each) => each.type === "mdxJsxAttribute" && typeof each.value === "string" && !/^(style|on[A-Z])/.test(each.name),
  );
  // The text of a formula isn't its source.
  if (node.name === "Latex") {
    node.name = "span";
    node.attributes = [{ type: "mdxJsxAttribute", name: "className", value: "dw-math" }];
  }
  if (INLINE.has(node.name)) {
    node.name = null;
    node.attributes = [];
  }
  // HTML parsers repair `<p>` within a paragraph and similar errors in different ways.
  if (node.name === "p" || node.name === "center") node.name = "div";
}

// `Tree.File` is a property of `Tree`.
function nest(components) {
  for (const name of Object.keys(components)) {
    const parts = name.split(".");
    if (parts.length < 2) continue;
    const outer = (components[parts[0]] ??= passThrough);
    components[parts[0]] = Object.assign((props) => outer(props), outer, { [parts[1]]: components[name] });
  }
}

function resolveImport(root, from, target) {
  if (!/\.mdx?$/.test(target)) return null;
  if (target.startsWith("legacy:")) {
    const name = target.slice("legacy:".length);
    return ["snippets", "_snippets"].map((folder) => join(folder, name)).find((file) => existsSync(join(root, file)));
  }
  const relative = target.startsWith("/") ? target.slice(1) : join(dirname(from), target);
  const file = normalize(relative);
  return existsSync(join(root, file)) ? file : null;
}

