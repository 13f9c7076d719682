// Markdown of an answer, as elements: paragraphs, lists, tables, code, and quotes. Everything else is text.

// Lists and quotes within each other; deeper ones stay text.
const DEEPEST_BLOCK = 8;
// Characters of a line that can be a fence, a heading, or the divider of a table.
const LONGEST_MARK = 1000;
const FENCE = /^\s{0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(?:\s+(.*)|$)/;
const HEADING = /^#{1,6}\s+(.*?)\s*#*$/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

// What a pattern finds in a line; nothing in a long one, which could take a pattern long.
function find(pattern, line = "") {
  return line.length <= LONGEST_MARK ? pattern.exec(line) : null;
}

// Appends the elements of a text to `parent`.
function appendMarkdown(parent, text, context, depth = 0) {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const inline = (element, words) => {
    appendInline(element, words, context.address);
    return element;
  };
  let at = 0;

  function fenced([, marks, language]) {
    const indent = /^\s*/.exec(lines[at])[0].length;
    const code = [];
    const ends = new RegExp(`^\\s{0,3}${marks[0] === "`" ? "`" : "~"}{${marks.length},}\\s*$`);
    for (at += 1; at < lines.length && !ends.test(lines[at]); at += 1) code.push(lines[at].slice(Math.min(indent, /^\s*/.exec(lines[at])[0].length)));
    at += 1;
    return codeBlock(code.join("\n"), language, context.words);
  }

  // The lines of an item are those that are indented below its text.
  function list(first) {
    const ordered = /\d/.test(first[2]);
    const number = parseInt(first[2], 10);
    const element = create(ordered ? "ol" : "ul", { start: ordered && number !== 1 ? number : null });
    const indent = first[1].length;
    for (let item = first; item && item[1].length <= indent + 1 && /\d/.test(item[2]) === ordered; item = ITEM.exec(lines[at] ?? "")) {
      const inner = [item[3] || ""];
      const width = item[1].length + item[2].length + 1;
      for (at += 1; at < lines.length; at += 1) {
        const isDeeper = /^\s*/.exec(lines[at])[0].length >= Math.min(width, indent + 2);
        if (lines[at].trim() && !isDeeper && (ITEM.test(lines[at]) || !lines[at - 1].trim() || FENCE.test(lines[at]))) break;
        inner.push(isDeeper ? lines[at].slice(Math.min(width, /^\s*/.exec(lines[at])[0].length)) : lines[at].trim());
      }
      while (inner.length > 1 && !inner[inner.length - 1].trim()) inner.pop();
      const entry = create("li");
      appendMarkdown(entry, inner.join("\n"), context, depth + 1);
      // An item of one paragraph is its text.
      const words = entry.firstElementChild;
      if (words?.tagName === "P" && (!words.nextElementSibling || words.nextElementSibling.matches("ul,ol"))) {
        while (words.firstChild) words.before(words.firstChild);
        words.remove();
      }
      element.append(entry);
    }
    return element;
  }

  function table() {
    const head = cells(lines[at]);
    const row = (tag, texts) => create("tr", {}, ...head.map((_, column) => inline(create(tag, tag === "th" ? { scope: "col" } : {}), texts[column] || "")));
    const body = create("tbody");
    const title = row("th", head);
    for (at += 2; at < lines.length && lines[at].includes("|"); at += 1) body.append(row("td", cells(lines[at])));
    return create("div", { class: "dw-table-container", tabindex: "0", role: "group", "aria-label": head.join(", ") }, create("table", {}, create("thead", {}, title), body));
  }

  function quote() {
    const inner = [];
    for (; at < lines.length && /^\s{0,3}>/.test(lines[at]); at += 1) inner.push(lines[at].replace(/^\s{0,3}>\s?/, ""));
    const element = create("blockquote");
    appendMarkdown(element, inner.join("\n"), context, depth + 1);
    return element;
  }

  const isTable = () => lines[at].includes("|") && find(DIVIDER, lines[at + 1]);
  const begins = () => depth < DEEPEST_BLOCK && (find(FENCE, lines[at]) || ITEM.test(lines[at]) || find(HEADING, lines[at]) || /^\s{0,3}>/.test(lines[at]) || isTable());

  function block() {
    if (depth >= DEEPEST_BLOCK) return null;
    const fence = find(FENCE, lines[at]);
    if (fence) return fenced(fence);
    const item = ITEM.exec(lines[at]);
    if (item) return list(item);
    if (/^\s{0,3}>/.test(lines[at])) return quote();
    if (isTable()) return table();
    const heading = find(HEADING, lines[at]);
    if (!heading) return null;
    at += 1;
    return create("p", {}, inline(create("strong"), heading[1]));
  }

  while (at < lines.length) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const found = block();
    if (found) {
      parent.append(found);
      continue;
    }
    const words = [lines[at]];
    for (at += 1; at < lines.length && lines[at].trim() && !begins(); at += 1) words.push(lines[at]);
    parent.append(inline(create("p"), words.join("\n").trim()));
  }
}

// The cells of a row. A bar in code or after a backslash separates nothing.
function cells(line) {
  const found = [""];
  for (const part of line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "").match(/\\\||`[^`]*`|\||[^|\\`]+|[\\`]/g) || []) {
    if (part === "|") found.push("");
    else found[found.length - 1] += part === "\\|" ? "|" : part;
  }
  return found.map((cell) => cell.trim());
}

// Code with a button that the page's script knows.
function codeBlock(code, language, words) {
  return create("div", { class: "dw-code-block", "data-language": language || null },
    create("button", { type: "button", class: "dw-code-block-copy-button", "data-copy": true, "aria-label": words.copy }),
    create("pre", { tabindex: "0" }, create("code", {}, code)));
}
