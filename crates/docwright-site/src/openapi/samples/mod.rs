//! Requests in programming languages.

mod compiled;
mod scripting;
mod shell;
mod text;

use super::request::Request;

/// A request in one language.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// Main name of the language.
    pub(super) language: &'static str,
    /// The label for readers.
    pub(super) label: &'static str,
    /// The highlighter's name of the language.
    pub(super) grammar: &'static str,
    pub(super) code: String,
}

/// A language with its writer.
struct Language {
    /// The main name first, then the other names that authors use.
    names: &'static [&'static str],
    label: &'static str,
    grammar: &'static str,
    write: fn(&Request) -> String,
}

const LANGUAGES: &[Language] = &[
    Language {
        names: &["curl", "bash", "sh", "shell", "cli"],
        label: "cURL",
        grammar: "bash",
        write: shell::curl,
    },
    Language {
        names: &["python", "py"],
        label: "Python",
        grammar: "python",
        write: scripting::python,
    },
    Language {
        names: &["javascript", "js"],
        label: "JavaScript",
        grammar: "javascript",
        write: scripting::javascript,
    },
    Language { names: &["php"], label: "PHP", grammar: "php", write: scripting::php },
    Language { names: &["go", "golang"], label: "Go", grammar: "go", write: compiled::go },
    Language { names: &["java"], label: "Java", grammar: "java", write: compiled::java },
    Language { names: &["ruby", "rb"], label: "Ruby", grammar: "ruby", write: scripting::ruby },
    Language {
        names: &["node", "nodejs", "node.js"],
        label: "Node.js",
        grammar: "javascript",
        write: scripting::javascript,
    },
    Language {
        names: &["typescript", "ts"],
        label: "TypeScript",
        grammar: "typescript",
        write: scripting::typescript,
    },
    Language {
        names: &["powershell"],
        label: "PowerShell",
        grammar: "powershell",
        write: shell::powershell,
    },
    Language { names: &["swift"], label: "Swift", grammar: "swift", write: compiled::swift },
    Language {
        names: &["csharp", "c#", ".net", "dotnet"],
        label: "C#",
        grammar: "csharp",
        write: compiled::csharp,
    },
    Language { names: &["c"], label: "C", grammar: "c", write: compiled::c },
    Language { names: &["c++", "cpp"], label: "C++", grammar: "cpp", write: compiled::cpp },
    Language {
        names: &["kotlin", "kt"],
        label: "Kotlin",
        grammar: "kotlin",
        write: compiled::kotlin,
    },
    Language { names: &["rust", "rs"], label: "Rust", grammar: "rust", write: compiled::rust },
    Language {
        names: &["dart", "flutter"],
        label: "Dart",
        grammar: "dart",
        write: scripting::dart,
    },
];

/// Number of languages shown by default.
const SHOWN: usize = 7;

/// Writes a request in the named languages; unknown names are ignored.
pub(super) fn write(request: &Request, wanted: &[String]) -> Vec<Sample> {
    let sample = |language: &Language| Sample {
        language: language.names[0],
        label: language.label,
        grammar: language.grammar,
        code: (language.write)(request),
    };
    if wanted.is_empty() {
        return LANGUAGES.iter().take(SHOWN).map(sample).collect();
    }
    wanted.iter().filter_map(|name| find(name)).map(sample).collect()
}

fn find(name: &str) -> Option<&'static Language> {
    let name = name.to_lowercase();
    LANGUAGES.iter().find(|language| language.names.contains(&name.as_str()))
}

/// Whether two names mean the same language.
pub(super) fn is_same(left: &str, right: &str) -> bool {
    match (find(left), find(right)) {
        (Some(left), Some(right)) => std::ptr::eq(left, right),
        _ => left.eq_ignore_ascii_case(right),
    }
}

/// The highlighter's name of a language.
pub(super) fn grammar(name: &str) -> &str {
    find(name).map_or(name, |language| language.grammar)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::request::Body;
    use super::*;

    fn request() -> Request {
        Request {
            method: "POST".to_owned(),
            url: "https://api.example.com/a?b=c".to_owned(),
            headers: vec![("X-It's".to_owned(), "va\"lue".to_owned())],
            body: Some(Body::Json(json!({"name": "o'neil", "ok": true, "none": null}))),
        }
    }

    #[test]
    fn every_language_writes_every_kind_of_request() {
        let form = Body::Form {
            fields: vec![
                ("f".to_owned(), "@example-file".to_owned()),
                ("a".to_owned(), "b".to_owned()),
            ],
            multipart: true,
        };
        for body in [None, Some(Body::Text("t".to_owned())), Some(form), request().body] {
            let request = Request { body, ..request() };
            let names: Vec<_> =
                LANGUAGES.iter().map(|language| language.names[0].to_owned()).collect();
            for sample in write(&request, &names) {
                assert!(sample.code.contains("api.example.com/a?b=c"), "{}", sample.code);
            }
        }
    }

    #[test]
    fn quotes_are_escaped_as_each_language_does() {
        let [curl, python, javascript] =
            ["curl", "py", "js"].map(|name| write(&request(), &[name.to_owned()]).remove(0).code);
        assert!(curl.contains(r#"'X-It'\''s: va"lue'"#) && curl.contains(r"o'\''neil"), "{curl}");
        assert!(python.contains("\"none\": None") && python.contains("\"ok\": True"), "{python}");
        assert!(javascript.contains("JSON.stringify({"), "{javascript}");
    }

    #[test]
    fn languages_have_names_that_authors_use() {
        assert!(is_same(".NET", "c#") && is_same("golang", "go") && !is_same("c", "c++"));
        assert_eq!(write(&request(), &[]).len(), SHOWN);
        assert_eq!(write(&request(), &["cobol".to_owned()]), []);
    }
}
