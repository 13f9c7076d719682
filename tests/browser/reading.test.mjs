// Pages as readers see them: anchors, authors' styles, print, diagrams, and formulas.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fixture } from "./fixture.mjs";
import { isAccessible } from "./pages.mjs";

const words = "Some words that fill a line or two of the page, so that places lie apart from each other. ".repeat(4);
const sections = Array.from({ length: 24 }, (_, number) => `## Section ${number + 1}\n\n${words}\n`).join("\n");

const DOLLARS = "Sends *$token*, $distinct_id* from $5 to $10, or $price/$unit; the area is $x^2$.";

const COMPONENTS = `---
title: Components
---

Text with a [link](/index).

<Frame>
  ![A picture](/wide.svg)
</Frame>

\`\`\`js
const a = "b";
\`\`\`

<p id="in-dark" className="dark:text-white">Light on dark.</p>

<Tabs>
  <Tab title="First">One.</Tab>
  <Tab title="Second">Two.</Tab>
</Tabs>

<Card title="A card">In a card.</Card>

<Steps><Step title="One">A step.</Step></Steps>

<ul className="not-prose" id="plain-list"><li>One</li></ul>

<img src="/wide.svg" />

<div className="not-prose">

## Plain heading

</div>
`;

const BARE = `<div id="hero">
  <h1 id="big">A heading</h1>
  <p id="first">One</p>
  <p id="second">Two <a href="/index">home</a></p>
  <ul id="list"><li>One</li></ul>
</div>

<Note>

- A component keeps its typography.

</Note>
`;

const nodes = Array.from({ length: 14 }, (_, number) => `N${number}["A node with number ${number}"]`);
const DIAGRAM = `---
title: Diagram
---

\`\`\`mermaid actions={true}
flowchart LR
  ${nodes.slice(1).map((node, number) => `${nodes[number]} -->|"then()"| ${node}`).join("\n  ")}
\`\`\`
`;

const QUOTED = `---
title: Quoted
---

\`\`\`mermaid
flowchart TD
  A["User: \\"Ship it\\""] --> B[After]
\`\`\`
`;

const CHANGED = `---
title: Changed
---

\`\`\`js
import { old } from "package"; // [!code --]
import { other, "string" as name } from "package"; // [!code ++]
export const value = old(1, null); // [!code --]
export const value = other(1, null, name); // [!code ++]
\`\`\`
`;

const TREE = `---
title: Tree
---

\`\`\`mermaid
flowchart TD
  ${Array.from({ length: 12 }, (_, number) => `Root[The root of it] --> C${number}[A child with number ${number}]`).join("\n  ")}
\`\`\`

<div style={{ textAlign: "center" }}>

## Middle

</div>
`;

let site;

before(async () => {
  site = await fixture({
    "docs.json": {
      theme: "mint",
      name: "Fixture",
      colors: { primary: "#111827", light: "#111827" },
      footer: { socials: { github: "https://github.com/example" } },
      navigation: {
        tabs: [
          { tab: "Guides", pages: ["index", "long", "components", "diagram", "center", "custom", "frame", "api/price"] },
          { tab: "More", pages: ["other", "tree", "quoted", "changed"] },
        ],
      },
    },
    "index.mdx": "# Home\n\nHello.\n",
    "other.mdx": "# Other\n\nHello.\n",
    "components.mdx": COMPONENTS,
    "diagram.mdx": DIAGRAM,
    "changed.mdx": CHANGED,
    "tree.mdx": TREE,
    "quoted.mdx": QUOTED,
    "center.mdx": "---\ntitle: List list_all_organization_invitations_by_identifier\nmode: center\ndeprecated: true\n---\n\nHello.\n",
    "wide.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="300"><rect width="3000" height="300" fill="#0f766e"/></svg>',
    "custom.mdx": `---\ntitle: Custom\nmode: custom\n---\n\n${BARE}`,
    "frame.mdx": `---\ntitle: Frame\nmode: frame\n---\n\n${BARE}`,
    "api/price.mdx": '---\nopenapi: "GET /price"\n---\n',
    "api/spec.json": JSON.stringify({
      openapi: "3.1.0",
      info: { title: "T", version: "1" },
      servers: [{ url: "https://api.example" }],
      paths: { "/price": { get: { summary: "Price", description: DOLLARS, responses: { 200: { description: "OK" } } } } },
    }),
    "long.mdx": `---\ntitle: Long\n---\n\n${sections}\n<Steps>\n  <Step title="A step">${words}</Step>\n</Steps>\n\n${sections.replaceAll("Section", "Part")}`,
  });
});

