// Prints the compressed bytes that the first query of a reader loads, for each given site: node first.mjs SITE...

import { open } from "./docwright.mjs";

// Pages that the dialog shows first.
const SHOWN = 6;
const QUERIES = [
  "webhook", "how do I retry a failed request", "api key rotation", "permision denied", "rate limits per user",
  "cluster settings", "data types", "MAX_RETRIES", "getting started", "load balancing between providers",
];

for (const site of process.argv.slice(2)) {
  for (const [language, index] of Object.entries(open(site))) {
    const sizes = [];
    for (const query of QUERIES) sizes.push([await index.first(query, SHOWN), query]);
    sizes.sort((one, other) => one[0] - other[0]);
    const [most, query] = sizes.at(-1);
    const median = sizes[Math.floor(sizes.length / 2)][0];
    console.log(`${site} ${language}: ${index.pages.length} pages, median ${Math.round(median / 1000)} kB, most ${Math.round(most / 1000)} kB (“${query}”)`);
  }
}
