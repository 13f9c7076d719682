// One question and its answer.

// A view of a turn. `context` has the words, the site's root, and what the buttons do.
function TurnView(turn, context) {
  const { words } = context;
  const title = create("h3", { class: "dw-assistant-question", id: context.newId(), dir: "auto" }, turn.question);
  const status = create("p", { class: "dw-assistant-state" });
  const body = create("div", { class: "dw-assistant-answer dw-prose", "aria-busy": "true" });
  const foot = create("div", { class: "dw-assistant-foot" });
  const element = create("article", { class: "dw-assistant-turn", "aria-labelledby": title.id },
    turn.selection ? create("blockquote", { class: "dw-assistant-selection", dir: "auto" }, turn.selection) : null, title, status, body, foot);

  function add(part) {
    const holder = create("div", { class: "dw-assistant-part", dir: "auto" });
    appendMarkdown(holder, part.text, { words, address: (destination) => linkAddress(context.root, destination) });
    const numbers = sourceNumbers(part, turn, context).filter(Boolean);
    const last = holder.lastElementChild;
    // Numbers end the last line, or have a line of their own below a table or code.
    if (numbers.length > 0) (last?.tagName === "P" ? last : holder).append(create("span", { class: "dw-assistant-numbers" }, ...numbers));
    body.append(holder);
  }

  function tools() {
    const copy = button(words.copy, () => copyText(asMarkdown(turn, context), copy, words.copied));
    const again = button(words.again, () => context.retry(turn), { class: "dw-assistant-again" });
    return create("div", { class: "dw-assistant-tools" }, turn.parts.length > 0 ? copy : null, again);
  }

  function finish() {
    body.removeAttribute("aria-busy");
    status.hidden = turn.state !== "extract";
    status.textContent = words.from;
    delete status.dataset.waiting;
    foot.replaceChildren();
    if (turn.state === "refused") foot.append(create("p", { class: "dw-assistant-refused" }, words.refused));
    if (turn.choices) {
      const choices = turn.choices.choices.map((choice) => button(choice, () => context.ask(choice), { dir: "auto" }));
      foot.append(create("p", {}, turn.choices.text), create("div", { class: "dw-assistant-choices" }, ...choices));
    }
    if (turn.state === "stopped") foot.append(create("p", { class: "dw-assistant-note" }, words.stopped));
    if (turn.state === "failed") foot.append(create("p", { class: "dw-assistant-problem" }, turn.problem));
    if (turn.sources.length > 0) foot.append(sourceList(turn, context));
    if (turn.state === "refused" && context.search) foot.append(button(words.search.replace("{question}", turn.question), () => context.search(turn.question), { class: "dw-assistant-search" }));
    if (["refused", "failed"].includes(turn.state)) foot.append(context.support(turn) || "");
    const row = tools();
    foot.append(row);
    if (turn.rated) {
      const rating = Rating(turn, context);
      row.append(...rating.buttons);
      foot.append(rating.form);
    }
  }

  function wait() {
    status.hidden = false;
    status.dataset.waiting = "";
    status.textContent = words.waiting;
  }

  turn.parts.forEach(add);
  if (turn.state === "open") wait();
  else finish();
  return { element, title, turn, add, finish };
}

// An answer for elsewhere: Markdown with the addresses of its sources.
function asMarkdown(turn, context) {
  const address = (source) => pageAddress(context.root, source.page, source.anchor);
  // Addresses in code are no links.
  const absolute = (text) => text.replace(/(`+)[\s\S]*?\1|\]\(([^\s()]+)\)/g, (whole, _, target) => (target ? `](${linkAddress(context.root, target) || target})` : whole));
  const numbers = (part) => (part.sources || []).map((index) => turn.sources.findIndex((source) => source.index === index)).filter((number) => number >= 0).map((number) => ` [[${number + 1}]](${address(turn.sources[number])})`).join("");
  const parts = turn.parts.map((part) => absolute(part.text) + (part.text.endsWith("```") && numbers(part) ? "\n\n" : "") + numbers(part));
  const sources = turn.sources.map((source, number) => `${number + 1}. [${sourceTitle(source)}](${address(source)})`);
  return [...parts, sources.length > 0 ? `${context.words.sources}:\n\n${sources.join("\n")}` : ""].filter(Boolean).join("\n\n");
}
