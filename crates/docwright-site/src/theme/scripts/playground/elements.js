// Elements of the dialog, and what browsers keep for it.

let lastId = 0;

// An id that no other element has.
function newId() {
  lastId += 1;
  return `dw-playground-${lastId}`;
}

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

// A list of options: `[value, label]`.
function select(options, attributes) {
  return create("select", attributes, ...options.map(([value, label]) => create("option", { value }, label)));
}

// Shows or removes the message of an input. Screen readers read it with the input.
function showError(input, place, message) {
  place.textContent = message || "";
  place.hidden = !message;
  if (message) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

// A place for the message of an input.
function errorOf(input) {
  const place = create("p", { class: "dw-playground-error", id: newId(), hidden: true });
  const others = input.getAttribute("aria-describedby");
  input.setAttribute("aria-describedby", others ? `${others} ${place.id}` : place.id);
  return place;
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

// Copies a text, and says so on the button.
async function copyText(text, pressed) {
  const label = pressed.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch (_) {
    // Pages of files and of plain HTTP have no clipboard.
    const area = create("textarea", { class: "dw-playground-hidden" });
    area.value = text;
    pressed.after(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    pressed.focus();
  }
  pressed.dataset.done = "";
  pressed.textContent = "Copied";
  setTimeout(() => {
    delete pressed.dataset.done;
    pressed.textContent = label;
  }, 1500);
}
