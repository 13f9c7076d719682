// The conversation of this tab. The tab keeps it until it is closed; the server can keep the questions by its id.

const MOST_TURNS = 20;

// 128 random bits, as 22 characters of base64url.
function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

// A conversation that is kept under a name. A turn is `{question, selection, page, parts, sources, choices, state, problem,
// id, rated, rating}`; its state is `open` until it is `answer`, `extract`, `refused`, `choices`, `stopped`, or `failed`.
// `id` is that of the answer, `rated` whether the server takes a rating of it, and `rating` the one that was sent.
function Thread(name) {
  const stored = kept(name);
  const turns = Array.isArray(stored?.turns) ? stored.turns : [];
  // The page was left before the answer ended.
  for (const turn of turns) if (turn.state === "open") turn.state = "stopped";
  const thread = {
    // Empty before the first question.
    id: stored?.id || "",
    turns,
    draft: stored?.draft || "",
    save() {
      kept(name, { id: thread.id, turns, draft: thread.draft });
    },
    add(turn) {
      thread.id = thread.id || randomId();
      turns.push({ ...turn, parts: [], sources: [], choices: null, state: "open", problem: null });
      turns.splice(0, turns.length - MOST_TURNS);
      thread.save();
      return turns[turns.length - 1];
    },
    removeLast() {
      return turns.pop();
    },
    clear() {
      turns.length = 0;
      thread.id = "";
      thread.save();
    },
    // The turns as the server takes them.
    history(words) {
      const answerOf = (turn) => turn.parts.map((part) => part.text).join("\n\n") || turn.choices?.text || (turn.state === "refused" ? words.refused : "");
      return turns.map((turn) => ({ question: turn.question, answer: answerOf(turn) })).filter((turn) => turn.answer);
    },
  };
  return thread;
}
