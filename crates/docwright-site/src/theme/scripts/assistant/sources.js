// The sections that an answer quotes: numbers in the text, and a list below it.

// The title of a source.
function sourceTitle(source) {
  return source.heading && source.heading !== source.title ? `${source.title} › ${source.heading}` : source.title;
}

// The numbers of a part's sources. Each shows its words when a reader points at it or reaches it.
function sourceNumbers(part, turn, context) {
  return (part.sources || []).map((index) => {
    const number = turn.sources.findIndex((source) => source.index === index);
    const source = turn.sources[number];
    if (!source) return null;
    const id = context.newId();
    return create("span", { class: "dw-assistant-number" },
      create("a", { href: pageAddress(context.root, source.page, source.anchor), "aria-label": `${number + 1}: ${sourceTitle(source)}`, "aria-describedby": source.quote ? id : null }, String(number + 1)),
      create("span", { class: "dw-assistant-quoted", role: "tooltip", id }, create("strong", {}, sourceTitle(source)), source.quote ? create("q", { dir: "auto" }, source.quote) : null));
  });
}

// All sources of a turn, with the quoted words.
function sourceList(turn, context) {
  const isRefused = turn.state === "refused";
  const title = create("h4", { id: context.newId() }, isRefused ? context.words.nearest : context.words.sources);
  const entries = turn.sources.map((source) => create("li", {},
    create("a", { href: pageAddress(context.root, source.page, source.anchor) }, sourceTitle(source)),
    source.quote && !isRefused ? create("q", { dir: "auto" }, source.quote) : null));
  // Each answer has one, so it is no landmark.
  return create("div", { class: "dw-assistant-sources", role: "group", "aria-labelledby": title.id }, title, create("ol", {}, ...entries));
}
