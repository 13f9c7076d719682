// Asks the server, and reads the events of its answer as they arrive.

// Bytes of a request that the server takes, with room to spare.
const MOST_BYTES = 60_000;
// Earlier turns that are sent along.
const MOST_HISTORY = 10;

// The server refused to answer, or broke off. `status` is that of HTTP, 0 without one.
class AnswerError extends Error {
  constructor(status, sentence, retryAfter) {
    super(sentence || "");
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

// The body of a request. What doesn't fit of the earlier turns is left out, the oldest first.
function requestBody(question, history) {
  const kept = history.slice(-MOST_HISTORY);
  const size = () => new TextEncoder().encode(JSON.stringify({ ...question, history: kept })).length;
  while (kept.length > 0 && size() > MOST_BYTES) kept.shift();
  return JSON.stringify({ ...question, history: kept });
}

// A request to the server. `key` is that of a page of another site.
function post(address, key, body, options) {
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  if (key) headers.authorization = `Bearer ${key}`;
  return fetch(address, { method: "POST", headers, body, cache: "no-store", credentials: key ? "omit" : "same-origin", ...options });
}

// Sends the rating of an answer. Fails if the server doesn't take it.
async function sendRating({ endpoint, key }, rating) {
  // The rating arrives though the reader leaves the page.
  const response = await post(`${endpoint}/rating`, key, JSON.stringify(rating), { keepalive: true });
  if (!response.ok) throw new AnswerError(response.status);
}

// Sends a question. `receive` gets each event but the last: its name and data. Returns the data of `done`.
async function askServer({ endpoint, key }, body, signal, receive) {
  let response;
  try {
    response = await post(endpoint, key, body, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new AnswerError(0);
  }
  if (!response.ok || !/^text\/event-stream/i.test(response.headers.get("content-type"))) {
    const answer = await response.json().catch(() => null);
    throw new AnswerError(response.status, typeof answer?.error === "string" ? answer.error : "", secondsUntil(response.headers.get("retry-after")));
  }
  const reader = response.body.getReader();
  try {
    for await (const [name, data] of events(reader)) {
      if (name === "done") return data;
      if (name === "error") throw new AnswerError(200, typeof data.error === "string" ? data.error : "", data.retryAfter);
      receive(name, data);
    }
  } catch (error) {
    if (signal.aborted || error instanceof AnswerError) throw error;
    throw new AnswerError(200);
  } finally {
    // Closing the connection stops the model.
    reader.cancel().catch(() => {});
  }
  throw new AnswerError(200);
}

// The events of a stream, as name and data.
async function* events(reader) {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).replace(/\r\n/g, "\n").split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = readEvent(block);
      if (event) yield event;
    }
  }
}

function readEvent(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (field === "event") name = value;
    if (field === "data") data.push(value);
  }
  return data.length > 0 ? [name, JSON.parse(data.join("\n"))] : null;
}

// Seconds of the header `Retry-After`, which is a number or a date.
function secondsUntil(written) {
  if (!written) return undefined;
  return /^\d+$/.test(written) ? Number(written) : Math.max(0, Math.round((Date.parse(written) - Date.now()) / 1000)) || undefined;
}

// A time from now, in words.
function inTime(seconds, language) {
  const [value, unit] = seconds < 90 ? [seconds, "second"] : [Math.ceil(seconds / 60), "minute"];
  try {
    return new Intl.RelativeTimeFormat(language).format(value, unit);
  } catch (_) {
    // The site's language isn't one of the browser's.
    return new Intl.RelativeTimeFormat("en").format(value, unit);
  }
}

// The words for an error.
function problemOf(error, words) {
  if (error.status === 429) return words.busy.replace("{when}", inTime(error.retryAfter || 60, words.language));
  if (error.status === 0 && navigator.onLine === false) return words.offline;
  if (error.status === 200) return [words.broken, error.message].filter(Boolean).join(" ");
  // The server says what is wrong with a question, in English.
  if (error.status === 400 || error.status === 413) return error.message || words.down;
  return words.down;
}
