// Which commits become questions. The rule was written before anything was measured, and it names no repository.

// Questions of one page, and of one repository. The newest commits count.
export const MOST_OF_PAGE = 3;
export const MOST_OF_REPOSITORY = 75;
// Parents of one repository that are asked.
export const MOST_PARENTS = 20;
// Words of a subject, and words of it that tell something.
const LEAST_WORDS = 4;
const LEAST_TELLING = 2;
// Share of the added lines that the page still has.
const LEAST_KEPT = 0.5;
// Added lines of a commit that adds something new.
const LEAST_ADDED = 3;
// Lines that such a commit removes, for each that it adds.
const MOST_REMOVED = 0.2;

// Words that nearly every subject has, and words without a meaning of their own.
const GENERIC = new Set(`a about across after again all also an and any are as at be before better between bit both but
by can change changed changes clarify clarification clarifications clean cleanup code content correct corrections
description detail details doc docs document documentation documented documenting edit edits example examples expand
explain extra feat feature features few file files first fix fixed fixes for from get guide guides how if improve
improved improvements improving in info information instructions into is it its latest make minor missing misc more
move moved new note notes of old on one only or other our out page pages reference references refresh remove removed
rephrase replace restructure rewrite section sections set simplify small some step steps tech text than
that the their them there these this to tutorial tweak tweaks up update updated updates updating use used using v1 v2
various via was we when where which with without wording you your add added adding adds create creating include
mention introduce initial improve tidy polish details paragraph paragraphs statement`.split(/\s+/));

// Subjects about the form of a page, not about what it says.
const FORM = /\b(typos?|spelling|grammar|wording|format\w*|whitespace|indent\w*|links?|anchors?|images?|screenshots?|gifs?|videos?|icons?|banners?|logos?|nav\w*|sidebar|seo|frontmatter|titles?|headings?|lint\w*|vale|prettier|reviews?|feedback|suggestions?|comments?|merge\w*|wip|draft|render\w*|mdx|markdown|snippets?|style|styling|table of contents|toc|broken|rename\w*|bump|layouts?|cards?|backticks?|commas?|hyphens?|dash(?:es)?|code blocks?|callouts?|sentences?|phrasing|menus?|duplicat\w*|refactor\w*|escaping|hygiene|placeholders?|todos?)\b/i;
// A subject that takes something away: the page doesn't say it any longer.
const REMOVAL = /^(remove|delete|drop|hide|revert|undo|deprecate|move|reorder)\w*\b/i;
const NEW = /^(add|document|introduce|describe|explain|new)\w*\b/i;
const BOT = /\bbots?\b|\[bot\]|mintlify|github-?actions|dependabot|renovate|devin|copilot|cursor ?agent|claude|codex/i;
const AUTOMATIC = /^\[?auto|^revert|^merge|web editor|changelog|release notes|copy of|code samples/i;
const IMAGE = /\.(png|jpe?g|gif|svg|webp|avif|mp4|webm)$/i;
// Words before the subject itself: the type of a commit. Its scope stays.
const TYPE = /^(feat|fix|docs?|chore|refactor|improve(?:ment)?|update|add|content|style|build|ci)(?:\(([^)]*)\))?!?:\s*/i;

// The only page among the changed files, which can otherwise be `docs.json` and images.
export function changedPage(paths, root) {
  const others = paths.filter((path) => path !== `${root}docs.json` && !IMAGE.test(path));
  if (others.length !== 1 || !others[0].startsWith(root) || !/\.mdx?$/.test(others[0])) return undefined;
  return others[0];
}

// Whether a program made the commit, or its subject.
export function isAutomatic(author, subject) {
  return BOT.test(author) || AUTOMATIC.test(subject);
}

// The question of a subject, if it says in English words what the page says since. The type of the commit, numbers of
// issues, trailers, and marks in brackets aren't part of it. The name of the page or of the product alone isn't enough.
export function questionOf(subject, page, product) {
  if (AUTOMATIC.test(subject) || /[^\x20-\x7e‘’“”–—…]/.test(subject)) return undefined;
  const question = subject
    .replace(/^\[[^\]]*\]\s*/, "")
    .replace(TYPE, (_, type, scope) => (scope ? `${scope}: ` : ""))
    .replace(/\s+[A-Z]\w+-[A-Z]\w+: \S+$/, "")
    .replace(/\s*\((?:#\d+|[A-Z]+-\d+)\)/g, "")
    .replace(/^[A-Z]+-\d+:?\s+/, "")
    .trim();
  const words = question.toLowerCase().split(/[^\p{L}\p{N}_.-]+/u).map((word) => word.replace(/^[.-]+|[.-]+$/g, "")).filter(Boolean);
  const name = partsOf(page.split("/").at(-1));
  const products = partsOf(product);
  const telling = new Set(words.filter((word) => !GENERIC.has(word) && !products.has(word) && /\p{L}/u.test(word)));
  const isName = [...telling].every((word) => [...partsOf(word)].every((part) => name.has(part)));
  if (words.length < LEAST_WORDS || telling.size < LEAST_TELLING || isName) return undefined;
  if (FORM.test(question) || REMOVAL.test(question) || /\.\.\.$|…$/.test(question)) return undefined;
  return question;
}

function partsOf(name) {
  return new Set(name.toLowerCase().split(/[^a-z0-9]+/));
}

// Whether the page still has most of what the commit added.
export function isKept(added, text) {
  const lines = new Set(text.split("\n").map((line) => line.trim()));
  const kept = added.filter((line) => lines.has(line)).length;
  return added.length > 0 && kept >= LEAST_KEPT * added.length;
}

// Whether a commit adds something new, and says so.
export function isNew(question, added, removed) {
  return NEW.test(question) && removed.length <= MOST_REMOVED * added.length && added.length >= LEAST_ADDED;
}
