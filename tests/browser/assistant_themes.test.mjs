// The button of the assistant and the room for its panel, in each theme.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { answered, turn } from "./assistant_reader.mjs";
import { assistantServer } from "./assistant_server.mjs";
import { ANSWER, RATED } from "./assistant_site.mjs";
import { fixture } from "./fixture.mjs";
import { overlaps } from "./pages.mjs";
import { files, THEMES } from "./theme_site.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const server = assistantServer();
const sites = {};

before(async () => {
  for (const theme of THEMES) sites[theme] = await fixture(files(theme, { languages: true }), { flags: ["--assistant"], handle: server.handle });
});
after(async () => {
  for (const site of Object.values(sites)) await site.close();
});

for (const theme of THEMES) {
  test(`${theme} has one button, and room for it and the panel`, async () => {
    const page = await sites[theme].open("index.html");
    const check = async (width, state) => {
      await page.setViewportSize({ width, height: 900 });
      assert.equal(await page.locator(".dw-assistant-button:visible").count(), 1, `${width} ${state}`);
      assert.deepEqual(await overlaps(page, ":is(#navbar,.dw-sidebar-top,.dw-sidebar-foot)"), [], `${width} ${state}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${width} ${state}`);
      if (process.env.DOCWRIGHT_TEST_SCREENSHOTS) await page.screenshot({ path: join(process.env.DOCWRIGHT_TEST_SCREENSHOTS, `theme-${theme}-${width}-${state}.png`) });
    };
    for (const width of [1920, 1440, 1100, 1000, 700, 390, 360]) await check(width, "closed");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.locator(".dw-assistant-button:visible").click();
    await page.locator("#chat-assistant-textarea").waitFor();
    for (const width of [1920, 1440, 1280]) {
      await check(width, "open");
      const [text, panel] = await page.evaluate(() => [".dw-content", "#chat-assistant-sheet"].map((selector) => document.querySelector(selector).getBoundingClientRect()));
      assert.ok(text.right <= panel.left && text.width >= 420, `${width}: ${text.width} px of text`);
    }
    await page.context().close();
  });

  test(`${theme} has a panel without an error of axe, light and dark`, async () => {
    for (const colorScheme of ["light", "dark"]) {
      const page = await sites[theme].open("index.html", { colorScheme });
      await page.locator(".dw-assistant-button:visible").click();
      await page.locator("#chat-assistant-textarea").waitFor();
      await answered(server, page, "How do I install it?", ANSWER);
      await answered(server, page, "And then?", RATED);
      await turn(page).getByRole("button", { name: "Not helpful" }).click();
      await turn(page).locator(".dw-assistant-rating").waitFor();
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => globalThis.axe.run("#chat-assistant-sheet", { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), [], colorScheme);
      if (process.env.DOCWRIGHT_TEST_SCREENSHOTS) await page.screenshot({ path: join(process.env.DOCWRIGHT_TEST_SCREENSHOTS, `theme-${theme}-${colorScheme}-answer.png`) });
      await page.context().close();
    }
    server.ratings.splice(0);
  });

  test(`${theme} has the panel on the left from right to left`, async () => {
    const page = await sites[theme].open("ar.html");
    await page.locator(".dw-assistant-button:visible").click();
    await page.locator("#chat-assistant-textarea").waitFor();
    const [text, panel] = await page.evaluate(() => [".dw-content", "#chat-assistant-sheet"].map((selector) => document.querySelector(selector).getBoundingClientRect()));
    assert.ok(panel.left === 0 && text.left >= panel.right);
    await page.context().close();
  });
}