after(() => site?.close());

for (const width of [1440, 390]) {
  test(`link to an anchor shows it right below the header, at ${width} px`, async () => {
    for (const id of ["section-12", "a-step", "part-3"]) {
      const page = await site.open(`long.html#${id}`, { width });
      // The current entry is marked after the first paint.
      await page.locator(".toc-item a[aria-current]").waitFor({ state: "attached" });
      const measured = await page.evaluate((id) => ({
        top: document.getElementById(id).getBoundingClientRect().top,
        // On phones the bar of the contents list is part of it.
        header: Math.max(...[...document.querySelectorAll(".dw-site-header,.dw-contents-bar")].map((each) => each.getBoundingClientRect().bottom)),
        marked: document.querySelector(".toc-item a[aria-current]")?.hash,
      }), id);
      const below = measured.top - measured.header;
      assert.ok(below >= 0 && below < 40, `#${id} lies ${below} px below the header`);
      assert.equal(measured.marked, `#${id}`);
      await page.context().close();
    }
  });
}

test("link within the page scrolls immediately", async () => {
  const page = await site.open("long.html");
  const below = await page.evaluate(() => {
    location.hash = "#part-3";
    return document.getElementById("part-3").getBoundingClientRect().top - document.querySelector("header").getBoundingClientRect().bottom;
  });
  assert.ok(below >= 0 && below < 40, `${below} px`);
  await page.context().close();
});

// The documented classes that authors can style, and words that authors can use as classes.
const CLASSES = ("accordion accordion-group active badge banner callout card card-group code-block code-group color color-row column columns " +
  "content directory examples expandable eyebrow feedback field frame icon layout line link math mermaid panel pagination playground prompt " +
  "prose related sidebar step steps switcher tabs tile toc toc-item tooltip tree update view").split(" ");

for (const path of ["components.html", "custom.html"]) {
  test(`class of an author has no effect by default: ${path}`, async () => {
    const page = await site.open(path);
    const changed = await page.evaluate((classes) => {
      const looks = (tag, name) => {
        const element = document.createElement(tag);
        const child = document.createElement("p");
        if (name) element.className = name;
        element.append(child);
        document.querySelector(".mdx-content").append(element);
        const look = JSON.stringify([element, child].map((each) => [...getComputedStyle(each)].map((key) => key + getComputedStyle(each)[key])));
        element.remove();
        return look;
      };
      return ["div", "a", "ul"].flatMap((tag) => {
        // A link without a class is prose; the style of a link with a class is up to the author.
        const plain = looks(tag, "some-class-of-nobody");
        return classes.filter((name) => looks(tag, name) !== plain).map((name) => `${tag}.${name}`);
      });
    }, CLASSES);
    assert.deepEqual(changed, []);
    await page.context().close();
  });
}

test("built-in components keep their documented classes", async () => {
  const page = await site.open("components.html");
  for (const name of ["card", "steps", "step", "nav-tabs-item", "mdx-content", "nav-logo", "eyebrow", "pagination-prev"]) {
    assert.ok(await page.locator(`.${name}`).count() > 0, name);
  }
  await page.context().close();
});

for (const mode of ["custom", "frame"]) {
  test(`page in ${mode} mode has no built-in typography and no footer`, async () => {
    const page = await site.open(`${mode}.html`);
    const look = await page.evaluate(() => {
      const style = (selector) => getComputedStyle(document.querySelector(selector));
      return {
        heading: style("#big").fontSize === style("#hero").fontSize && style("#big").marginTop === "0px",
        paragraph: style("#second").marginTop,
        link: style("#second a").textDecorationLine,
        list: style("#list").listStyleType,
        inComponent: style(".callout ul").listStyleType,
        footers: document.querySelectorAll("footer").length,
        sidebar: document.querySelector("#sidebar").checkVisibility(),
      };
    });
    assert.deepEqual(look, { heading: true, paragraph: "0px", link: "none", list: "none", inComponent: "disc", footers: 0, sidebar: mode === "frame" });
    await page.context().close();
  });
}

