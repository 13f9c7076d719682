// Chromium for tests: the program that DOCWRIGHT_TEST_CHROMIUM names, as `cargo xtask test` does.

import { chromium } from "playwright-core";

// The shell of Chromium rounds the widths of letters to whole pixels by default, which browsers of readers don't.
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"];

// Starts Chromium with more arguments.
export function launchChromium(more = []) {
  return chromium.launch({ executablePath: process.env.DOCWRIGHT_TEST_CHROMIUM ?? "/usr/bin/chromium", args: [...ARGUMENTS, ...more] });
}
