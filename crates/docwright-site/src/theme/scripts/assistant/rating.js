// A reader's rating of an answer: helpful or not, then why not.

// Characters of a comment that the server takes.
const MOST_COMMENT = 1000;
const REASONS = ["wrong", "incomplete", "outdated", "unclear", "other"];

// The two buttons, and the form that the second one opens. A rating is sent when a button is pressed; the form replaces it.
function Rating(turn, { words, rate, save, announce, newId }) {
  const said = create("p", { class: "dw-assistant-note", hidden: true });
  const form = create("form", { class: "dw-assistant-rating", hidden: true });
  const holder = create("div", {}, form, said);
  const helpful = button(words.helpful, () => send({ helpful: true }));
  const unhelpful = button(words.unhelpful, async () => {
    if (await send({ helpful: false })) open();
  });
  let isSending = false;

  function show() {
    helpful.setAttribute("aria-pressed", String(turn.rating?.helpful === true));
    unhelpful.setAttribute("aria-pressed", String(turn.rating?.helpful === false));
  }

  function say(sentence) {
    said.textContent = sentence;
    said.hidden = false;
    announce(sentence);
  }

  // Whether the server took the rating.
  async function send(rating) {
    if (isSending) return false;
    isSending = true;
    form.hidden = true;
    said.hidden = true;
    try {
      await rate(turn, rating);
    } catch (_) {
      say(words.unsaved);
      return false;
    } finally {
      isSending = false;
    }
    turn.rating = { helpful: rating.helpful };
    save();
    show();
    if (rating.helpful || rating.reason || rating.comment) say(words.thanks);
    return true;
  }

  function open() {
    const name = newId();
    const reasons = REASONS.map((reason) => create("label", {}, create("input", { type: "radio", name, value: reason }), words[reason]));
    const comment = create("textarea", { rows: "2", maxlength: String(MOST_COMMENT), "aria-label": words.comment, placeholder: words.comment });
    form.replaceChildren(create("fieldset", {}, create("legend", { class: "dw-visually-hidden" }, words.comment), ...reasons), comment, create("button", { type: "submit" }, words.send));
    form.hidden = false;
    form.querySelector("input").focus({ preventScroll: true });
    form.scrollIntoView({ block: "nearest" });
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const reason = form.querySelector(":checked")?.value;
    const comment = form.querySelector("textarea").value.trim();
    if (!reason && !comment) return;
    // The field that had the focus is hidden.
    unhelpful.focus({ preventScroll: true });
    if (!(await send({ helpful: false, reason, comment: comment || undefined }))) form.hidden = false;
  });
  show();
  return { buttons: [helpful, unhelpful], form: holder };
}
