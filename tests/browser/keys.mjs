// Measures how long the search dialog of a built site takes from a key to its results: node keys.mjs SITE QUERIES
// [--slowdown 6] [--every 5]. QUERIES is a file of bench/search. Every fifth query is typed letter by letter in
// Chromium, with the processor slowed down. "List" is the time until the results are in the list, "frame" until the
// browser has painted them. The first key of the page is apart, since it loads the index. "Work" is the processor time
// of the page's thread until then, times the slowdown: other programs on the machine change it little.

import { readFileSync } from "node:fs";
import { serve } from "./fixture.mjs";

const [site, file] = process.argv.slice(2);
const slowdown = option("--slowdown", 6);
const every = option("--every", 5);
const queries = readFileSync(file, "utf8").split("\n").filter((line) => line && !line.startsWith("#")).map((line) => line.split("\t"));

const served = await serve(site);
try {
  const page = await served.open("index.html");
  // The first page can redirect.
  await page.locator("[data-search-open]:visible").first().waitFor();
  const language = await page.evaluate(() => document.documentElement.lang || "en");
  const asked = queries.filter((query) => query[0] === language).map((query) => query[1]).filter((_, at) => at % every === 0);
  await page.locator("[data-search-open]:visible").first().click();
  await page.locator("#search-input").waitFor();
  const session = await page.context().newCDPSession(page);
  const times = await typed(page, asked, slowdown);
  console.log(`first key: list ${times[0].list.toFixed(0)} ms, frame ${times[0].frame.toFixed(0)} ms`);
  print("list", times.slice(1));
  print("frame", times.slice(1));
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ["blink.user_timing"] });
  const keys = await typed(page, asked, 1);
  const work = workOf(JSON.parse(await browser.stopTracing()).traceEvents);
  for (const kind of ["list", "frame"]) print(`work until ${kind}`, keys.map((key, at) => ({ ...key, [`work until ${kind}`]: slowdown * work[kind][at] })));
} finally {
  await served.close();
}

// Types the queries, and returns the times of each key in milliseconds.
async function typed(page, asked, rate) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
  const times = [];
  for (const query of asked) {
    for (let length = 1; length <= query.length; length += 1) {
      const text = query.slice(0, length);
      times.push({ ...(await page.evaluate(press, text)), query: text });
    }
  }
  return times;
}

// The thread's processor time between the marks of each key, in milliseconds.
function workOf(events) {
  const at = (name) => events.filter((event) => event.name === name && event.cat === "blink.user_timing").map((event) => event.tts / 1000);
  const starts = at("key");
  const since = (name) => at(name).map((time, number) => time - starts[number]);
  return { list: since("list"), frame: since("frame") };
}

// Runs in the page: changes the query as a key does, and waits for the results.
function press(query) {
  const input = document.querySelector("#search-input");
  const channel = new MessageChannel();
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      observer.disconnect();
      const list = performance.now() - start;
      performance.mark("list");
      requestAnimationFrame(() => {
        channel.port1.onmessage = () => {
          performance.mark("frame");
          resolve({ list, frame: performance.now() - start });
        };
        channel.port2.postMessage(null);
      });
    });
    observer.observe(document.querySelector(".dw-search-dialog"), { childList: true, subtree: true });
    const start = performance.now();
    performance.mark("key");
    input.value = query;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

function print(kind, times) {
  const sorted = times.toSorted((one, other) => one[kind] - other[kind]);
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)];
  const figures = [0.5, 0.9, 0.99, 1].map((share) => at(share)[kind].toFixed(0));
  console.log(`${kind}: ${sorted.length} keys, median ${figures[0]} ms, p90 ${figures[1]}, p99 ${figures[2]}, most ${figures[3]} (“${at(1).query}”)`);
}

function option(name, usual) {
  const at = process.argv.indexOf(name);
  return at < 0 ? usual : Number(process.argv[at + 1]);
}
