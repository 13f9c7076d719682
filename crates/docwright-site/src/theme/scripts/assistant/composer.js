// The field for questions, with the selected text that a question is about.

const MOST_CHARACTERS = 2000;

// A form. `send` gets the question and the selected text; `stop` ends an answer.
function Composer(words, { send, stop }) {
  let selection = "";
  let isBusy = false;
  const field = create("textarea", { id: "chat-assistant-textarea", rows: "1", maxlength: String(MOST_CHARACTERS), placeholder: words.question, "aria-label": words.question, enterkeyhint: "send" });
  const quote = create("div", { class: "dw-assistant-about-text", hidden: true });
  const action = create("button", { type: "submit", class: "dw-assistant-send", "aria-label": words.send });
  const support = create("div", { class: "dw-assistant-contact" });
  const form = create("form", { class: "dw-assistant-form" }, quote, create("div", { class: "dw-assistant-field" }, field, action), support);

  function setSelection(text) {
    selection = text;
    quote.hidden = !text;
    const remove = button("×", () => {
      setSelection("");
      field.focus();
    }, { "aria-label": words.remove });
    quote.replaceChildren(create("blockquote", { dir: "auto" }, text), remove);
  }
  // Browsers that can't size the field by its text get a line for each of the reader's.
  function resize() {
    field.rows = Math.min(8, field.value.split("\n").length);
  }
  field.addEventListener("input", resize);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!isBusy) form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (isBusy) {
      stop();
      return;
    }
    const question = field.value.trim();
    if (!question) return;
    const about = selection;
    field.value = "";
    setSelection("");
    resize();
    send(question, about);
  });
  return {
    form,
    field,
    setSelection,
    // A link, or `null` without a support.
    setSupport(link) {
      support.replaceChildren(link || "");
      support.hidden = !link;
    },
    write(text) {
      field.value = text.slice(0, MOST_CHARACTERS);
      resize();
    },
    setBusy(busy) {
      isBusy = busy;
      action.dataset.busy = String(busy);
      action.setAttribute("aria-label", busy ? words.stop : words.send);
    },
  };
}
