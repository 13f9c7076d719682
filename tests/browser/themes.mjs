// Pictures of the themes, all of the same page.
//
//   DOCWRIGHT=target/release/docwright node tests/browser/themes.mjs            those of the manual
//   DOCWRIGHT=target/release/docwright node tests/browser/themes.mjs --all DIR  each theme: light, dark, narrow, from right to left

import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fixture } from "./fixture.mjs";
import { files, THEMES } from "./theme_site.mjs";

const MANUAL = new URL("../../docs/images/themes/", import.meta.url).pathname;
// Bytes of a picture of the manual.
const LARGEST = 40_000;

async function open(site, path, { dark = false, width = 1440, height = 900 } = {}) {
  const page = await site.open(path, { width, height, colorScheme: dark ? "dark" : "light" });
  await page.evaluate(() => document.fonts.ready);
  return page;
}

async function webp(page) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 60 });
  return Buffer.from(data, "base64");
}

async function manual() {
  mkdirSync(MANUAL, { recursive: true });
  for (const theme of THEMES) {
    const site = await fixture(files(theme));
    for (const [mode, dark] of [["light", false], ["dark", true]]) {
      const page = await open(site, "index.html", { dark });
      const file = join(MANUAL, `${theme}-${mode}.webp`);
      writeFileSync(file, await webp(page));
      if (statSync(file).size > LARGEST) throw new Error(`${file} is larger than ${LARGEST} bytes`);
      await page.context().close();
    }
    await site.close();
  }
}

async function all(folder) {
  mkdirSync(folder, { recursive: true });
  const looks = [["light", "index.html", {}], ["dark", "index.html", { dark: true }], ["narrow", "index.html", { width: 390, height: 844 }], ["rtl", "ar.html", {}]];
  for (const theme of THEMES) {
    const site = await fixture(files(theme, { languages: true }));
    for (const [name, path, options] of looks) {
      const page = await open(site, path, options);
      await page.screenshot({ path: join(folder, `${theme}-${name}.png`) });
      await page.context().close();
    }
    await site.close();
  }
}

const [flag, into] = process.argv.slice(2);
await (flag === "--all" ? all(into) : manual());
