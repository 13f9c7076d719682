// What readers see of a page: places, authors' styles, paper, diagrams, formulas.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";

const words = "Some words that fill a line or two of the page, so that places lie apart from each other. ".repeat(4);
const sections = Array.from({ length: 24 }, (_, number) => `## Section ${number + 1}\n\n${words}\n`).join("\n");

const DOLLARS = "Sends *$token*, $distinct_id* from $5 to $10, or $price/$unit; the area is $x^2$.";

const COMPONENTS = `---
title: Components
---

Text.

<Card title="A card">In a card.</Card>

<Steps><Step title="One">A step.</Step></Steps>

<ul className="not-prose" id="plain-list"><li>One</li></ul>

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

let site;

before(async () => {
  site = await fixture({
    "docs.json": {
      theme: "mint",
      name: "Fixture",
      colors: { primary: "#0f766e" },
      footer: { socials: { github: "https://github.com/example" } },
      navigation: {
        tabs: [
          { tab: "Guides", pages: ["index", "long", "components", "custom", "frame", "api/price"] },
          { tab: "More", pages: ["other"] },
        ],
      },
    },
    "index.mdx": "# Home\n\nHello.\n",
    "other.mdx": "# Other\n\nHello.\n",
    "components.mdx": COMPONENTS,
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
  test(`a link to a place shows it right below the header, at ${width} px`, async () => {
    for (const id of ["section-12", "a-step", "part-3"]) {
      const page = await site.open(`long.html#${id}`, { width });
      const measured = await page.evaluate((id) => ({
        top: document.getElementById(id).getBoundingClientRect().top,
        header: document.querySelector("header").getBoundingClientRect().bottom,
        marked: document.querySelector(".toc-item a[aria-current]")?.hash,
      }), id);
      const below = measured.top - measured.header;
      assert.ok(below >= 0 && below < 40, `#${id} lies ${below} px below the header`);
      assert.equal(measured.marked, `#${id}`);
      await page.context().close();
    }
  });
}

test("a link within the page arrives at once", async () => {
  const page = await site.open("long.html");
  const below = await page.evaluate(() => {
    location.hash = "#part-3";
    return document.getElementById("part-3").getBoundingClientRect().top - document.querySelector("header").getBoundingClientRect().bottom;
  });
  assert.ok(below >= 0 && below < 40, `${below} px`);
  await page.context().close();
});

// The documented classes that authors may hook styles on, and words that any author may use.
const CLASSES = ("accordion accordion-group active badge banner callout card card-group code-block code-group color color-row column columns " +
  "content directory examples expandable eyebrow feedback field frame icon layout line link math mermaid panel pagination playground prompt " +
  "prose related sidebar step steps switcher tabs tile toc toc-item tooltip tree update view").split(" ");

for (const path of ["components.html", "custom.html"]) {
  test(`no class that an author writes changes anything by itself: ${path}`, async () => {
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
        // A link without any class is prose; with one it is its author's.
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
  test(`a page in ${mode} mode has no typography and no footer of ours`, async () => {
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

test("`not-prose` holds for the element itself, and for what is in it", async () => {
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

test("a dollar sign in an API description is a dollar sign", async () => {
  const page = await site.open("api/price.html");
  const text = await page.locator(".mdx-content").innerText();
  assert.match(text, /Sends \$token, \$distinct_id\* from \$5 to \$10, or \$price\/\$unit;/);
  assert.equal(await page.locator(".mdx-content math").count(), 1);
  await page.context().close();
});
