// Markdown within a paragraph, as elements. Everything else, such as HTML, is text. The work grows with the length of
// the text, whatever is in it.

// Emphasis and links within each other; deeper ones stay text.
const DEEPEST_INLINE = 16;
// Characters of a link's address.
const LONGEST_DESTINATION = 2000;
const EMPHASIS = { "**": "strong", "__": "strong", "*": "em", _: "em", "~~": "del" };

// Appends the elements of a text to `parent`. `address` makes the address of a link, or `null`.
function appendInline(parent, text, address) {
  const frames = [{ kind: "", node: document.createDocumentFragment() }];
  const absent = new Set();
  let start = 0;
  let at = 0;

  const top = () => frames[frames.length - 1];
  function flush(end) {
    if (end > start) top().node.append(text.slice(start, end));
  }
  // Ends a frame as what it was written as.
  function unwrap() {
    const frame = frames.pop();
    top().node.append(frame.kind, frame.node);
  }
  function opener(kind) {
    return frames.findLastIndex((frame) => frame.kind === kind);
  }
  function push(kind) {
    frames.push({ kind, node: document.createDocumentFragment() });
  }

  function code() {
    const marks = /^`+/.exec(text.slice(at, at + 64))[0];
    const end = absent.has(marks.length) ? -1 : closingMarks(text, marks, at + marks.length);
    if (end < 0) {
      absent.add(marks.length);
      return marks.length;
    }
    flush(at);
    const inner = text.slice(at + marks.length, end).replaceAll("\n", " ");
    top().node.append(create("code", {}, /^ .*[^ ].* $/.test(inner) ? inner.slice(1, -1) : inner));
    start = end + marks.length;
    return start - at;
  }

  function emphasis(kind) {
    const before = text[at - 1] || " ";
    const after = text[at + kind.length] || " ";
    const inWord = kind[0] === "_" && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
    const index = /\s/.test(before) || inWord ? -1 : opener(kind);
    if (index > 0 && (at > start || frames.length - 1 > index || frames[index].node.hasChildNodes())) {
      flush(at);
      while (frames.length - 1 > index) unwrap();
      const frame = frames.pop();
      top().node.append(create(EMPHASIS[kind], {}, frame.node));
    } else if (!/\s/.test(after) && !inWord && frames.length < DEEPEST_INLINE) {
      flush(at);
      push(kind);
    } else return kind.length;
    start = at + kind.length;
    return kind.length;
  }

  function endOfLink() {
    const index = Math.max(opener("["), opener("!["));
    if (index < 1) return 1;
    const found = /^\]\(\s*(?:<([^<>\n]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+"[^"]*")?\s*\)/.exec(text.slice(at, at + LONGEST_DESTINATION));
    flush(at);
    while (frames.length - 1 > index) unwrap();
    if (!found) {
      unwrap();
      start = at;
      return 1;
    }
    const frame = frames.pop();
    const target = frame.kind === "[" && address(found[1] ?? found[2]);
    top().node.append(target ? link(target, frame.node) : frame.node);
    start = at + found[0].length;
    return found[0].length;
  }

  function autolink() {
    const found = /^<(https?:\/\/[^\s<>]*)>/i.exec(text.slice(at, at + LONGEST_DESTINATION));
    const target = found && address(found[1]);
    if (!target) return 1;
    flush(at);
    top().node.append(link(target, found[1]));
    start = at + found[0].length;
    return found[0].length;
  }

  // Lines end where the writer says so.
  function lineBreak(length) {
    flush(at);
    top().node.append(create("br"));
    start = at + length;
    return length;
  }

  // Handles what begins here. Returns its length.
  function step() {
    const sign = text[at];
    const two = text.slice(at, at + 2);
    if (sign === "\\" && text[at + 1] === "\n") return lineBreak(2);
    if (sign === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] || "")) {
      flush(at);
      start = at + 1;
      return 2;
    }
    if (two === "  " && /^ {2,}\n/.test(text.slice(at, at + 64))) return lineBreak(text.indexOf("\n", at) + 1 - at);
    if (sign === "`") return code();
    if (two in EMPHASIS) return emphasis(two);
    if (sign in EMPHASIS) return emphasis(sign);
    if ((sign === "[" || two === "![") && frames.length < DEEPEST_INLINE) {
      flush(at);
      push(sign === "[" ? sign : two);
      start = at + top().kind.length;
      return top().kind.length;
    }
    if (sign === "]") return endOfLink();
    if (sign === "<") return autolink();
    return 1;
  }

  while (at < text.length) at += step();
  flush(at);
  while (frames.length > 1) unwrap();
  parent.append(frames[0].node);
}

// Where the marks that end code begin; -1 if nowhere.
function closingMarks(text, marks, from) {
  for (let at = text.indexOf(marks, from); at >= 0; at = text.indexOf(marks, at)) {
    let end = at;
    while (text[end] === "`") end += 1;
    if (end - at === marks.length) return at;
    at = end;
  }
  return -1;
}

// A link. Other sites open beside the page, which keeps the conversation in view.
function link(target, content) {
  const isOwn = new URL(target).origin === location.origin;
  return create("a", { href: target, target: isOwn ? null : "_blank", rel: isOwn ? null : "noopener noreferrer" }, content);
}