test("`not-prose` applies to the element and its contents", async () => {
  const page = await site.open("components.html");
  const look = await page.evaluate(() => {
    const style = (selector) => getComputedStyle(document.querySelector(selector));
    return {
      list: style("#plain-list").listStyleType,
      heading: style("#plain-heading").fontSize === style(".not-prose:has(h2)").fontSize,
      distance: style("#plain-list").marginTop !== "0px",
      anchor: style("#plain-heading > a").opacity,
      footers: document.querySelectorAll("footer").length,
    };
  });
  assert.deepEqual(look, { list: "none", heading: true, distance: true, anchor: "0", footers: 1 });
  await page.context().close();
});

test("dollar sign in an API spec is shown as text", async () => {
  const page = await site.open("api/price.html");
  const text = await page.locator(".mdx-content").innerText();
  assert.match(text, /Sends \$token, \$distinct_id\* from \$5 to \$10, or \$price\/\$unit;/);
  assert.equal(await page.locator(".mdx-content math").count(), 1);
  await page.context().close();
});

test("page in dark mode is printed dark on light", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const page = await site.open("components.html", { colorScheme: "dark", javaScriptEnabled });
    const brightest = () => page.evaluate(() => {
      const light = (color) => color.match(/[\d.]+/g).slice(0, 3).reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
      const texts = document.querySelectorAll("#page-title,.mdx-content :is(p,a,code,h2,span):not(:empty)");
      return Math.max(...[...texts].filter((each) => each.checkVisibility()).map((each) => light(getComputedStyle(each).color)));
    });
    assert.ok(await brightest() > 200, "dark mode has light text");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    assert.ok(await brightest() < 130, `text of brightness ${await brightest()} on paper`);
    await page.context().close();
  }
});

for (const colorScheme of ["light", "dark"]) {
  test(`words of added and removed lines can be read in ${colorScheme} mode`, async () => {
    const page = await site.open("changed.html", { colorScheme });
    assert.equal(await page.locator(".dw-line-add, .dw-line-remove").count(), 4);
    await isAccessible(page);
    await page.context().close();
  });
}

for (const width of [1440, 390]) {
  test(`diagram has its natural size and opens large, at ${width} px`, async () => {
    const page = await site.open("diagram.html", { width });
    const drawing = page.locator(".mermaid svg").first();
    const look = await drawing.evaluate((svg) => ({
      scale: svg.getScreenCTM().a,
      size: Math.min(...[...svg.querySelectorAll(".nodeLabel")].map((text) => parseFloat(getComputedStyle(text).fontSize))),
      text: svg.textContent,
      page: document.documentElement.scrollWidth,
    }));
    assert.ok(look.scale > 0.99 && look.size >= 12, JSON.stringify(look));
    assert.ok(look.text.includes("then()") && !look.text.includes('"'), look.text);
    assert.equal(look.page, width);
    await drawing.click({ position: { x: 20, y: 20 } });
    const large = page.locator("dialog[open] .dw-diagram-stage > svg");
    assert.ok(await large.isVisible());
    const size = () => large.evaluate((svg) => svg.getBoundingClientRect().width);
    const fitted = await size();
    await page.keyboard.press("+");
    assert.ok(await size() > fitted * 1.2);
    await page.mouse.move(width / 2, 400);
    await page.mouse.wheel(0, -300);
    assert.ok(await size() > fitted * 1.5);
    await page.keyboard.press("0");
    assert.ok(Math.abs(await size() - fitted) < 1);
    await page.keyboard.press("Escape");
    assert.ok(await drawing.isVisible());
    const button = page.locator(".mermaid [data-diagram-enlarge]");
    await button.click();
    assert.ok(await large.isVisible());
    await page.keyboard.press("Escape");
    assert.ok(await button.evaluate((each) => each === document.activeElement), "focus returns to the button");
    await page.context().close();
  });
}

