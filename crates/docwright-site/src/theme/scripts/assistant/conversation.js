// The questions and answers of a tab: what is asked, shown, and kept.

// `settings` are those of the panel. `onBusy` gets whether an answer is on its way; `onThread` is called when the
// conversation has another id.
function Conversation(settings, { search, announce, onBusy, onThread }) {
  const { words, root, endpoint, starters = [] } = settings;
  const thread = Thread(`docwright-assistant:${endpoint}`);
  const log = create("div", { class: "dw-assistant-log", role: "region", "aria-label": words.title, tabindex: "0" });
  const questions = starters.map((question) => button(question, () => ask(question), { dir: "auto" }));
  const intro = create("div", { class: "dw-assistant-intro" }, create("p", {}, words.intro),
    questions.length > 0 ? create("div", { class: "dw-assistant-choices" }, ...questions) : null);
  let controller = null;
  let lastId = 0;
  const context = {
    words,
    root,
    search,
    ask,
    announce,
    save: thread.save,
    support: (turn) => supportLink(settings, thread.id, turn),
    rate: (turn, rating) => sendRating(settings, { thread: thread.id, answer: turn.id, ...rating }),
    newId: () => `dw-assistant-${(lastId += 1)}`,
    retry({ question, selection, page }) {
      if (controller) return;
      thread.removeLast();
      log.lastElementChild.remove();
      ask(question, selection, page);
    },
  };

  function show(turn) {
    const view = TurnView(turn, context);
    intro.remove();
    log.append(view.element);
    return view;
  }

  function receive(turn, view, name, data) {
    if (name === "source" && typeof data.page === "string") turn.sources.push({ ...data, title: data.title || data.page });
    else if (name === "paragraph" && typeof data.text === "string") {
      turn.parts.push({ text: data.text, sources: data.sources });
      view.add(data);
    } else if (name === "choices" && Array.isArray(data.choices)) turn.choices = { text: String(data.text || ""), choices: data.choices.map(String) };
    thread.save();
  }

  async function ask(question, selection, page = settings.page) {
    if (controller) return;
    const own = new AbortController();
    controller = own;
    const history = thread.history(words);
    const turn = thread.add({ question, selection, page });
    const view = show(turn);
    if (log.childElementCount > thread.turns.length) log.firstElementChild.remove();
    // The question is at the top, and the answer grows below it: nothing moves while it is read.
    log.scrollTop = view.element.offsetTop;
    onBusy(true);
    onThread();
    announce(words.waiting);
    const body = requestBody({ thread: thread.id, question, page: page || undefined, selection: selection || undefined, language: settings.language, version: settings.version }, history);
    try {
      const done = await askServer(settings, body, own.signal, (name, data) => receive(turn, view, name, data));
      turn.state = ["extract", "refused", "choices"].includes(done.kind) ? done.kind : "answer";
      Object.assign(turn, { id: done.id, rated: done.rated === true });
    } catch (error) {
      turn.state = own.signal.aborted ? "stopped" : "failed";
      if (turn.state === "failed") turn.problem = problemOf(error, words);
    }
    // A new conversation began in the meantime.
    if (controller !== own) return;
    controller = null;
    view.finish();
    thread.save();
    onBusy(false);
    const said = { refused: words.refused, choices: turn.choices?.text, stopped: words.stopped, failed: turn.problem };
    announce(said[turn.state] || words.complete);
  }

  function stop() {
    controller?.abort();
  }

  thread.turns.forEach(show);
  if (thread.turns.length === 0) log.append(intro);
  return {
    log,
    thread,
    ask,
    stop,
    isBusy: () => controller !== null,
    // Shows the last question.
    reveal() {
      const last = log.lastElementChild;
      if (last !== intro) log.scrollTop = last.offsetTop;
    },
    clear() {
      stop();
      controller = null;
      onBusy(false);
      thread.clear();
      onThread();
      log.replaceChildren(intro);
    },
  };
}
