// The search in a dialog over any page. Its list has what the search page finds, and what was opened from it before.
(() => {
  "use strict";
  const dialog = document.getElementById("palette");
  const opener = document.querySelector(".search-button");
  if (!dialog || !opener) return;
  const form = dialog.querySelector("form");
  const field = form.elements.search;
  const list = dialog.querySelector("[role=listbox]");
  const status = dialog.querySelector("[role=status]");
  const isApple = /mac|iphone|ipad/i.test(navigator.userAgentData?.platform ?? navigator.platform);
  const RECENT = 5;

  const hint = opener.querySelector("kbd");
  hint.textContent = isApple ? "⌘K" : "Ctrl K";
  hint.hidden = false;
  opener.setAttribute("role", "button");
  opener.setAttribute("aria-haspopup", "dialog");
  opener.setAttribute("aria-keyshortcuts", isApple ? "Meta+K" : "Control+K");

  // What this account opened from here, the newest first. It stays in this browser until the account signs out.
  const key = `docwright-recent-${dialog.dataset.account}`;
  const recent = () => {
    try {
      const all = JSON.parse(localStorage.getItem(key));
      return Array.isArray(all) ? all.filter((each) => /^\/(?!\/)/.test(each.path)) : [];
    } catch { return []; }
  };
  const remember = (one) => {
    try { localStorage.setItem(key, JSON.stringify([one, ...recent().filter((each) => each.path !== one.path)].slice(0, RECENT))); } catch { /* Storage is full or off. */ }
  };
  document.addEventListener("submit", (event) => {
    if (event.target.getAttribute("action") === "/sign-out") localStorage.removeItem(key);
  });

  const element = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const options = () => [...list.querySelectorAll("[role=option]")];
  const active = () => list.querySelector("[aria-selected=true]");
  const select = (option) => {
    active()?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) field.setAttribute("aria-activedescendant", option.id);
    else field.removeAttribute("aria-activedescendant");
  };

  // A group of results: `items` have a title, the place that tells them apart, and a path or a form.
  const group = (label, items) => {
    const heading = element("p", { role: "presentation" }, label);
    const all = items.map((item) => {
      const attributes = { role: "option", "aria-selected": "false", tabindex: "-1" };
      if (item.path) attributes.href = item.path;
      const option = element(item.path ? "a" : "div", attributes, element("span", {}, item.title), element("span", { class: "soft" }, item.place));
      option.addEventListener("click", (event) => {
        if (item.path) return remember(item);
        event.preventDefault();
        dialog.append(item.form);
        item.form.requestSubmit();
      });
      return option;
    });
    return element("div", { role: "group", "aria-label": label }, heading, ...all);
  };
  const items = (section) => [...section.querySelectorAll("li")].map((item) => {
    const form = item.querySelector("form");
    const target = item.querySelector("a,button");
    return { title: target.textContent, place: item.querySelector(".soft")?.textContent ?? "", path: target.getAttribute("href"), form };
  });

  const show = (page, text) => {
    const groups = [...page.querySelectorAll("section")].map((section) => group(section.querySelector("h2").textContent, items(section)));
    const before = text ? [] : recent();
    if (before.length > 0) groups.unshift(group(dialog.dataset.recent, before));
    list.replaceChildren(...groups);
    const all = options();
    all.forEach((option, number) => { option.id = `palette-${number}`; });
    field.setAttribute("aria-expanded", String(all.length > 0));
    select(all[0]);
    status.textContent = all.length > 0 ? `${list.ariaLabel}: ${all.length}` : page.querySelector("p").textContent;
    dialog.classList.toggle("empty-handed", all.length === 0);
    list.scrollTop = 0;
  };
  let request;
  const load = async () => {
    request?.abort();
    request = new AbortController();
    list.ariaBusy = "true";
    const text = field.value.trim();
    try {
      const answer = await fetch(`${form.action}?${new URLSearchParams(new FormData(form))}`, { signal: request.signal, headers: { "HX-Request": "true" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("results");
      // Without results, it is another page, such as the sign-in page or an error.
      if (!page) return form.submit();
      show(page, text);
      list.ariaBusy = "false";
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  };
  // The newest search. Enter waits for it, so it never opens a result of an earlier text.
  let newest;
  const search = () => { newest = load(); };
  const open = () => {
    if (dialog.open) return field.select();
    field.value = "";
    dialog.showModal();
    search();
  };

  opener.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  document.addEventListener("keydown", (event) => {
    const isPressed = isApple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
    if (!isPressed || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    open();
  });
  field.addEventListener("input", search);
  field.addEventListener("keydown", async (event) => {
    const all = options();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && all.length > 0) {
      event.preventDefault();
      select(all[(all.indexOf(active()) + step + all.length) % all.length]);
    }
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      const awaited = newest;
      await awaited;
      if (awaited !== newest || !dialog.open) return;
      if (active()) active().click();
      else form.requestSubmit();
    }
  });
  list.addEventListener("pointermove", (event) => {
    const option = event.target.closest("[role=option]");
    if (option && option !== active()) select(option);
  });
  // A click beside the dialog closes it.
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => { request?.abort(); });
})();
