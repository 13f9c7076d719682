//! Reports of `build`, `export`, `check`, and `dev`, and their exit codes.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::server::docwright;

/// A docs root with the given files and a plain `docs.json`.
fn root(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let config = ("docs.json", r#"{"theme":"mint","name":"x","navigation":{"pages":["index"]}}"#);
    for (path, text) in [&[config], files].concat() {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

/// The output of a command.
struct CommandOutput {
    code: i32,
    out: String,
    err: String,
}

impl CommandOutput {
    /// The JSON object on the last line.
    fn summary(&self) -> Value {
        serde_json::from_str(self.out.lines().last().unwrap()).unwrap()
    }
}

fn say(command: &str, root: &Path, arguments: &[&str]) -> CommandOutput {
    let mut command = docwright(&[command]);
    let output = command.arg(root).args(arguments).stderr(Stdio::piped()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    CommandOutput {
        code: output.status.code().unwrap(),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

/// Runs `build` or `export` into a temporary folder.
fn make(command: &str, root: &Path, arguments: &[&str]) -> CommandOutput {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    let said = say(command, root, &[arguments, &["--out", &out]].concat());
    assert!(Path::new(&out).exists(), "{}", said.err);
    said
}

#[test]
fn first_diagnostic_of_each_rule_is_shown_with_requested_exit_code() {
    let links = (0..40).map(|number| format!("[a](/none-{number})\n\n"));
    let links = links.collect::<Vec<_>>().concat();
    let root =
        root(&[("index.mdx", &format!("{links}[a](#none) <Card color=\"x\" title=\"t\" />\n"))]);
    for command in ["build", "export"] {
        let said = make(command, root.path(), &[]);
        let expected = [
            "index.mdx:1:1: error: broken link to `/none-0`: no such page or file [broken-link]",
            "    help: correct the address, add the page, or add a redirect",
            "    and 39 more; 40 in 1 file",
        ];
        assert_eq!(said.err.lines().take(3).collect::<Vec<_>>(), expected, "{command}");
        assert!(said.err.lines().count() < 10, "{}", said.err);
        assert!(said.err.contains("` to see 39 more"), "{}", said.err);
        assert!(said.out.contains(": 40 errors, 2 warnings"), "{}", said.out);
        assert_eq!(said.code, 0, "diagnostics don't fail a build");
        assert_eq!(make(command, root.path(), &["--strict"]).code, 1);
        let limited = make(command, root.path(), &["--max-warnings", "1"]);
        assert_eq!(limited.code, 1);
        assert!(
            limited
                .err
                .ends_with("too many warnings: 2, limit 1; fix some or raise --max-warnings\n"),
            "{}",
            limited.err
        );
        assert_eq!(make(command, root.path(), &["--max-warnings", "2"]).code, 0);
        let json = make(command, root.path(), &["--json", "--strict"]);
        let summary = json.summary();
        assert_eq!(json.code, 1);
        assert_eq!(summary["kinds"]["broken-link"], 40);
        assert_eq!((&summary["errors"], &summary["warnings"]), (&Value::from(40), &Value::from(2)));
    }
    let check = say("check", root.path(), &[]);
    assert_eq!(check.code, 1);
    assert_eq!(check.out.matches("[broken-link]").count(), 40, "check shows all diagnostics");
    assert!(check.out.contains("     40  error    broken-link\n"), "{}", check.out);
}

#[test]
fn command_that_cannot_run_exits_with_2() {
    let empty = tempfile::tempdir().unwrap();
    let good = root(&[("index.mdx", "Text.\n")]);
    for (command, root, arguments, expected) in [
        ("check", empty.path(), vec![], "holds no docs.json"),
        ("build", empty.path(), vec!["--out", "x"], "holds no docs.json"),
        (
            "check",
            good.path(),
            vec!["--baseline", "/none.jsonl"],
            "`--write-baseline /none.jsonl` writes one",
        ),
        ("check", good.path(), vec!["--nonsense"], "unexpected argument"),
        (
            "check",
            good.path(),
            vec!["--baseline", "a", "--write-baseline", "b"],
            "cannot be used with",
        ),
    ] {
        let said = say(command, root, &arguments);
        assert_eq!(said.code, 2, "{command} {arguments:?}: {}", said.err);
        assert!(said.err.contains(expected), "{}", said.err);
    }
}

#[test]
fn baseline_leaves_only_new_diagnostics() {
    let root = root(&[("index.mdx", "[a](/none) and [b](/gone)\n")]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("baseline.jsonl").display().to_string();
    let written = say("check", root.path(), &["--write-baseline", &file]);
    assert_eq!(written.code, 0, "{}", written.out);
    assert!(written.out.contains("0 errors, 0 warnings, 2 in the baseline"), "{}", written.out);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.lines().is_sorted() && text.lines().count() == 2, "{text}");

    fs::write(root.path().join("index.mdx"), "Text.\n\n[a](/none) and [b](/gone)\n").unwrap();
    let moved = say("check", root.path(), &["--baseline", &file]);
    assert_eq!((moved.code, moved.out.lines().count()), (0, 1), "{}", moved.out);

    fs::write(root.path().join("index.mdx"), "Text.\n\n[a](/none)\n\n[c](/none)\n").unwrap();
    let second = say("check", root.path(), &["--baseline", &file]);
    assert_eq!(second.code, 1);
    assert!(
        second.out.starts_with("index.mdx:5:1: error: broken link to `/none`"),
        "{}",
        second.out
    );
    assert!(second.out.contains("1 error, 0 warnings, 1 in the baseline"), "{}", second.out);
    assert!(second.out.contains("1 diagnostic of the baseline is gone"), "{}", second.out);
    let json = make("build", root.path(), &["--baseline", &file, "--strict", "--json"]);
    let summary = json.summary();
    assert_eq!((json.code, &summary["errors"]), (1, &Value::from(1)));
    assert_eq!((&summary["known"], &summary["gone"]), (&Value::from(1), &Value::from(1)));

    let log = say("check", root.path(), &["--baseline", &file, "--format", "sarif"]);
    let log: Value = serde_json::from_str(&log.out).unwrap();
    let states: Vec<_> = (0..2).map(|at| &log["runs"][0]["results"][at]["baselineState"]).collect();
    assert_eq!(states, ["new", "unchanged"]);
    fs::write(&file, "nonsense\n").unwrap();
    let damaged = say("check", root.path(), &["--baseline", &file]);
    assert_eq!(damaged.code, 2);
    assert!(damaged.err.contains(":1 isn't a line of a baseline"), "{}", damaged.err);
}

#[test]
fn ignored_diagnostics_are_counted_and_suppressed() {
    let root = root(&[
        ("index.mdx", "{/* docwright-ignore broken-link */}\n\n[a](/none)\n\n![b](/none.png)\n"),
        ("docwright.yaml", "ignore: [missing-file]\n"),
    ]);
    let said = say("check", root.path(), &[]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.ends_with("0 errors, 0 warnings, 2 ignored\n"), "{}", said.out);
    assert_eq!(make("build", root.path(), &["--json"]).summary()["ignored"], 2);
    let log = say("check", root.path(), &["--format", "sarif"]);
    let log: Value = serde_json::from_str(&log.out).unwrap();
    let results = &log["runs"][0]["results"];
    let kinds = [0, 1].map(|at| results[at]["suppressions"][0]["kind"].as_str().unwrap());
    assert_eq!(kinds, ["inSource", "external"]);
    assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][0]["id"], "broken-link");
}

#[test]
fn build_check_and_dev_count_the_same() {
    let config = r#"{"theme":"mint","name":"x","redirects":[{"source":"/old","destination":"/index"},
        {"source":"/older","destination":"/index"}],
        "navigation":{"languages":[{"language":"en","pages":["index","missing"]},
        {"language":"fr","pages":["fr/index"]}]}}"#;
    let root = root(&[
        ("docs.json", config),
        ("index.mdx", "import S from '/snippets/s.mdx'\n\n<S />\n\n[a](/none) [b](#none)\n"),
        ("fr/index.mdx", "<S />\n\n{/* docwright-ignore broken-link */}\n\n[a](/none)\n"),
        ("hidden.mdx", "---\nhidden: true\n---\n[a](/none)\n"),
        ("unlisted.mdx", "![a](/none.png)\n"),
        ("snippets/s.mdx", "[a](/none-in-snippet)\n"),
        ("bad\u{1}name.mdx", "Text.\n"),
    ]);
    let built = make("build", root.path(), &["--json"]).summary();
    let checked = say("check", root.path(), &["--json"]).summary();
    assert_eq!((&built["pages"], &built["ignored"]), (&Value::from(4), &Value::from(1)));
    for key in ["pages", "errors", "warnings", "notes", "ignored", "kinds"] {
        assert_eq!(built[key], checked[key], "{key}");
    }
    let mut dev = docwright(&["dev", "--listen", "127.0.0.1:0"])
        .arg(root.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(dev.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut first = String::new();
    let last = lines.inspect(|line| first += line).find(|line| line.starts_with("built "));
    dev.kill().unwrap();
    dev.wait().unwrap();
    let last = last.expect("dev reports its build");
    let expected = format!(
        ": {} errors, {} warning{}, 1 ignored",
        built["errors"],
        built["warnings"],
        if built["warnings"] == 1 { "" } else { "s" }
    );
    assert!(
        last.starts_with("built 4 pages in ") && last.ends_with(&expected),
        "{last} / {expected}"
    );
    assert!(first.contains("[broken-link]") && first.contains("more; "), "{first}");
}

#[test]
fn site_url_of_command_line_wins() {
    let config = r#"{"theme":"mint","name":"x","navigation":{"pages":["index"]},
        "seo":{"metatags":{"canonical":"https://old.example.com"}}}"#;
    let root = root(&[("docs.json", config), ("index.mdx", "Text.\n")]);
    let out = root.path().join("_out").display().to_string();
    let page = || fs::read_to_string(Path::new(&out).join("index.html")).unwrap();
    let map = || fs::read_to_string(Path::new(&out).join("sitemap.xml")).unwrap();
    let said = say("build", root.path(), &["--out", &out]);
    assert!(
        said.err.is_empty() && page().contains("href=\"https://old.example.com\""),
        "{}",
        said.err
    );
    let said =
        say("build", root.path(), &["--out", &out, "--site-url", "https://new.example.com/docs/"]);
    let note = "note: --site-url https://new.example.com/docs/ is used instead of the canonical address \
                https://old.example.com of the docs root\n";
    assert_eq!(said.err, note);
    for text in [page(), map()] {
        assert!(
            text.contains("https://new.example.com/docs") && !text.contains("old.example"),
            "{text}"
        );
    }
    let same =
        say("build", root.path(), &["--out", &out, "--site-url", "https://old.example.com/"]);
    assert_eq!(same.err, "");
}

/// A host that serves only `/here`. Returns its address and requests.
fn host() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let log = Arc::clone(&asked);
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let mut bytes = [0; 4096];
            let length = stream.read(&mut bytes).unwrap_or(0);
            let text = String::from_utf8_lossy(&bytes[..length]).into_owned();
            let status = if text.contains(" /here ") { "200 OK" } else { "404 Not Found" };
            log.lock().unwrap().push(text.lines().next().unwrap_or_default().to_owned());
            let _gone = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
    });
    (address, asked)
}

