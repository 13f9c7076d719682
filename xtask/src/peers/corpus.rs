//! The plain corpus: pages of ordinary Markdown, the same for all tools and in each run. How a tool wants its
//! folders, frontmatter, and links is in `layout`.

use std::ops::Range;

/// Pages of a group.
const GROUP: usize = 50;
const NOUNS: &[&str] = &[
    "account",
    "address",
    "archive",
    "branch",
    "budget",
    "calendar",
    "catalog",
    "channel",
    "contract",
    "customer",
    "delivery",
    "device",
    "document",
    "folder",
    "garden",
    "harbor",
    "invoice",
    "journey",
    "kitchen",
    "letter",
    "library",
    "machine",
    "market",
    "meeting",
    "message",
    "mirror",
    "network",
    "office",
    "order",
    "package",
    "payment",
    "picture",
    "planner",
    "printer",
    "project",
    "record",
    "report",
    "request",
    "river",
    "schedule",
    "server",
    "shelf",
    "signal",
    "station",
    "storage",
    "ticket",
    "village",
    "warehouse",
    "window",
    "workshop",
];
const VERBS: &[&str] = &[
    "accepts",
    "arranges",
    "checks",
    "collects",
    "compares",
    "confirms",
    "connects",
    "copies",
    "counts",
    "creates",
    "describes",
    "finishes",
    "follows",
    "imports",
    "measures",
    "moves",
    "needs",
    "opens",
    "orders",
    "prepares",
    "prints",
    "protects",
    "receives",
    "repairs",
    "replaces",
    "returns",
    "sends",
    "shows",
    "sorts",
    "updates",
];
const ADJECTIVES: &[&str] = &[
    "active", "annual", "broad", "careful", "central", "common", "daily", "distant", "early",
    "empty", "final", "first", "gentle", "large", "local", "modern", "narrow", "open", "ordinary",
    "patient", "private", "public", "quick", "quiet", "recent", "regular", "second", "simple",
    "small", "steady", "useful", "weekly",
];

/// A page, without the layout of a tool.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Plain words without characters that need quotes in YAML or TOML.
    pub(super) title: String,
    /// A sentence.
    pub(super) description: String,
    /// Markdown without a heading of level 1.
    pub(super) body: String,
}

/// A number of pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corpus {
    /// The number of pages.
    pub(super) pages: usize,
}

impl Corpus {
    /// The numbers of pages, in groups.
    pub(super) fn groups(self) -> impl Iterator<Item = (String, Range<usize>)> {
        (0..self.pages)
            .step_by(GROUP)
            .map(move |first| (group_folder(first), first..usize::min(first + GROUP, self.pages)))
    }

    /// A page. `link` returns the target of a link to a page with that number.
    pub(super) fn page(self, number: usize, link: impl Fn(usize) -> String) -> Page {
        let mut words = Words::of_page(number);
        let title = words.title(number);
        let description = words.sentence();
        let mut text = Text { words, pages: self.pages, link };
        let body = [
            text.linked_paragraph(),
            text.section(),
            text.list("-"),
            text.section(),
            text.code(),
            text.linked_paragraph(),
            text.section(),
            text.table(),
            text.linked_paragraph(),
            text.section(),
            text.list("1."),
            text.shell(),
        ];
        Page { title, description, body: body.join("\n\n") + "\n" }
    }
}

/// The path of a page, without an extension.
pub(super) fn path(number: usize) -> String {
    format!("{}/page-{number}", group_folder(number))
}

fn group_folder(number: usize) -> String {
    format!("group-{}", number / GROUP)
}

/// Pseudorandom words (`SplitMix64`).
struct Words(u64);

impl Words {
    /// Words that depend on the page only, so that a page is the same in a corpus of any size except for its links.
    fn of_page(number: usize) -> Self {
        Self(number as u64 ^ 0x5851_f42d_4c95_7f2d)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let high = u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap_or_default();
        high as usize % limit
    }

    fn one_of(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }

    fn title(&mut self, number: usize) -> String {
        let (adjective, noun) = (self.one_of(ADJECTIVES), self.one_of(NOUNS));
        format!("The {adjective} {noun} {number}")
    }

    fn clause(&mut self) -> String {
        let subject = format!("{} {}", self.one_of(ADJECTIVES), self.one_of(NOUNS));
        format!("the {subject} {} the {}", self.one_of(VERBS), self.one_of(NOUNS))
    }

    fn sentence(&mut self) -> String {
        let joint = ["before", "after", "because", "while"][self.below(4)];
        format!("{} {joint} {}.", capitalized(&self.clause()), self.clause())
    }
}