test("diagram that the build can't draw is drawn in the browser, from a file too", async () => {
  const page = await site.open("index.html");
  assert.equal(await page.locator("script[src*='mermaid.js'],script[src*='diagrams.js']").count(), 0);
  await page.goto(pathToFileURL(join(site.folder, "quoted.html")).href);
  await page.locator(".mermaid[data-browser][data-done] .dw-mermaid-scroll > svg").waitFor();
  assert.ok(await page.locator(".dw-mermaid-scroll > svg").evaluate((svg) => svg.textContent.includes("After")));
  assert.ok(!(await page.locator(".mermaid .dw-mermaid-source").isVisible()));
  await page.context().close();
  const plain = await site.open("quoted.html", { javaScriptEnabled: false });
  assert.ok(await plain.locator(".mermaid pre").isVisible());
  await plain.context().close();
});

test("wide diagram is shown from its first node", async () => {
  const page = await site.open("tree.html", { width: 390 });
  const [root, box] = await page.evaluate(() => {
    const text = [...document.querySelectorAll(".mermaid .nodeLabel")].find((each) => /The root/.test(each.textContent));
    return [text, document.querySelector(".dw-mermaid-scroll")].map((each) => each.getBoundingClientRect().toJSON());
  });
  assert.ok(root.left >= box.left && root.right <= box.right, `the root is at ${root.left} to ${root.right}`);
  // A line of text is shown from its start.
  await page.goto(new URL("diagram.html", site.address).href);
  assert.equal(await page.locator(".dw-mermaid-scroll").first().evaluate((scroller) => scroller.scrollLeft), 0);
  await page.context().close();
});

test("centered heading is centered", async () => {
  const page = await site.open("tree.html");
  const off = await page.evaluate(() => {
    const heading = document.querySelector(".mdx-content h2");
    const range = document.createRange();
    range.selectNode(heading.firstChild);
    const [text, box] = [range, heading].map((each) => each.getBoundingClientRect());
    return Math.abs((text.left + text.right) / 2 - (box.left + box.right) / 2);
  });
  assert.ok(off < 1, `${off} px off`);
  await page.context().close();
});

test("page in center mode has its menu on the phone", async () => {
  const page = await site.open("center.html", { width: 390 });
  await page.locator("#mobile-nav > summary").click();
  await page.locator("#sidebar").getByRole("link", { name: "Long" }).click();
  await page.waitForURL(/long\.html/);
  await page.context().close();
});

test("zoomable image without alt text is a button with a name", async () => {
  const page = await site.open("components.html");
  const wordless = page.locator("img[src$='wide.svg']").nth(1);
  assert.equal(await wordless.getAttribute("alt"), "Image");
  assert.equal(await wordless.getAttribute("role"), "button");
  await page.context().close();
});

test("samples of an API page stand right below its address on phones", async () => {
  const page = await site.open("api/price.html", { width: 390 });
  const top = (selector) => page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().top);
  const places = [];
  for (const selector of [".dw-api-operation", ".code-group", ".mdx-content", ".pagination-prev"]) places.push(await top(selector));
  assert.deepEqual(places, [...places].sort((one, other) => one - other));
  await page.context().close();
});

