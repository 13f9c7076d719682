// Fields of the dialog.

let lastId = 0;

// An id that no other element has.
function newId() {
  lastId += 1;
  return `dw-playground-${lastId}`;
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
