//! Every rule that a finding can come from. The manual's table of diagnostics is made of this one.

use serde::{Deserialize, Serialize};

use super::Severity;

/// Declares the rules, in the order of their codes: code, severity, what a finding means, and what to do
/// where the finding itself says nothing better.
macro_rules! rules {
    ($($name:ident = $code:literal, $severity:ident, $meaning:literal, $advice:literal;)*) => {
        /// What a [`Diagnostic`](super::Diagnostic) was found by. Its [`code`](Self::code) is stable.
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

            /// How much its findings matter; some of them matter less, and say so.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity),* }
            }

            /// What a finding means, in one sentence without a full stop.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning),* }
            }

            /// What to do about it in general, in one sentence without a full stop.
            pub const fn advice(self) -> &'static str {
                match self { $(Self::$name => $advice),* }
            }
        }
    };
}

rules! {
    AmbiguousSpec = "ambiguous-spec", Warning,
        "The name of an API description, or of an operation alone, may mean several; the first is used",
        "Name the description by its path from the docs root";
    BrokenAnchor = "broken-anchor", Warning,
        "The page that a link names has no such place; where only dashes and the like differ, the link leads there all the same",
        "Correct the part behind `#`, or add the heading";
    BrokenLink = "broken-link", Error,
        "A link leads to no page or file of the site",
        "Correct the address, add the page, or add a redirect";
    BrokenRef = "broken-ref", Error,
        "A `$ref` of `docs.json` names a file that does not exist, lies outside of the docs root or refers back",
        "Correct the path, which is relative to the file that it stands in";
    BrokenReference = "broken-reference", Warning,
        "A `$ref` of an API description leads nowhere",
        "Correct it, or add what it names";
    DeadExternalLink = "dead-external-link", Error,
        "A link to another host leads nowhere: the host says so (404 or 410), has no such name or no valid certificate; only looked for with `check --external-links`",
        "Correct or remove the link";
    DuplicatePage = "duplicate-page", Warning,
        "Two files have the same address; the first is the page",
        "Rename or remove one of them";
    EmptyComponent = "empty-component", Warning,
        "A component has no content",
        "Put something between its tags";
    FailingCode = "failing-code", Error,
        "Code of a page or snippet fails while it is evaluated",
        "Correct the code, or import what it uses";
    FileTooLarge = "file-too-large", Error,
        "A text file is larger than 10 MB, or another one larger than 20 MB, and is left out",
        "Split it, make it smaller, or put it on a file host and link to it";
    InvalidAttribute = "invalid-attribute", Warning,
        "An attribute of an HTML element has a name that HTML does not allow",
        "Correct its name";
    InvalidCode = "invalid-code", Error,
        "Code of a page or snippet can't be read",
        "Correct the statement at that line";
    InvalidColor = "invalid-color", Warning,
        "A colour is not one of CSS",
        "Write it like `#0f766e`";
    InvalidDiagram = "invalid-diagram", Warning,
        "A Mermaid diagram can't be drawn; the page shows its source",
        "Correct the diagram";
    InvalidFrontmatter = "invalid-frontmatter", Warning,
        "The frontmatter is not valid YAML, or is no list of `key: value` lines",
        "Put quotes around values that hold `: ` or `#`, or begin with a special character";
    InvalidGrammar = "invalid-grammar", Warning,
        "A custom language of `styling.codeblocks` can't be used",
        "Name a TextMate grammar in JSON";
    InvalidJson = "invalid-json", Error,
        "A file that `docs.json` refers to by `$ref` is not valid JSON",
        "Correct the JSON";
    InvalidMath = "invalid-math", Warning,
        "A formula can't be read as TeX; the page shows it as it is written",
        "Correct the TeX, or write `\\$` for a dollar sign";
    InvalidMdx = "invalid-mdx", Error,
        "The page isn't valid MDX",
        "Close all tags and braces";
    InvalidProp = "invalid-prop", Warning,
        "A prop of a component can't have this value",
        "Choose one of the values that the component takes";
    InvalidSettings = "invalid-settings", Warning,
        "`docwright.yaml` can't be read or holds something that is no setting, or a page has more than 1,000 comments for docwright",
        "Correct it; what can't be read has no effect";
    InvalidSpec = "invalid-spec", Error,
        "An API description can't be read; one of a version that is not supported is a warning",
        "Correct it, or convert it to OpenAPI 3";
    InvalidUtf8 = "invalid-utf-8", Error,
        "A text file is not valid UTF-8",
        "Save it as UTF-8";
    InvalidValue = "invalid-value", Warning,
        "A key of `docs.json` can't have this value; the default is used",
        "Choose one of the values that the key takes";
    LinkNotFollowed = "link-not-followed", Warning,
        "A symbolic link to a folder leads in a circle, or is in a folder that is itself reached through a link",
        "Put the files there, or link to each file";
    LinkOutsideRoot = "link-outside-root", Error,
        "A symbolic link leads out of the docs root, or nowhere",
        "Put a copy of the file into the docs root";
    MisplacedComponent = "misplaced-component", Warning,
        "A component is outside its required parent",
        "Put it there";
    MissingFile = "missing-file", Error,
        "An image or another file does not exist",
        "Correct the path, which is case-sensitive, or add the file";
    MissingImport = "missing-import", Error,
        "An imported file does not exist",
        "Correct the path; packages can't be imported, and built-in components need no import";
    MissingNavigation = "missing-navigation", Error,
        "`docs.json` has no `navigation`; every page is shown in one group",
        "List the pages of the site there";
    MissingOperation = "missing-operation", Error,
        "No API description has the operation, schema or channel that is named; a warning where it may be in one on another host",
        "Correct its method and path, or the description that is named";
    MissingPage = "missing-page", Error,
        "Navigation lists a page that does not exist",
        "Correct the path, add the page, or remove the entry";
    MissingProp = "missing-prop", Warning,
        "A component is missing a required prop",
        "Add the prop";
    MissingSnippet = "missing-snippet", Error,
        "An imported snippet does not exist",
        "Correct the path, or add the file";
    MissingSpec = "missing-spec", Error,
        "`docs.json` names an API description that does not exist",
        "Correct the path, or add the file";
    PageTooLarge = "page-too-large", Error,
        "A page is too large with all its snippets; its rest is left out",
        "Include snippets less often, or split the page";
    RedirectHidesPage = "redirect-hides-page", Warning,
        "A redirect hides a page",
        "Remove the redirect or the page";
    RedirectLoop = "redirect-loop", Warning,
        "A redirect loops",
        "Let one of its steps lead to a page";
    RemoteSpec = "remote-spec", Note,
        "An API description is on another host and is not fetched; a warning if it could not be fetched",
        "Fetch it with `--remote-specs`, or put a copy into the repository";
    SnippetCycle = "snippet-cycle", Error,
        "A snippet includes itself",
        "Break the circle of imports";
    TooComplex = "too-complex", Warning,
        "A text, or the part of an API spec that a page shows, takes too many steps to read; the text is shown without its formatting, and the page leaves out what is too much",
        "Split the text or the schema, or remove what repeats";
    UncheckedExternalLink = "unchecked-external-link", Note,
        "A link to another host could not be checked: the host refuses programs, is overloaded, private or does not answer",
        "Look at it in a browser; allow a private host with `--private-hosts`";
    UnknownCodeTheme = "unknown-code-theme", Warning,
        "`styling.codeblocks` names a theme that does not exist",
        "Name one of those that the message lists";
    UnknownComponent = "unknown-component", Error,
        "A tag is neither built in, nor imported, nor declared; its content is shown as it is",
        "Import it, or correct its name";
    UnknownIcon = "unknown-icon", Warning,
        "The site's icon library has no such icon; a note for Font Awesome, of which only the free half is here",
        "Choose another name";
    UnknownKey = "unknown-key", Warning,
        "`docs.json` contains an unknown key",
        "Remove it, or correct its name";
    UnknownLanguage = "unknown-language", Warning,
        "A code block names a language that is not known and looks like a misspelt one",
        "Correct its name";
    UnknownProp = "unknown-prop", Warning,
        "A component has no such prop",
        "Correct its name, or leave it out";
    UnknownRule = "unknown-rule", Warning,
        "A `docwright-ignore` comment or `docwright.yaml` names a rule that does not exist, or none",
        "Correct its name; this table has them all";
    UnknownVariable = "unknown-variable", Warning,
        "A page uses a variable that `docs.json` does not define",
        "Define it in `variables`, or correct its name";
    UnnamedDivision = "unnamed-division", Warning,
        "A division of the navigation has no name",
        "Give it a name";
    UnreadableFile = "unreadable-file", Error,
        "A file or folder can't be read",
        "Check its permissions";
    UnsafePath = "unsafe-path", Error,
        "The name of a file can't be part of an address",
        "Rename it without backslashes, colons and control characters";
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
