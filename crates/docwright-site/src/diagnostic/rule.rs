//! Every rule that a diagnostic can come from. The manual's table of diagnostics is made of this one.

use serde::{Deserialize, Serialize};

use super::Severity;

/// Declares the rules, in the order of their codes: code, severity, description, and a general fix, for
/// diagnostics without a better one.
macro_rules! rules {
    ($($name:ident = $code:literal, $severity:ident, $meaning:literal, $advice:literal;)*) => {
        /// The rule of a [`Diagnostic`](super::Diagnostic). Its [`code`](Self::code) is stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Rule {
            $(#[doc = $meaning] #[serde(rename = $code)] $name,)*
        }

        impl Rule {
            /// All of them, in the order of their codes.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its kebab-case name, such as `broken-link`.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code),* }
            }

            /// How much its diagnostics matter; some of them matter less, and say so.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity),* }
            }

            /// Its description, in one sentence without a period.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning),* }
            }

            /// How to fix it in general, in one sentence without a period.
            pub const fn advice(self) -> &'static str {
                match self { $(Self::$name => $advice),* }
            }
        }
    };
}

rules! {
    AmbiguousSpec = "ambiguous-spec", Warning,
        "An API spec or operation name matches several specs; the first one is used",
        "Name the spec by its path from the docs root";
    BrokenAnchor = "broken-anchor", Warning,
        "The linked page has no such anchor; if only dashes or similar differ, the link still works",
        "Correct the part after `#`, or add the heading";
    BrokenLink = "broken-link", Error,
        "A link leads to a page or file that doesn't exist",
        "Correct the link, add the page, or add a redirect";
    BrokenRef = "broken-ref", Error,
        "A `$ref` in `docs.json` names a file that doesn't exist, is outside the docs root, or refers back",
        "Correct the path, which is relative to the file that contains it";
    BrokenReference = "broken-reference", Warning,
        "A `$ref` in an API spec has no target",
        "Correct the reference, or add its target";
    DeadExternalLink = "dead-external-link", Error,
        "A link to another host is dead: the host returns 404 or 410, doesn't exist, or has no valid certificate; checked only with `check --external-links`",
        "Correct or remove the link";
    DuplicatePage = "duplicate-page", Warning,
        "Two files have the same path; the first one is used",
        "Rename or remove one of them";
    EmptyComponent = "empty-component", Warning,
        "A component has no content",
        "Add content between its tags";
    FailingCode = "failing-code", Error,
        "Code of a page or snippet fails when it runs",
        "Correct the code, or import what it uses";
    FileTooLarge = "file-too-large", Error,
        "A text file is larger than 10 MiB, a JSON or YAML file than 64 MiB, or another file than 20 MiB; it is left out",
        "Split it, shrink it, or put it on a file host and link to it";
    InvalidAttribute = "invalid-attribute", Warning,
        "An HTML attribute has an invalid name",
        "Correct its name";
    InvalidCode = "invalid-code", Error,
        "Code of a page or snippet has a syntax error",
        "Correct the statement on that line";
    InvalidColor = "invalid-color", Warning,
        "A color isn't valid CSS",
        "Use a color such as `#0f766e`";
    InvalidDiagram = "invalid-diagram", Warning,
        "A Mermaid diagram can't be drawn; the page shows its source",
        "Correct the diagram";
    InvalidFont = "invalid-font", Warning,
        "The file of a font isn't a font, is a stylesheet, or has another format than `fonts` says",
        "Name a WOFF2 or WOFF file";
    InvalidFrontmatter = "invalid-frontmatter", Warning,
        "The frontmatter isn't valid YAML, or isn't a list of `key: value` lines",
        "Quote values that contain `: ` or `#`, or start with a special character";
    InvalidGrammar = "invalid-grammar", Warning,
        "A custom language of `styling.codeblocks` can't be used",
        "Use a TextMate grammar in JSON";
    InvalidInstructions = "invalid-instructions", Warning,
        "Instructions or a skill of the assistant are too long, a skill has no name or description, or there are more than 50",
        "Shorten the text, or add `name` and `description` to the frontmatter of the skill";
    InvalidJson = "invalid-json", Error,
        "A file that `docs.json` includes with `$ref` isn't valid JSON",
        "Correct the JSON";
    InvalidMath = "invalid-math", Warning,
        "A formula isn't valid TeX; the page shows its source",
        "Correct the TeX, or write `\\$` for a dollar sign";
    InvalidMdx = "invalid-mdx", Error,
        "The page isn't valid MDX",
        "Close all tags and braces";
    InvalidProp = "invalid-prop", Warning,
        "A prop of a component has an invalid value",
        "Use a value that the component accepts";
    InvalidQuestions = "invalid-questions", Warning,
        "`.docwright/questions.yaml` isn't a list of golden questions; pull requests aren't checked with it",
        "Write each question with `question` and `pages`, or with `question` and `unanswered: true`";
    InvalidSettings = "invalid-settings", Warning,
        "`docwright.yaml` is invalid or contains an unknown setting, or a page has more than 1,000 docwright comments",
        "Correct the setting; an invalid one has no effect";
    InvalidSpec = "invalid-spec", Error,
        "An API spec is invalid; an unsupported version is a warning",
        "Correct it, or convert it to OpenAPI 3";
    InvalidSynonyms = "invalid-synonyms", Warning,
        "`.docwright/synonyms.yaml` isn't a list of groups with 2 to 20 names each, or has more than 500 groups",
        "Write a group as `- [PR, pull request]`; an invalid group has no effect";
    InvalidUtf8 = "invalid-utf-8", Error,
        "A text file isn't valid UTF-8",
        "Save it as UTF-8";
    InvalidValue = "invalid-value", Warning,
        "A key of `docs.json` has an invalid value; the default is used",
        "Use a value that the key accepts";
    LinkNotFollowed = "link-not-followed", Warning,
        "A symbolic link to a folder loops, or is in a folder that is itself behind a link",
        "Copy the files there, or link to each file";
    LinkOutsideRoot = "link-outside-root", Error,
        "A symbolic link has no target in the docs root",
        "Copy the file into the docs root";
    MisplacedComponent = "misplaced-component", Warning,
        "A component is outside its required parent",
        "Move it into that component";
    MissingFile = "missing-file", Error,
        "An image or another file doesn't exist",
        "Correct the path, which is case-sensitive, or add the file";
    MissingImport = "missing-import", Error,
        "An imported file doesn't exist",
        "Correct the path; packages can't be imported, and built-in components need no import";
    MissingNavigation = "missing-navigation", Error,
        "`docs.json` has no `navigation`; one group lists every page",
        "List the pages of the site in it";
    MissingOperation = "missing-operation", Error,
        "No API spec has the named operation, schema, or channel; a warning if a spec on another host could have it",
        "Correct the method and path, or the name of the spec";
    MissingPage = "missing-page", Error,
        "The navigation lists a page that doesn't exist",
        "Correct the path, add the page, or remove the entry";
    MissingProp = "missing-prop", Warning,
        "A component is missing a required prop",
        "Add the prop";
    MissingSnippet = "missing-snippet", Error,
        "An imported snippet doesn't exist",
        "Correct the path, or add the file";
    MissingSpec = "missing-spec", Error,
        "`docs.json` names an API spec that doesn't exist",
        "Correct the path, or add the file";
    PageTooLarge = "page-too-large", Error,
        "A page with its snippets is too large; the rest is left out",
        "Use fewer snippets, or split the page";
    RedirectLoop = "redirect-loop", Warning,
        "A redirect loops",
        "Point one of the redirects to a page";
    RemoteFont = "remote-font", Note,
        "A font is on another host and isn't fetched; a warning if fetching failed",
        "Fetch it with `--remote-specs`, or copy it into the repository";
    RemoteSpec = "remote-spec", Note,
        "An API spec is on another host and isn't fetched; a warning if fetching failed",
        "Fetch it with `--remote-specs`, or copy it into the repository";
    SnippetCycle = "snippet-cycle", Error,
        "A snippet includes itself",
        "Remove the import cycle";
    TooComplex = "too-complex", Warning,
        "A text or a part of an API spec takes too many steps to process; the text loses its formatting, or the page leaves out the rest",
        "Split the text or the schema, or remove repetition";
    UncheckedExternalLink = "unchecked-external-link", Note,
        "A link to another host couldn't be checked: the host refuses programs, is overloaded, is private, or doesn't respond",
        "Open it in a browser; allow a private host with `--private-hosts`";
    UnknownCodeTheme = "unknown-code-theme", Warning,
        "`styling.codeblocks` names a theme that doesn't exist",
        "Use a theme that the message lists";
    UnknownComponent = "unknown-component", Error,
        "A tag isn't built in, imported, or declared; its content is shown without it",
        "Import it, or correct its name";
    UnknownFont = "unknown-font", Warning,
        "docwright doesn't include a font family that `fonts` names, so only readers who have it see it",
        "Add a `source`, or choose another family";
    UnknownIcon = "unknown-icon", Warning,
        "The icon library has no such icon; a note for Font Awesome, because docwright includes only its free icons",
        "Choose another name";
    UnknownKey = "unknown-key", Warning,
        "`docs.json` contains an unknown key",
        "Remove it, or correct its name";
    UnknownLanguage = "unknown-language", Warning,
        "A code block names an unknown language that looks misspelled",
        "Correct its name";
    UnknownProp = "unknown-prop", Warning,
        "A component has no such prop",
        "Correct its name, or remove it";
    UnknownRule = "unknown-rule", Warning,
        "A `docwright-ignore` comment or `docwright.yaml` names no rule, or an unknown one",
        "Correct its name; this table lists all rules";
    UnknownVariable = "unknown-variable", Warning,
        "A page uses a variable that `docs.json` does not define",
        "Define it in `variables`, or correct its name";
    UnnamedDivision = "unnamed-division", Warning,
        "A division of the navigation has no name",
        "Give it a name";
    UnreadableColor = "unreadable-color", Warning,
        "A color of `docs.json` can't be read as text on the page; docwright shows a shade that can",
        "Choose a color with a contrast of 4.5:1 to the background";
    UnreadableFile = "unreadable-file", Error,
        "A file or folder can't be read",
        "Check its permissions";
    UnsafePath = "unsafe-path", Error,
        "A filename can't be part of a URL",
        "Remove backslashes, colons, and control characters from it";
    UnusedRedirect = "unused-redirect", Warning,
        "A redirect has the path of a page, which is shown",
        "Remove the redirect or the page";
}

impl Rule {
    /// The rule with a code; `None` if there is none.
    pub fn by_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.code() == code)
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_is_named_once_and_explained() {
        let codes: Vec<_> = Rule::ALL.iter().map(|rule| rule.code()).collect();
        assert!(codes.is_sorted_by(|one, next| one < next), "{codes:?}");
        for rule in Rule::ALL {
            assert_eq!(Rule::by_code(rule.code()), Some(*rule));
            assert_eq!(serde_json::to_string(rule).unwrap(), format!("\"{rule}\""));
            for text in [rule.meaning(), rule.advice()] {
                assert!(!text.is_empty() && !text.ends_with('.'), "{rule}: {text}");
            }
        }
    }
}
