// Earlier requests of the tab: what was filled in, without credentials and files.

const MOST_REQUESTS = 8;

// A list of earlier requests. `restore` gets the state of one.
function historySection(key, restore) {
  const place = create("div");
  const read = () => {
    try {
      return parseJson(kept(key) || "[]");
    } catch (_) {
      return [];
    }
  };
  function show() {
    const entries = read();
    const rows = entries.map((entry) => button(`${entry.status}  ${new Date(entry.at).toLocaleTimeString()}`, () => restore(entry.state)));
    place.replaceChildren(...(rows.length > 0 ? [create("details", { class: "dw-playground-history" }, create("summary", {}, "Earlier requests"), ...rows)] : []));
  }
  show();
  return {
    element: place,
    add(status, state) {
      kept(key, toJson([{ status, state, at: Date.now() }, ...read()].slice(0, MOST_REQUESTS)));
      show();
    },
  };
}
