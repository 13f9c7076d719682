//! Maps an author's name of a language to its grammar.

use syntaxmate::Catalog;

/// A named language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language<'a> {
    /// A grammar of the catalog, by its id.
    Known(&'a str),
    /// Text without a grammar, on purpose.
    Plain,
    /// An unknown language; `closest` is the most likely correction of a typo.
    Unknown {
        /// A known name one typo away.
        closest: Option<&'a str>,
    },
}

/// Names that authors use and the catalog does not list.
const ALIASES: &[(&str, &str)] = &[
    ("conf", "ini"),
    ("console", "shellsession"),
    ("curl", "shellscript"),
    ("dockercompose", "yaml"),
    ("docker-compose", "yaml"),
    ("golang", "go"),
    ("htm", "html"),
    ("maven", "xml"),
    ("ndjson", "jsonl"),
    ("pgsql", "sql"),
    ("postgres", "sql"),
    ("protobuf", "proto"),
    ("pwsh", "powershell"),
    ("pycon", "python"),
    ("python3", "python"),
    ("sbt", "scala"),
    ("sol", "solidity"),
    ("svg", "xml"),
    ("vbnet", "vb"),
    ("x-ndjson", "jsonl"),
];

/// Names for text that has no grammar.
const PLAIN: &[&str] = &[
    "ascii",
    "code",
    "default",
    "log-output",
    "none",
    "output",
    "plain",
    "plaintext",
    "response",
    "result",
    "results",
    "text",
    "txt",
];

/// Shorter names are too similar to be considered typos.
const SHORTEST_SLIP: usize = 5;

/// Finds the language with a name, ignoring case.
pub(super) fn resolve<'a>(catalog: &'a Catalog, name: &str) -> Language<'a> {
    let name = name.trim().trim_start_matches('.').to_ascii_lowercase();
    let name = name.strip_prefix("application/").unwrap_or(&name);
    if name.is_empty() || PLAIN.contains(&name) {
        return Language::Plain;
    }
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, id)| *id);
    match catalog.canonical_language(alias.unwrap_or(name)) {
        Some(id) => Language::Known(id),
        None => Language::Unknown { closest: closest(catalog, name) },
    }
}

fn closest<'a>(catalog: &'a Catalog, name: &str) -> Option<&'a str> {
    if name.chars().count() < SHORTEST_SLIP {
        return None;
    }
    let ids = catalog.languages();
    ids.into_iter().find(|id| id.chars().count() >= SHORTEST_SLIP && is_slip(name, id))
}

/// Whether two words differ by one added, missing, wrong, or swapped letter.
fn is_slip(left: &str, right: &str) -> bool {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let same_start = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let (left, right) = (&left[same_start..], &right[same_start..]);
    match (left, right) {
        ([_, left @ ..], [_, right @ ..]) if left == right => true,
        ([a, b, left @ ..], [c, d, right @ ..]) if a == d && b == c && left == right => true,
        ([_, left @ ..], right) if left == right => true,
        (left, [_, right @ ..]) => left == right,
        _ => false,
    }
}

/// Comment delimiters of a language; an empty end means the end of the line.
pub(super) fn comments(language: Language<'_>) -> &'static [(&'static str, &'static str)] {
    const SLASHES: &[(&str, &str)] = &[("//", ""), ("/*", "*/"), ("{/*", "*/}")];
    let Language::Known(id) = language else { return &[] };
    match id {
        "shellscript" | "shellsession" | "python" | "ruby" | "yaml" | "toml" | "perl" | "r"
        | "dockerfile" | "docker" | "make" | "cmake" | "elixir" | "powershell" | "nginx"
        | "graphql" | "dotenv" | "nix" | "fish" | "nushell" | "julia" | "rego" | "starlark"
        | "coffeescript" | "gdscript" | "crystal" | "tcl" | "awk" | "apache" | "http"
        | "properties" | "just" | "mojo" | "nim" => &[("#", "")],
        "sql" | "plsql" | "lua" | "luau" | "haskell" | "ada" | "elm" | "vhdl" => {
            &[("--", ""), ("#", "")]
        }
        "html" | "xml" | "markdown" | "mdx" | "vue" | "svelte" | "astro" | "razor"
        | "html-derivative" | "erb" => &[("<!--", "-->"), ("{/*", "*/}"), ("//", ""), ("/*", "*/")],
        "css" => &[("/*", "*/")],
        "terraform" | "hcl" | "php" | "ini" | "jsonnet" => {
            &[("#", ""), ("//", ""), (";", ""), ("/*", "*/")]
        }
        "clojure" | "common-lisp" | "scheme" | "racket" | "emacs-lisp" | "asm" | "llvm" => {
            &[(";;", ""), (";", "")]
        }
        "latex" | "tex" | "erlang" | "matlab" | "prolog" => &[("%", "")],
        "vb" => &[("'", "")],
        "csv" | "tsv" | "log" | "diff" | "ansi" => &[],
        _ => SLASHES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(name: &str) -> Language<'static> {
        use std::sync::OnceLock;
        static CATALOG: OnceLock<Catalog> = OnceLock::new();
        resolve(CATALOG.get_or_init(Catalog::bundled), name)
    }

    #[test]
    fn names_seen_in_real_repositories_have_a_grammar() {
        for (name, id) in [
            ("bash", "shellscript"),
            ("sh", "shellscript"),
            ("shell", "shellscript"),
            ("curl", "shellscript"),
            ("console", "shellsession"),
            ("JS", "javascript"),
            ("py", "python"),
            ("JSOn", "json"),
            ("jsonc", "jsonc"),
            ("json5", "json5"),
            ("yml", "yaml"),
            ("ts", "typescript"),
            ("Dockerfile", "docker"),
            (".env", "dotenv"),
            ("env", "dotenv"),
            ("c#", "csharp"),
            ("md", "markdown"),
            ("application/x-ndjson", "jsonl"),
        ] {
            assert_eq!(resolved(name), Language::Known(id), "{name}");
        }
    }

    #[test]
    fn unknown_languages_are_plain_without_a_guess() {
        assert_eq!(resolved("text"), Language::Plain);
        assert_eq!(resolved("Response"), Language::Plain);
        for name in ["repsonse", "Result:", "test", "reference", "mpl", "hexdump", "capnp"] {
            assert_eq!(resolved(name), Language::Unknown { closest: None }, "{name}");
        }
    }

    #[test]
    fn slips_name_the_language_meant() {
        for (name, id) in [
            ("javscript", "javascript"),
            ("pyhton", "python"),
            ("tyypescript", "typescript"),
            ("markdawn", "markdown"),
        ] {
            assert_eq!(resolved(name), Language::Unknown { closest: Some(id) }, "{name}");
        }
    }
}
