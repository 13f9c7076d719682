// Responses that come in pieces: server-sent events and lines of JSON, each shown when it is there.

// Pieces that are shown; earlier ones are removed.
const MOST_PIECES = 500;

// A view of a stream of this content type; `null` for other types. `add` takes text in any pieces.
function streamView(type) {
  if (/text\/event-stream/.test(type)) return piecesView("Events", /\r\n\r\n|\n\n|\r\r/, eventOf);
  if (/ndjson|jsonl|json-lines|json-seq|stream\+json/.test(type)) return piecesView("Lines", /\r\n|\n|\u001e/, (line) => (line.trim() === "" ? null : { data: line }));
  return null;
}

// One server-sent event: its name and its data. Comments are left out.
function eventOf(text) {
  const event = { name: "", data: [] };
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (field === "event") event.name = value;
    if (field === "data") event.data.push(value);
  }
  return event.data.length > 0 || event.name ? { name: event.name, data: event.data.join("\n") } : null;
}

function piecesView(label, separator, read) {
  const list = create("ol", { class: "dw-playground-pieces", tabindex: "0", "aria-label": label });
  let rest = "";
  let count = 0;
  function show(text) {
    const piece = read(text);
    if (!piece) return;
    count += 1;
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    list.append(create("li", {}, piece.name ? create("b", {}, piece.name) : null, create("pre", {}, prettyJson(piece.data))));
    if (list.childElementCount > MOST_PIECES) list.firstElementChild.remove();
    if (isAtEnd) list.scrollTop = list.scrollHeight;
  }
  return {
    element: list,
    count: () => count,
    add(text) {
      const pieces = (rest + text).split(separator);
      rest = pieces.pop();
      pieces.forEach(show);
    },
    end() {
      if (rest.trim() !== "") show(rest);
    },
  };
}
