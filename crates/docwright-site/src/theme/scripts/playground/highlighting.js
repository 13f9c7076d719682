// Colors of JSON.

// Longer texts have no colors, so that the page stays fast. Characters.
const LONGEST_COLORED = 200000;
const TOKENS = /("(?:\\.|[^"\\])*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

// A text of JSON as nodes.
function highlighted(text) {
  const fragment = document.createDocumentFragment();
  if (text.length > LONGEST_COLORED) {
    fragment.append(text);
    return fragment;
  }
  let at = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [whole, string, colon] = match;
    const token = string || whole;
    const kind = string ? (colon ? "key" : "text") : /^[tfn]/.test(whole) ? "word" : "number";
    fragment.append(text.slice(at, match.index), create("span", { class: `dw-playground-${kind}` }, token));
    at = match.index + token.length;
  }
  fragment.append(text.slice(at));
  return fragment;
}

// A text of JSON, indented and colored; other texts as they are.
function prettyJson(text) {
  try {
    return highlighted(toJson(parseJson(text), true));
  } catch (_) {
    return text;
  }
}
