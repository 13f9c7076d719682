// Elements of dialogs that are loaded on demand, and what browsers keep for them.

// Creates an element. Attributes that are `null`, `undefined` or `false` are left out; functions listen to events.
function create(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// A button that does not send the form.
function button(label, click, attributes) {
  return create("button", { type: "button", click, ...attributes }, label);
}

// Values that the tab keeps until it is closed. Storage can be forbidden, on file:// for one.
function kept(name, value) {
  try {
    if (value === undefined) return JSON.parse(sessionStorage.getItem(name));
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch (_) {
    /* nothing is remembered then */
  }
  return null;
}

// Copies a text, and says so on the button for a while.
async function copyText(text, pressed, copied = "Copied") {
  const label = pressed.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch (_) {
    // Pages of files and of plain HTTP have no clipboard.
    const area = create("textarea", { class: "dw-visually-hidden" });
    area.value = text;
    pressed.after(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    pressed.focus();
  }
  pressed.dataset.done = "";
  pressed.textContent = copied;
  setTimeout(() => {
    delete pressed.dataset.done;
    pressed.textContent = label;
  }, 1500);
}
