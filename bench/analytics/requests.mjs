// Requests of readers, as bytes, and what each of them counts.

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";
/** Reports of a reader in a minute are limited, so there are many readers. */
const READERS = 200_000;
const LANGUAGES = ["en-US", "de-DE", "fr", "pt-BR", "ja", "zh-CN", "es", "it", "pl", "ko"];
const QUERIES = ["install", "api key", "webhook", "rate limit", "deploy", "redirect", "openapi", "search", "theme", "export"];

/** Events of a report. */
export const EVENTS = 10;

const address = (number) => {
  const reader = (number * 2_654_435_761) % READERS;
  return `10.${(reader >> 16) & 255}.${(reader >> 8) & 255}.${reader & 255}`;
};

const head = (start, host, number) =>
  `${start} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: ${BROWSER}\r\nx-forwarded-for: ${address(number)}\r\naccept-language: ${LANGUAGES[number % LANGUAGES.length]}\r\n`;

/** A request of a page. */
export function pageRequest(host, page, number) {
  const referrer = number % 3 === 0 ? `https://search-${number % 50}.example/` : `http://${host}/`;
  const bytes = `${head(`GET /${page}`, host, number)}accept: text/html\r\naccept-encoding: gzip\r\nreferer: ${referrer}\r\n\r\n`;
  const entry = number % 3 === 0 ? { referrer: 1, entry: 1 } : {};
  return { bytes, counts: { views: 1, language: 1, device: 1, ...entry } };
}

/** A report of a page's script with as many events as `EVENTS`. */
export function report(host, page, number) {
  const query = QUERIES[number % QUERIES.length];
  const events = [
    { view: { referrer: `https://blog-${number % 40}.example/`, utm_source: `mail-${number % 20}` } },
    { time: 30 }, { scroll: 75 }, { lcp: 900 + (number % 30) * 100 }, { inp: 40 + (number % 20) * 20 }, { cls: number % 200 },
    { search: [query, number % 4] }, { open: [query, page] }, { copy: "bash" }, { tab: `Tab ${number % 12}` },
  ];
  const body = JSON.stringify({ page, events });
  const bytes = `${head("POST /_docwright/reading", host, number)}origin: http://${host}\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const counts = {
    views: 1, referrer: 1, entry: 1, campaign_source: 1, language: 1, device: 1,
    reading_time: 1, scroll_depth: 1, largest_paint: 1, interaction_delay: 1, layout_shift: 1,
    search: 1, empty_search: number % 4 === 0 ? 1 : 0, opened_result: 1, copied_code: 1, chosen_tab: 1,
  };
  return { bytes, counts };
}