#[test]
fn links_to_other_hosts_are_checked_on_request() {
    let (address, asked) = host();
    let pages: Vec<_> =
        (0..50).map(|page| (format!("p/{page}.mdx"), format!("[a]({address}/here)\n"))).collect();
    let mut files: Vec<_> =
        pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let card = format!("<Card title=\"t\" href=\"{address}/gone\">c</Card>\n");
    files.push(("index.mdx", &card));
    let config = format!(
        r#"{{"theme":"mint","name":"x","navigation":{{"pages":["index"]}},"navbar":{{"links":[{{"label":"l","href":"{address}/lost"}}]}}}}"#
    );
    files.push(("docs.json", &config));
    let root = root(&files);
    let answers = tempfile::tempdir().unwrap();
    let folder = answers.path().join("answers").display().to_string();
    assert_eq!(say("check", root.path(), &[]).code, 0, "links are checked only on request");
    let refused = say("check", root.path(), &["--external-links", &folder]);
    assert_eq!(refused.code, 0);
    assert!(refused.out.contains("--private-hosts 127.0.0.1:"), "{}", refused.out);
    assert!(asked.lock().unwrap().is_empty(), "private hosts get no requests");
    fs::remove_dir_all(&folder).unwrap();

    let arguments = ["--external-links", &folder, "--private-hosts", "127.0.0.1", "--json"];
    let said = say("check", root.path(), &arguments);
    assert_eq!(said.code, 1, "{}", said.out);
    assert!(said.out.contains("index.mdx:1:1: error: the link to http://"), "{}", said.out);
    assert!(said.out.contains("docs.json:1:"), "{}", said.out);
    let external = &said.summary()["externalLinks"];
    assert_eq!(external.to_string(), r#"{"addresses":3,"asked":3,"dead":2,"unchecked":0}"#);
    let once = asked.lock().unwrap().iter().filter(|line| line.contains("/here")).count();
    assert_eq!(once, 1, "each link is checked once");
    asked.lock().unwrap().clear();
    let again = say("check", root.path(), &arguments);
    assert_eq!(again.summary()["kinds"], said.summary()["kinds"]);
    assert_eq!((again.code, &again.summary()["externalLinks"]["asked"]), (1, &Value::from(0)));
    assert!(asked.lock().unwrap().is_empty(), "results are cached for a day");
}

/// Names and texts come from repositories, and the output goes to terminals and CI.
#[cfg(unix)]
#[test]
fn hostile_names_and_texts_are_escaped_for_terminals_and_ci() {
    const NAME: &str = "::error file=x::pwned\u{1b}[2J\u{202e}\n::warning::two.mdx";
    let page = "---\ntitle: A\n---\n\n[x](/::error::\u{1b}]0;title\u{7}##[error]y)\n";
    let root = root(&[("index.mdx", page), (NAME, page)]);
    let said = say("check", root.path(), &[]);
    let text = said.out + &said.err;
    assert!(text.contains("pwned\\u{1b}[2J\\u{202e}\\n::warning::two.mdx"), "{text:?}");
    for line in text.lines() {
        assert!(!line.trim_start().starts_with("::"), "{line:?}");
        assert!(!line.contains("##["), "{line:?}");
        assert!(
            !line.chars().any(|letter| letter.is_control() || letter == '\u{202e}'),
            "{line:?}"
        );
    }
    let json = say("check", root.path(), &["--format", "json"]).out;
    assert!(serde_json::from_str::<Value>(&json).is_ok(), "{json}");
}