test("frames keep their distance and accents are visible in dark mode", async () => {
  const page = await site.open("components.html", { colorScheme: "dark" });
  const distance = await page.evaluate(() => document.querySelector(".frame").getBoundingClientRect().top - document.querySelector(".frame").previousElementSibling.getBoundingClientRect().bottom);
  assert.ok(distance > 12, `${distance} px`);
  const contrasts = await page.evaluate(() => {
    const luminance = (color) => {
      const parts = color.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    const background = luminance(getComputedStyle(document.body).backgroundColor);
    return [["[role=tab][aria-selected=true]", "borderBottomColor"], [".nav-tabs-item[data-active]", "borderBottomColor"], [".mdx-content a.link", "textDecorationColor"]].map(
      ([selector, property]) => (luminance(getComputedStyle(document.querySelector(selector))[property]) + 0.05) / (background + 0.05),
    );
  });
  assert.ok(contrasts.every((contrast) => contrast >= 3), contrasts.join());
  await page.context().close();
});

test("zoomable image opens by keyboard", async () => {
  const page = await site.open("components.html");
  await page.getByRole("button", { name: "A picture" }).focus();
  await page.keyboard.press("Enter");
  assert.ok(await page.locator("dialog[open] img").isVisible());
  await page.context().close();
});

test("touch targets are at least 24 px high and wide", async () => {
  for (const path of ["components.html", "api/price.html", "diagram.html"]) {
    const page = await site.open(path, { width: 390, hasTouch: true, isMobile: true });
    await page.locator("#mobile-nav > summary").click();
    const small = await page.evaluate(() => [...document.querySelectorAll("a,button,summary,select,input,[role=button]")]
      // A link within text is as high as the line.
      .filter((each) => each.checkVisibility() && getComputedStyle(each).display !== "inline" && !each.closest(".dw-skip-link"))
      .map((each) => [each.outerHTML.slice(0, 90), each.getBoundingClientRect()])
      .filter(([, box]) => box.width > 1 && (box.width < 24 || box.height < 24))
      .map(([name, box]) => `${name} ${Math.round(box.width)}x${Math.round(box.height)}`));
    assert.deepEqual(small, [], path);
    await page.context().close();
  }
});

test("theme without mode `center` keeps its sidebar", async () => {
  const page = await site.open("center.html");
  const shown = (theme) => page.evaluate((theme) => {
    document.documentElement.dataset.theme = theme;
    return document.querySelector("#sidebar").checkVisibility();
  }, theme);
  assert.equal(await shown("mint"), false);
  assert.equal(await shown("maple"), false);
  assert.equal(await shown("almond"), true);
  await page.context().close();
});

for (const width of [1440, 360]) {
  test(`tags are not cut off at ${width} px`, async () => {
    const page = await site.open("center.html", { width });
    if (width < 1000) await page.locator("#mobile-nav > summary").click();
    const cut = await page.evaluate(() => [...document.querySelectorAll(".nav-tag-pill")].filter((pill) => {
      const box = pill.getBoundingClientRect();
      const outer = pill.parentElement.getBoundingClientRect();
      return pill.checkVisibility() && (pill.scrollWidth > pill.clientWidth || box.height > 30 || box.right > outer.right + 1);
    }).map((pill) => pill.outerHTML));
    assert.deepEqual(cut, []);
    await page.context().close();
  });
}

test("image is copied and downloaded with its buttons", async () => {
  const pictures = await fixture({
    "docs.json": { theme: "mint", name: "Fixture", navigation: { pages: ["index"] } },
    "picture.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#00f"/></svg>`,
    "index.mdx": [
      "---\ntitle: Home\n---",
      `<img src="/picture.svg" alt="Both" actions />`,
      `<img src="/picture.svg" alt="One" actions="download" actionsPlacement="top-left" />`,
      `<img src="/picture.svg" alt="None" actions={false} />`,
      `<a href="/"><img src="/picture.svg" alt="Link" actions /></a>`,
      `<img src="/picture.svg" alt="Dark" className="hidden dark:block" actions />`,
    ].join("\n\n"),
  });
  try {
    const page = await pictures.open("index.html", { permissions: ["clipboard-read", "clipboard-write"] });
    const counts = await page.evaluate(() => Array.from(document.querySelectorAll(".mdx-content img"), (image) =>
      [image.alt, image.closest(".dw-image")?.querySelectorAll("button").length ?? 0]));
    assert.deepEqual(counts, [["Both", 2], ["One", 1], ["None", 0], ["Link", 0], ["Dark", 2]]);
    const both = page.locator(".dw-image", { has: page.getByAltText("Both") });
    assert.equal(await both.locator(".dw-image-actions").evaluate((buttons) => getComputedStyle(buttons).opacity), "0");
    await both.hover();
    await both.getByRole("button", { name: "Copy" }).click();
    await both.locator("[data-copy-image][data-done]").waitFor();
    const types = await page.evaluate(async () => (await navigator.clipboard.read()).flatMap((item) => item.types));
    assert.deepEqual(types, ["image/png"]);
    const download = page.waitForEvent("download");
    await both.getByRole("button", { name: "Download" }).click();
    assert.equal((await download).suggestedFilename(), "picture.svg");
    assert.equal(await page.locator(".dw-image", { has: page.getByAltText("Dark") }).isVisible(), false);
    const [image, buttons] = await page.evaluate(() => [...document.querySelectorAll(".dw-image:has([alt=One]), .dw-image:has([alt=One]) .dw-image-actions")]
      .map((element) => element.getBoundingClientRect().toJSON()));
    assert.ok(buttons.left < image.left + 20 && buttons.top < image.top + 20, JSON.stringify([image, buttons]));
  } finally {
    await pictures.close();
  }
});
