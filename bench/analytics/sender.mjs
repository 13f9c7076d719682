// A thread that sends page requests or reports at a fixed rate, in phases. A request is sent when it is due, also if
// earlier ones are slow, and its time starts then.

import { parentPort, workerData } from "node:worker_threads";

import { Connections } from "./connections.mjs";
import { pageRequest, report } from "./requests.mjs";

const { base, hosts, pages, kind, rate } = workerData;
const connections = new Connections(new URL(base));
let number = 0;

/** Sends one. Returns its status, and adds what it should count to the tally. */
async function sendOne(tally) {
  const [host, page, of] = [hosts[number % hosts.length], pages[(number * 7) % pages.length], number++];
  const { bytes, counts } = kind === "pages" ? pageRequest(host, page, of) : report(host, page, of);
  const status = await connections.send(bytes);
  if (status === 200 || status === 204) for (const [name, count] of Object.entries(counts)) tally[name] = (tally[name] ?? 0) + count;
  return status;
}

/** Sends for a time that starts at a time of the system's clock. Answers with times and statuses. */
async function phase({ start, seconds }) {
  const [total, rows, lags, tally, statuses] = [Math.round(rate * seconds), [], [], {}, {}];
  const offset = Date.now() - performance.now();
  const first = start - offset;
  const all = [];
  let sent = 0;
  await new Promise((resolve) => {
    const step = () => {
      const now = performance.now();
      for (; sent < total && first + (sent * 1000) / rate <= now; sent++) {
        const due = first + (sent * 1000) / rate;
        lags.push(performance.now() - due);
        all.push(sendOne(tally).then((status) => {
          rows.push(performance.now() - due);
          statuses[status] = (statuses[status] ?? 0) + 1;
        }));
      }
      if (sent < total) setTimeout(step, 1);
      else resolve();
    };
    step();
  });
  await Promise.all(all);
  parentPort.postMessage({ rows: Float64Array.from(rows), lags: Float64Array.from(lags), tally, statuses });
}

parentPort.on("message", (message) => {
  if (message === "close") {
    connections.close();
    parentPort.close();
  } else {
    phase(message);
  }
});
