// The conversation of this tab. It is kept until the tab is closed, and nowhere else.

const MOST_TURNS = 20;

// A conversation that is kept under a name. A turn is `{question, selection, page, parts, sources, choices, state, problem}`;
// its state is `open` until it is `answer`, `extract`, `refused`, `choices`, `stopped`, or `failed`.
function Thread(name) {
  const stored = kept(name);
  const turns = Array.isArray(stored?.turns) ? stored.turns : [];
  // The page was left before the answer ended.
  for (const turn of turns) if (turn.state === "open") turn.state = "stopped";
  const thread = {
    turns,
    draft: stored?.draft || "",
    save() {
      kept(name, { turns, draft: thread.draft });
    },
    add(turn) {
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
