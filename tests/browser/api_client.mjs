// Requests to the API of a test's service, and waits for what follows from them.

import assert from "node:assert/strict";

// Sends a request with a key, and returns the response's JSON; null if it is empty.
export async function send(address, key, method, path, body) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(`${address}${path}`, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

// Repeats a check until it returns something. Fails after a minute, with the last thing that it read.
export async function until(what, check) {
  const last = {};
  const limit = AbortSignal.timeout(60_000);
  while (!limit.aborted) {
    const found = await check(last);
    if (found) return found;
  }
  assert.fail(`${what}: ${JSON.stringify(last)}`);
}

// Publishes the newest commit of a project. A release that a poll started can hold the same pages, and then the update
// is skipped once that one is ready.
export async function publish(call, project) {
  const { statusId } = await call("POST", `/v1/project/update/${project}`, {});
  await ended(call, statusId);
}

// Waits until an update ends. Fails if the update failed.
export async function ended(call, statusId) {
  await until("the site is published", async (last) => {
    const { status, summary } = await call("GET", `/v1/project/update-status/${statusId}`);
    Object.assign(last, { status, summary });
    assert.notEqual(status, "failure", summary);
    return status === "success" || status === "skipped";
  });
}
