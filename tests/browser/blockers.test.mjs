// Lists of ad blockers don't name the script and the address by which pages report to their own server. The lists are
// those of Debian's package of uBlock Origin, which has EasyPrivacy and EasyList.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FiltersEngine, Request } from "@ghostery/adblocker";

const LISTS = "/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/uBlock0@raymondhill.net/assets/thirdparties/easylist";
const source = (path) => readFileSync(new URL(`../../crates/${path}`, import.meta.url), "utf8");
const [, script] = /const SCRIPT: &str = "(.+)";/.exec(source("docwright-site/src/theme/analytics.rs"));
const [, address] = /const PATH: &str = "\/(.+)";/.exec(source("docwright-serving/src/analytics/report.rs"));

const missing = existsSync(LISTS) ? false : "left out: Debian's package webext-ublock-origin-firefox isn't installed";

for (const list of ["easyprivacy.txt", "easylist.txt"]) {
  test(`${list} has neither the script nor the address of reports`, { skip: missing }, () => {
    const engine = FiltersEngine.parse(readFileSync(join(LISTS, list), "utf8"));
    const blocked = (type, url) => engine.match(Request.fromRawDetails({ type, url, sourceUrl: "https://docs.example.com/guide" }));
    for (const base of ["https://docs.example.com", "https://example.com/docs", "https://acme.preview.example.com"]) {
      for (const [type, path] of [["script", script], ["ping", address], ["xhr", address]]) {
        const { match, filter } = blocked(type, `${base}/${path}`);
        assert.equal(match, false, `${type} ${base}/${path}: ${filter}`);
      }
    }
    const known = { "easyprivacy.txt": "https://www.google-analytics.com/analytics.js", "easylist.txt": "https://securepubads.g.doubleclick.net/tag/js/gpt.js" }[list];
    assert.equal(blocked("script", known).match, true, `${list} is read`);
  });
}
