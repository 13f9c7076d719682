// What a drawn diagram shows, read from its SVG in a browser: texts and where they stand, edges, groups, size.
// `facts` runs in the page, so it uses nothing from outside.

export function facts(svg) {
  const scale = svg.getScreenCTM()?.a || 1;
  const origin = svg.getBoundingClientRect();
  const tidy = (text) => text.replace(/[\s\u200b\u00a0]+/g, "");
  const box = (rectangle) => ({
    x: (rectangle.left - origin.left) / scale,
    y: (rectangle.top - origin.top) / scale,
    width: rectangle.width / scale,
    height: rectangle.height / scale,
  });
  const rangeOf = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  };
  const isShown = (element) => {
    const style = getComputedStyle(element);
    return style.visibility !== "hidden" && style.display !== "none" && Number(style.opacity) > 0.05;
  };
  // A block of text is an HTML label, or an SVG text.
  const blocks = [...svg.querySelectorAll("foreignObject,text")].filter((each) => tidy(each.textContent) && isShown(each));
  const label = (element) => element.closest(".edgeLabel,.edgeTerminals,.messageText,.relationshipLabel");
  const place = (element) =>
    label(element) ? "edge label" : element.closest(".cluster,.cluster-label") ? "group" : element.closest(".node") ? "node" : "text";
  const texts = blocks.map((element) => ({
    text: tidy(element.textContent),
    shown: (element.innerText ?? element.textContent).trim(),
    place: place(element),
    box: box(element.tagName === "text" ? element.getBoundingClientRect() : rangeOf(element)),
    ...colors(element),
  }));
  const paths = [
    ...new Set(svg.querySelectorAll(".flowchart-link,.transition,.relation,.relationshipLine,.messageLine0,.messageLine1,.edgePaths path,path.edge")),
  ].filter((path) => path.getAttribute("d") || path.tagName === "line");
  const nodes = [...svg.querySelectorAll("g.node")].map((node) => ({ id: node.id, box: box(node.getBoundingClientRect()), text: tidy(node.textContent) }));

  // The color of a text, and that of the nearest filled shape behind it.
  function colors(element) {
    const inner = element.tagName === "text" ? element.querySelector("tspan") ?? element : element.querySelector("p,span,div") ?? element;
    const style = getComputedStyle(inner);
    const color = element.tagName === "text" ? style.fill : style.color;
    for (let holder = inner; holder && holder !== svg; holder = holder.parentElement) {
      const background = getComputedStyle(holder).backgroundColor;
      if (holder.namespaceURI.endsWith("xhtml") && background !== "rgba(0, 0, 0, 0)") return { color, behind: background };
      if (!holder.classList?.contains("node") && !holder.classList?.contains("cluster")) continue;
      for (const shape of holder.querySelectorAll("rect,polygon,circle,ellipse,path")) {
        const fill = getComputedStyle(shape).fill;
        if (fill !== "none" && !/, 0\)$/.test(fill)) return { color, behind: fill };
      }
    }
    return { color, behind: undefined };
  }

  // Boxes that an edge goes through: those that hold its points well inside, unless it starts or ends there.
  function crossed(path) {
    if (!path.getTotalLength) return [];
    const length = path.getTotalLength();
    const matrix = path.getScreenCTM();
    const at = (share) => {
      const point = path.getPointAtLength(length * share).matrixTransform(matrix);
      return { x: (point.x - origin.left) / scale, y: (point.y - origin.top) / scale };
    };
    const holds = (node, point, room) =>
      point.x > node.box.x + room && point.x < node.box.x + node.box.width - room &&
      point.y > node.box.y + room && point.y < node.box.y + node.box.height - room;
    const others = nodes.filter((node) => ![0, 1].some((end) => holds(node, at(end), -8)));
    const found = new Set();
    for (let step = 1; step < 40; step += 1) {
      for (const node of others) if (holds(node, at(step / 40), 4)) found.add(node.text);
    }
    return [...found];
  }

  const overlaps = [];
  for (let first = 0; first < texts.length; first += 1) {
    for (let second = first + 1; second < texts.length; second += 1) {
      const [a, b] = [texts[first].box, texts[second].box];
      const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
      const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
      // Lines of neighbors touch; letters that lie on letters share more.
      if (width > 3 && height > 0.35 * Math.min(a.height, b.height)) overlaps.push([texts[first].text, texts[second].text].sort().join(" / "));
    }
  }
  return {
    width: origin.width / scale,
    height: origin.height / scale,
    texts,
    overlaps,
    edges: paths.length,
    ends: paths.map((path) => path.dataset.id ?? "").filter(Boolean).sort(),
    crossed: paths.flatMap(crossed),
    groups: svg.querySelectorAll(".cluster").length,
    nodes: nodes.length,
  };
}
