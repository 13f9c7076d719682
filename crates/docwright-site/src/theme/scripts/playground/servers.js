// The choice of a server: those of the description, with their variables, or any other address.

const CUSTOM = "custom";

// A section whose `read` returns the base address, without a slash at its end.
function serversSection(servers) {
  const labels = servers.map((server) => server.url + (server.description ? ` – ${server.description.split("\n")[0]}` : ""));
  const choice = select([...labels.map((label, number) => [number, label]), [CUSTOM, "Custom address"]], { id: newId() });
  const place = create("div");
  let fields = [];

  function show() {
    const server = servers[choice.value];
    fields = server ? Object.entries(server.variables || {}).map(([name, variable]) => variableField(name, variable)) : [addressField()];
    place.replaceChildren(...fields.map((field) => field.element));
  }
  choice.addEventListener("change", show);
  show();
  return {
    element: create("fieldset", {}, create("legend", {}, "Server"), create("label", { class: "dw-playground-spoken", for: choice.id }, "Server"), choice, place),
    // The first server, which says whose credentials the reader gave.
    origin: servers.length > 0 ? servers[0].url : "",
    read() {
      const server = servers[choice.value];
      if (!server) return fields[0].read().trim().replace(/\/+$/, "");
      const values = Object.fromEntries(fields.map((field) => [field.name, field.read()]));
      return server.url.replace(/\{([^{}]*)\}/g, (whole, name) => (values[name] ? values[name] : whole)).replace(/\/+$/, "");
    },
    state: () => ({ choice: choice.value, values: fields.map((field) => field.read()) }),
    restore(state) {
      choice.value = state.choice;
      show();
      fields.forEach((field, number) => field.write(state.values[number] || ""));
    },
    check: () => fields.flatMap((field) => field.check()),
  };
}

// A labeled input with a check.
function namedField(name, input, problem) {
  const error = errorOf(input);
  input.addEventListener("input", () => showError(input, error, null));
  return {
    name,
    element: create("div", { class: "dw-playground-row" }, create("div", { class: "dw-playground-name" }, create("label", { for: input.id }, create("code", {}, name))), create("div", {}, input, error)),
    read: () => input.value,
    write: (value) => { input.value = value; },
    check() {
      showError(input, error, problem(input.value));
      return error.hidden ? [] : [input];
    },
  };
}

function variableField(name, variable) {
  const id = newId();
  const start = variable.default === undefined ? "" : String(variable.default);
  const options = Array.isArray(variable.enum) && variable.enum.length > 0 ? variable.enum.map(String) : null;
  const input = options ? select(options.map((option) => [option, option]), { id }) : create("input", { id, type: "text", autocomplete: "off", spellcheck: "false" });
  input.value = options && !options.includes(start) ? options[0] : start;
  return namedField(name, input, (value) => (value === "" ? `Enter a value. The address needs ${name}.` : null));
}

function addressField() {
  const input = create("input", { id: newId(), type: "url", placeholder: "https://api.example.com", autocomplete: "off", spellcheck: "false" });
  return namedField("Address", input, (value) => {
    const isAddress = URL.canParse(value.trim(), location.href) && /^https?:$/.test(new URL(value.trim(), location.href).protocol) && value.trim() !== "";
    return isAddress ? null : "Enter an address, such as https://api.example.com.";
  });
}
