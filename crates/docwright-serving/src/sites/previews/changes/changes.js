// Keys of a page with its changes: arrows go from change to change, and then to the next page; `d` opens the page.
(() => {
  // Pixels. Marks that begin closer together are one change: what was removed is beside what was added.
  const APART = 40;
  let shown = -1;
  const changes = () => {
    const marks = [...document.querySelectorAll(".dw-changes-sides :is(ins,del)")].map((mark) => [mark.getBoundingClientRect().top + scrollY, mark]);
    const groups = [];
    let last = -Infinity;
    for (const [top, mark] of marks.sort(([one], [other]) => one - other)) {
      if (top - last > APART) groups.push([]);
      groups.at(-1).push(mark);
      last = top;
    }
    return groups;
  };
  const show = (step) => {
    const all = changes();
    const group = all[shown + step];
    if (!group) return document.querySelector(step > 0 ? "a[rel=next]" : "a[rel=prev]")?.click();
    for (const mark of document.querySelectorAll("[data-shown]")) delete mark.dataset.shown;
    for (const mark of group) mark.dataset.shown = "";
    shown += step;
    group[0].scrollIntoView({ block: "center" });
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "d") location.assign(document.baseURI);
    else if (step) show(step);
    else return;
    event.preventDefault();
  });
  document.querySelector(".dw-changes-keys").hidden = false;
})();