fn capitalized(text: &str) -> String {
    text[..1].to_uppercase() + &text[1..]
}

/// The Markdown of a page.
struct Text<Link> {
    words: Words,
    /// The number of pages to link to.
    pages: usize,
    link: Link,
}

impl<Link: Fn(usize) -> String> Text<Link> {
    fn paragraph(&mut self) -> String {
        let sentences: Vec<_> = (0..4).map(|_| self.words.sentence()).collect();
        let (strong, code) = (self.words.one_of(NOUNS), self.words.one_of(NOUNS));
        format!("{} Mind the **{strong}** and set `{code}_limit`.", sentences.join(" "))
    }

    fn linked_paragraph(&mut self) -> String {
        let number = self.words.below(self.pages);
        let title = Words::of_page(number).title(number);
        format!("{} Read more in [{title}]({}).", self.paragraph(), (self.link)(number))
    }

    fn section(&mut self) -> String {
        format!("## {}\n\n{}", capitalized(&self.words.clause()), self.paragraph())
    }

    fn list(&mut self, marker: &str) -> String {
        let entries: Vec<_> =
            (0..5).map(|_| format!("{marker} {}", self.words.sentence())).collect();
        entries.join("\n")
    }

    fn table(&mut self) -> String {
        let mut table = "| Name | Meaning | Limit |\n| --- | --- | --- |".to_owned();
        for _ in 0..5 {
            let (name, meaning) = (self.words.one_of(NOUNS), self.words.clause());
            table +=
                &format!("\n| `{name}` | {} | {} |", capitalized(&meaning), self.words.below(900));
        }
        table
    }

    fn code(&mut self) -> String {
        let mut code = "```js".to_owned();
        for _ in 0..6 {
            let (name, verb) = (self.words.one_of(NOUNS), self.words.one_of(VERBS));
            let (limit, comment) = (self.words.below(900), self.words.clause());
            code += &format!("\nconst {name} = {verb}(\"{name}\", {limit}); // {comment}");
        }
        code + "\n```"
    }

    fn shell(&mut self) -> String {
        let (noun, other) = (self.words.one_of(NOUNS), self.words.one_of(NOUNS));
        format!(
            "```bash\ncd {noun}\ncat {other}.txt | sort > sorted.txt\necho \"{noun} is ready\"\n```"
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Corpus, path};

    #[test]
    fn page_is_the_same_each_time() {
        let corpus = Corpus { pages: 120 };
        let page = corpus.page(7, path);
        assert_eq!(page, corpus.page(7, path));
        assert_eq!(page.title, "The recent picture 7");
        let bodies: HashSet<_> = (0..120).map(|number| corpus.page(number, path).body).collect();
        assert_eq!(bodies.len(), 120);
    }

    #[test]
    fn page_has_all_kinds_of_blocks() {
        let body = Corpus { pages: 120 }.page(0, path).body;
        let parts =
            ["\n## ", "\n- ", "\n1. ", "\n| --- |", "```js\n", "```bash\n", "**", "](group-"];
        for part in parts {
            assert!(body.contains(part), "no {part:?} in {body}");
        }
        assert!((3_000..6_000).contains(&body.len()), "{} bytes", body.len());
    }

    #[test]
    fn text_means_the_same_to_all_tools() {
        let corpus = Corpus { pages: 120 };
        for number in 0..corpus.pages {
            let body = corpus.page(number, path).body;
            assert!(!body.contains(['{', '}', '<']), "MDX, Vue, or shortcodes in {body}");
        }
    }

    #[test]
    fn links_have_the_titles_of_their_pages() {
        let corpus = Corpus { pages: 120 };
        let titles: Vec<_> = (0..120).map(|number| corpus.page(number, path).title).collect();
        for number in 0..corpus.pages {
            let body = corpus.page(number, path).body;
            let links: Vec<_> = body.split("Read more in [").skip(1).collect();
            assert_eq!(links.len(), 3);
            for link in links {
                let (title, rest) = link.split_once("](").expect("a link");
                let target = titles.iter().position(|other| other == title).expect("a title");
                assert!(rest.starts_with(&format!("{})", path(target))), "{link}");
            }
        }
    }

    #[test]
    fn groups_have_all_pages_once() {
        let groups: Vec<_> = Corpus { pages: 120 }.groups().collect();
        let (names, ranges): (Vec<_>, Vec<_>) = groups.into_iter().unzip();
        assert_eq!(names, ["group-0", "group-1", "group-2"]);
        assert_eq!(ranges, [0..50, 50..100, 100..120]);
        assert_eq!(path(119), "group-2/page-119");
    }
}
