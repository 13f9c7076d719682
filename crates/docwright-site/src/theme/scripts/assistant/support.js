// The way from the assistant to people: a link with the id of the conversation, so that the support can find it.

// Characters of a question in the subject of an email.
const MOST_SUBJECT = 120;

// The link, or `null` if the deployment has no support address. `turn` is what the reader could need help with.
function supportLink({ words, support }, thread, turn) {
  if (!support) return null;
  const isPage = /^https:/i.test(support);
  const href = isPage ? supportPage(support, thread) : supportEmail(support, thread, turn?.question || words.title);
  return create("a", { class: "dw-assistant-support", href, target: isPage ? "_blank" : null, rel: isPage ? "noopener" : null }, words.support);
}

function supportPage(support, thread) {
  const address = new URL(support);
  if (thread) address.searchParams.set("thread", thread);
  return address.href;
}

function supportEmail(support, thread, subject) {
  const body = ["", "", location.origin + location.pathname, thread].join("\n").trimEnd();
  // Half a character can't be encoded.
  const start = subject.slice(0, MOST_SUBJECT).replace(/[\ud800-\udbff]$/, "");
  return `mailto:${support}?subject=${encodeURIComponent(start)}&body=${encodeURIComponent(body)}`;
}
