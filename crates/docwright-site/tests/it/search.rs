//! Search results and their order on whole sites, with the queries of agents and the script of browsers.

use docwright_site::search::{Found, Hit, Query, query};
use serde_json::json;

use crate::site::{Built, Site};

#[test]
fn title_hits_open_at_the_top_of_the_page() {
    let site = site(&[
        (
            "setup",
            "Install",
            "Put it on a machine.\n\n## On Linux\n\nInstall with the package manager. Install, install.\n",
        ),
        (
            "notes",
            "Notes",
            "Various.\n\n## Before you begin\n\nRead this.\n\n## Upgrading\n\nUpgrade the package.\n",
        ),
    ]);
    let hits = ask(&site, "install");
    assert_eq!((&*hits[0].path, &*hits[0].fragment, &*hits[0].heading), ("setup.html", "", ""));
    // A word that isn't in the title leads to a section.
    let hits = ask(&site, "upgrading");
    assert_eq!((&*hits[0].path, &*hits[0].fragment), ("notes.html", "upgrading"));
    // Stop words don't lead to a section.
    assert_eq!(ask(&site, "how to install")[0].fragment, "");
}

#[test]
fn only_last_word_matches_as_prefix() {
    let site = site(&[("a", "Installer", "Text."), ("b", "Guide", "Text.")]);
    assert_eq!(paths(&ask(&site, "inst")), ["a"]);
    assert_eq!(paths(&ask(&site, "guide inst")), ["b", "a"]);
    assert_eq!(paths(&ask(&site, "inst ")), [""; 0]);
    assert_eq!(paths(&ask(&site, "inst guide")), ["b"]);
}

#[test]
fn prefix_ranks_below_whole_word() {
    let site = site(&[
        ("a", "Planets", "Planets, and planetariums."),
        ("b", "Prices", "## The plan\n\nEach plan has a price."),
    ]);
    assert_eq!(paths(&ask(&site, "plan")), ["b", "a"]);
}

#[test]
fn prefix_of_longer_form_is_found() {
    let site = site(&[("a", "Configuration", "Text."), ("b", "Other", "Text.")]);
    for length in 4.."configuration".len() {
        assert_eq!(paths(&ask(&site, &"configuration"[..length])), ["a"], "{length} letters");
    }
}

#[test]
fn forms_of_a_word_match() {
    let site = site(&[("a", "Stop a run", "Text."), ("b", "Migration", "Text.")]);
    assert_eq!(paths(&ask(&site, "stopping runs")), ["a"]);
    assert_eq!(paths(&ask(&site, "how do I migrate")), ["b"]);
}

#[test]
fn stop_words_count_only_in_titles() {
    let site = site(&[
        (
            "a",
            "Questions",
            "How do I do this? How do I do that? What is it, and how do I do it to the other?",
        ),
        ("b", "Deployment", "One command."),
        ("c", "Who we are", "Text."),
        ("d", "How it works", "Text."),
        ("e", "Works", "Works of art."),
    ]);
    assert_eq!(paths(&ask(&site, "how do I deploy it")), ["b"]);
    assert_eq!(paths(&ask(&site, "who are we")), ["c"]);
    assert_eq!(paths(&ask(&site, "how it works"))[0], "d");
}

#[test]
fn each_language_has_stop_words() {
    let page = |title: &str, body: &str| format!("---\ntitle: {title}\n---\n{body}\n");
    let built = Site::new()
        .file(
            "docs.json",
            config(
                &json!({ "languages": [
            { "language": "en", "pages": ["index"] },
            { "language": "fr", "pages": ["fr/a", "fr/b"] },
        ] }),
                &json!({}),
            ),
        )
        .file("index.mdx", page("Home", "Text."))
        .file("fr/a.mdx", page("Questions", "Comment faire pour que le site soit dans la liste ?"))
        .file("fr/b.mdx", page("Déploiement", "Une commande."))
        .build();
    let hits = ask_in(&built, "fr", "comment faire le deploiement dans la");
    assert_eq!(paths(&hits), ["fr/b"]);
}

#[test]
fn title_and_description_stand_above_the_body() {
    let described = "---\ntitle: Second\ndescription: Receive webhooks\n---\nText.\n";
    let body =
        "---\ntitle: Third\n---\nA webhook. A webhook. A webhook, and a webhook. A webhook.\n";
    let built = Site::new()
        .file("docs.json", config(&json!({ "pages": ["a", "b", "c"] }), &json!({})))
        .file("a.mdx", body)
        .file("b.mdx", described)
        .file("c.mdx", "---\ntitle: Webhooks\n---\nText.\n")
        .build();
    assert_eq!(paths(&ask(&built, "webhooks")), ["c", "b", "a"]);
}

#[test]
fn mistyped_word_matches_beside_a_second_word() {
    let site = site(&[
        ("a", "Website", "Text about a website."),
        ("b", "Monitoring", "Watch a website."),
        ("c", "Website monitoring", "Text."),
    ]);
    assert_eq!(paths(&ask(&site, "monitring website"))[0], "c");
    assert_eq!(paths(&ask(&site, "webiste monitoring"))[0], "c");
}

#[test]
fn mistyped_form_of_a_word_is_found() {
    let page = "Configure it. To configure more, configure again.";
    let site = site(&[("a", "Configure", page), ("b", "Headers", "The header. A header.")]);
    for (query, page) in [("cofiguration ", "a"), ("configuratiion ", "a"), ("headeis ", "b")] {
        assert_eq!(paths(&ask(&site, query)), [page], "{query}");
    }
}

#[test]
fn short_word_with_another_first_letter_is_not_mistyped() {
    let site = site(&[("a", "Make", "Make it. Make more."), ("b", "Mock", "Mock a server.")]);
    assert_eq!(paths(&ask(&site, "bake ")), [""; 0]);
    assert_eq!(paths(&ask(&site, "amke ")), ["a"]);
}

#[test]
fn other_word_for_the_same_thing_is_found() {
    let site = site(&[("a", "Servers", "Make a server."), ("b", "Mocks", "A mock of a server.")]);
    assert_eq!(paths(&ask(&site, "fake server "))[0], "b");
    // A page with the word itself comes first.
    assert_eq!(paths(&ask(&site, "make server "))[0], "a");
}

#[test]
fn other_words_for_a_phrase_are_found() {
    let site = site(&[
        ("a", "Machines", "A machine runs. Each machine runs."),
        ("b", "Voicemail", "Detect voicemail of a callee."),
        ("c", "Machine", "Turn it on."),
    ]);
    assert_eq!(paths(&ask(&site, "answering machine "))[0], "b");
    // One word of the phrase doesn't stand for it.
    assert!(!paths(&ask(&site, "answering ")).contains(&"b"));
    let site =
        site_in("zh-Hans", &[("a", "自增数字", "每条记录加一。"), ("b", "文本", "输入文字。")]);
    assert_eq!(paths(&ask_in(&site, "zh-Hans", "流水号 ")), ["a"]);
}

#[test]
fn page_is_found_by_the_texts_of_links_to_it() {
    let site = site(&[
        (
            "a",
            "Start",
            "Read [how to throttle callers](/b) first.\n\n<Card title=\"More\" href=\"/c\">Keep secrets in a vault.</Card>",
        ),
        ("b", "Section 4", "At most ten a second."),
        ("c", "Section 5", "Put them there."),
        (
            "d",
            "Callers",
            "A caller calls. Callers throttle nothing here, and it says so at length.",
        ),
    ]);
    assert!(paths(&ask(&site, "throttle callers ")).contains(&"b"));
    assert!(paths(&ask(&site, "vault ")).contains(&"c"));
}

#[test]
fn page_is_found_by_its_title_in_the_sidebar() {
    let page = "---\ntitle: Hello\nsidebarTitle: First steps\n---\nText.\n";
    let built = Site::new()
        .file("docs.json", config(&json!({ "pages": ["a", "b"] }), &json!({})))
        .file("a.mdx", "---\ntitle: Notes\n---\nThe first steps. Steps come first.\n")
        .file("b.mdx", page)
        .build();
    assert_eq!(paths(&ask(&built, "first steps"))[0], "b");
}

#[test]
fn words_of_the_title_are_close_to_each_section() {
    let far = "Text without meaning. ".repeat(60);
    let site = site(&[
        ("a", "Notes", &format!("Upgrade the cluster once.\n\n{far}\n\nThe rollback.")),
        ("b", "Upgrade", &format!("Move on.\n\n{far}\n\nThe rollback of a cluster.")),
        ("c", "Rollback", "Of something else. Cluster."),
    ]);
    assert_eq!(paths(&ask(&site, "cluster upgrade rollback "))[0], "b");
}

#[test]
fn page_with_the_very_sentence_of_a_query_ranks_first() {
    let spaces = "A space is created by a member. Members are allowed to create spaces, and each space is created once.";
    let filler = "Text without meaning. ".repeat(60);
    let site = site(&[
        ("a", "Create a space", spaces),
        (
            "b",
            "Members",
            &format!("{filler}\n\nMember is not allowed to be created in this space.\n\n{filler}"),
        ),
    ]);
    assert_eq!(paths(&ask(&site, "not allowed to be created in this space"))[0], "b");
    // The same words in another order are no sentence.
    assert_eq!(paths(&ask(&site, "in this space not allowed to be created"))[0], "a");
}

#[test]
fn boost_of_an_author_counts_less_than_words() {
    let page = |boost: &str, body: &str| format!("---\ntitle: Page\n{boost}---\n{body}\n");
    let far = "Text without meaning. ".repeat(60);
    let built = Site::new()
        .file("docs.json", config(&json!({ "pages": ["a", "b", "c"] }), &json!({})))
        .file("a.mdx", page("boost: 4\n", &format!("Widgets.\n\n{far}\n\nA color.")))
        .file("b.mdx", page("", "## Color of widgets\n\nThe color of a widget."))
        .file("c.mdx", page("", &format!("Widgets.\n\n{far}\n\nA color.")))
        .build();
    assert_eq!(paths(&ask(&built, "widget color ")), ["b", "a", "c"]);
}

#[test]
fn question_of_many_words_is_read_to_its_end() {
    let site = site(&[
        ("a", "Create a sandbox", "Create a sandbox. A sandbox can be created."),
        ("b", "Internet access", "A sandbox can reach the internet."),
    ]);
    let question = "How do I create a sandbox that can't reach the internet?";
    assert_eq!(paths(&ask(&site, question))[0], "b");
}

#[test]
fn question_for_a_number_finds_limits() {
    let site = site(&[
        ("a", "Queries", "A query has words. Words make a query."),
        ("b", "Limits", "The maximum is ten words for each query."),
    ]);
    assert_eq!(paths(&ask(&site, "how many words can a query have"))[0], "b");
}

#[test]
fn number_of_an_error_is_defined_in_its_table() {
    let mention = "Handle 7001, which is QuoteExpired. Try 7001 again. ".repeat(5);
    let filler = "Text about it. ".repeat(80);
    let row = "| Code | Name |\n| --- | --- |\n| 7001 | `QuoteExpired` |\n";
    let site =
        site(&[("a", "Quotes", &mention), ("b", "Introduction", &format!("{filler}\n\n{row}"))]);
    for query in ["7001", "QuoteExpired", "7001 QuoteExpired"] {
        assert_eq!(paths(&ask(&site, query))[0], "b", "{query}");
    }
}

#[test]
fn page_is_found_by_its_group() {
    let built = Site::new()
        .file(
            "docs.json",
            config(
                &json!({ "groups": [
            { "group": "Ollama", "pages": ["one/overview"] },
            { "group": "vLLM", "pages": ["two/overview", "two/tools"] },
        ] }),
                &json!({}),
            ),
        )
        .file("one/overview.mdx", "---\ntitle: Overview\n---\nRun models, also those of vLLM.\n")
        .file("two/overview.mdx", "---\ntitle: Overview\n---\nRun models.\n")
        .file("two/tools.mdx", "---\ntitle: Tools\n---\nCall them.\n")
        .build();
    assert_eq!(paths(&ask(&built, "vllm overview"))[0], "two/overview");
    assert_eq!(paths(&ask(&built, "vllm tools"))[0], "two/tools");
}

#[test]
fn pages_outside_navigation_rank_last() {
    let page = "---\ntitle: Billing\n---\nWhat it costs.\n";
    let built = Site::new()
        .file(
            "docs.json",
            config(&json!({ "pages": ["index", "z"] }), &json!({ "seo": { "indexing": "all" } })),
        )
        .file("index.mdx", "---\ntitle: Home\n---\nText.\n")
        .file("a.mdx", page)
        .file("z.mdx", page)
        .build();
    assert_eq!(paths(&ask(&built, "billing")), ["z", "a"]);
}

#[test]
fn words_with_hyphens_are_found_without() {
    let site = site(&[("a", "Self-hosting", "Text."), ("b", "Host names", "Text about yourself.")]);
    assert_eq!(paths(&ask(&site, "selfhosting"))[0], "a");
    assert_eq!(paths(&ask(&site, "self-hosting"))[0], "a");
}

#[test]
fn definition_ranks_above_mentions() {
    let mentions = "Set `RUNPOD_POD_ID` first. Then use `RUNPOD_POD_ID` in `RUNPOD_POD_ID`.\n";
    let table = "## Variables\n\n| Name | Meaning |\n| --- | --- |\n| `RUNPOD_POD_ID` | The id of the pod |\n";
    let site = site(&[
        ("a", "Use the pod id", mentions),
        ("b", "Pod id guide", mentions),
        ("c", "Environment", &format!("{table}{}", "Many other words. ".repeat(100))),
    ]);
    let hits = ask(&site, "RUNPOD_POD_ID");
    assert_eq!((paths(&hits)[0], &*hits[0].fragment), ("c", "variables"));
}

#[test]
fn fields_items_and_headings_define() {
    let filler = "Text about it. ".repeat(80);
    let mention = "Call `batchSave` with `page_size` and `--force`. ".repeat(5);
    let site = site(&[
        ("a", "Calls", &mention),
        ("b", "Methods", &format!("{filler}\n\n## batchSave\n\nSaves.\n")),
        ("c", "Options", &format!("{filler}\n\n- `--force`: overwrites\n")),
        (
            "d",
            "Body",
            &format!(
                "{filler}\n\n<ParamField body=\"page_size\" type=\"number\">Size.</ParamField>\n"
            ),
        ),
    ]);
    for (query, page) in [("batchSave", "b"), ("--force", "c"), ("page_size", "d")] {
        assert_eq!(paths(&ask(&site, query))[0], page, "{query}");
    }
}

#[test]
fn identifier_ranks_above_its_parts() {
    let site = site(&[
        ("a", "Data", "The data of docwright. Docwright data."),
        ("b", "Folders", "Set `DOCWRIGHT_DATA` once."),
    ]);
    assert_eq!(paths(&ask(&site, "DOCWRIGHT_DATA")), ["b"]);
    // Without the identifier on any page, pages with its parts help.
    assert_eq!(paths(&ask(&site, "dataDocwright "))[0], "a");
}

#[test]
fn names_of_the_language_of_scripts_are_words() {
    let site = site(&[("a", "Constructor", "The `constructor` has a `valueOf`.")]);
    for query in ["constructor", "valueOf", "toString constructor", "hasOwnProperty"] {
        let found = paths(&ask(&site, query)).len();
        assert_eq!(found, usize::from(query != "hasOwnProperty"), "{query}");
    }
}

#[test]
fn heading_equal_to_query_ranks_above_bodies() {
    let body = "If no workers are available, workers become available later. No workers, no jobs.";
    let site = site(&[
        ("a", "Endpoints", body),
        ("b", "Scaling", body),
        (
            "c",
            "Problems",
            &format!("{}\n\n## No workers available\n\nWait.\n", "Text. ".repeat(200)),
        ),
    ]);
    let hits = ask(&site, "no workers available");
    assert_eq!((paths(&hits)[0], &*hits[0].fragment), ("c", "no-workers-available"));
}

#[test]
fn deprecated_pages_and_changelogs_rank_below_current_ones() {
    let page =
        |title: &str, more: &str| format!("---\ntitle: {title}\n{more}---\nSend webhooks.\n");
    let pages = ["a", "b", "changelog", "z"];
    let built = Site::new()
        .file("docs.json", config(&json!({ "pages": pages }), &json!({})))
        .file("a.mdx", page("Webhooks", "deprecated: true\n"))
        .file("b.mdx", page("Webhooks (legacy)", ""))
        .file("changelog.mdx", page("Webhooks", ""))
        .file("z.mdx", page("Webhooks", ""))
        .build();
    assert_eq!(paths(&ask(&built, "webhooks"))[0], "z");
    assert_eq!(paths(&ask(&built, "webhooks legacy"))[0], "b");
}

#[test]
fn pages_of_default_version_and_linked_pages_rank_first() {
    let page = "---\ntitle: Install\n---\nInstall it.\n";
    let navigation = json!({ "versions": [
        { "version": "v2", "pages": ["v2/install", "z/install", "links"] },
        { "version": "v1", "pages": ["a/install"] },
    ] });
    let built = Site::new()
        .file("docs.json", config(&navigation, &json!({})))
        .file("a/install.mdx", page)
        .file("v2/install.mdx", page)
        .file("z/install.mdx", page)
        .file("links.mdx", "---\ntitle: Links\n---\n[Here](/z/install)\n")
        .without("index.mdx")
        .build();
    assert_eq!(paths(&ask(&built, "install")), ["z/install", "v2/install", "a/install"]);
}

#[test]
fn words_close_to_each_other_rank_above_scattered_ones() {
    let far = "Text without meaning. ".repeat(60);
    let site = site(&[
        ("a", "One", &format!("The queue is here.\n\n{far}\n\nA timeout.")),
        ("b", "Two", &format!("The queue timeout.\n\n{far}\n\nA word.")),
    ]);
    assert_eq!(paths(&ask(&site, "queue timeout ")), ["b", "a"]);
}

#[test]
fn synonyms_and_abbreviations_of_the_site_are_found() {
    let page = |title: &str, body: &str| format!("---\ntitle: {title}\n---\n{body}\n");
    let built = Site::new()
        .file("docs.json", config(&json!({ "pages": ["a", "b", "c"] }), &json!({})))
        .file("a.mdx", page("Pull requests", "Open a pull request."))
        .file("b.mdx", page("Terms", "A merge queue (MQ) orders merges."))
        .file("c.mdx", page("Merge queues", "Each merge queue waits."))
        .file(".docwright/synonyms.yaml", "- [pull request, PR, changeset]\n")
        .build();
    assert_eq!(built.codes(), [""; 0]);
    assert_eq!(paths(&ask(&built, "pr")), ["a"]);
    assert_eq!(paths(&ask(&built, "changeset")), ["a"]);
    assert_eq!(paths(&ask(&built, "mq"))[0], "c");
    assert!(built.files.keys().all(|path| !path.contains("synonyms")), "settings aren't published");
}

#[test]
fn invalid_synonyms_are_reported() {
    let built = Site::page("Text.").file(".docwright/synonyms.yaml", "- [alone]\n").build();
    assert_eq!(built.codes(), ["invalid-synonyms"]);
}

#[test]
fn words_written_apart_and_together_match() {
    let site =
        site(&[("a", "Webhook", "Text."), ("b", "Quick start", "Text."), ("c", "Other", "Hook.")]);
    assert_eq!(paths(&ask(&site, "web hook "))[0], "a");
    assert_eq!(paths(&ask(&site, "quickstart "))[0], "b");
}

#[test]
fn compounds_and_endings_of_other_languages_match() {
    let page = |title: &str, body: &str| format!("---\ntitle: {title}\n---\n{body}\n");
    let built = Site::new()
        .file(
            "docs.json",
            config(
                &json!({ "languages": [{ "language": "de", "pages": ["a", "b", "c"] }] }),
                &json!({}),
            ),
        )
        .file("a.mdx", page("Zugriffsschlüssel", "Text."))
        .file("b.mdx", page("Einstellungen", "Der Zugriff braucht Schlüssel."))
        .file("c.mdx", page("Anderes", "Text."))
        .without("index.mdx")
        .build();
    assert_eq!(paths(&ask_in(&built, "de", "Einstellung")), ["b"]);
    assert!(paths(&ask_in(&built, "de", "Schlüssel ")).contains(&"a"));
}

#[test]
fn quoted_phrase_is_found_as_it_stands() {
    let filler = "word ".repeat(200);
    let apart = format!("The token expired.\n\n{filler}\n\nAn access log.");
    let site = site(&[
        ("apart", "Expiry", &apart),
        (
            "near",
            "Tokens",
            "Access with a token. Access is refused when the token of access expired.",
        ),
        ("same", "Sessions", "Reload the page. Then an Access Token is renewed."),
        ("prefix", "Other", "The access tokenizer."),
        ("title", "Access token", "It is short."),
    ]);
    assert_eq!(paths(&ask(&site, "\"access token\"")), ["title", "same", "near"]);
    // Words outside of the quotes rank as usual.
    assert_eq!(paths(&ask(&site, "renewed \"access token\""))[0], "same");
    // Quotes ask for the word itself: nothing is corrected, and nothing goes on.
    for query in ["\"acess token\"", "\"access toke\"", "“acess” token"] {
        let found = find(&site, "en", query);
        assert!(found.hits.is_empty() && found.correction.is_empty(), "{query}: {found:?}");
    }
    // A quote that isn't closed yet changes nothing.
    assert_eq!(ask(&site, "\"access toke"), ask(&site, "access toke"));
}

#[test]
fn query_has_definition_and_correction() {
    let table = "| Name | Meaning |\n| --- | --- |\n| `PORT_NUMBER` | The port of the widget |";
    let site = site(&[("a", "Variables", table), ("b", "Installation", "Install the widget.")]);
    let definition = find(&site, "en", "PORT_NUMBER").definition.expect("a definition");
    assert_eq!(
        (&*definition.name, &*definition.kind, &*definition.path),
        ("PORT_NUMBER", "variable", "a.html")
    );
    assert!(definition.excerpt.contains("The port of the widget"), "{definition:?}");
    let found = find(&site, "en", "install the widgte");
    assert_eq!(found.correction, "install the widget");
    assert_eq!(found.definition, None);
}

#[test]
fn index_has_bounded_number_of_files() {
    let words = |number: usize| {
        let word = |at: usize| format!("word{} ", (number * 7919 + at * 104_729) % 9_973);
        (0..120).map(word).collect::<String>()
    };
    let paths: Vec<_> = (0..400).map(|number| format!("p{number}")).collect();
    let site = Site::new().file("docs.json", config(&json!({ "pages": paths }), &json!({})));
    let page = |site: Site, number: usize| {
        let text = format!("---\ntitle: Page {number}\n---\n{}\n", words(number));
        site.file(&format!("p{number}.mdx"), text)
    };
    let built = (0..400).fold(site, page).build();
    let files = built.files.keys().filter(|path| path.starts_with("_docwright/search/"));
    let files = files.count();
    assert!((20..=200).contains(&files), "{files} files");
    assert_eq!(ask(&built, "page 399")[0].path, "p399.html");
    assert!(ask(&built, &words(17)[..40]).iter().any(|hit| hit.path == "p17.html"));
}

/// A site with pages by path, title, and body.
fn site(pages: &[(&str, &str, &str)]) -> Built {
    site_in("en", pages)
}

fn site_in(language: &str, pages: &[(&str, &str, &str)]) -> Built {
    let paths: Vec<_> = pages.iter().map(|page| page.0).collect();
    let pages_of_language = json!({ "languages": [{ "language": language, "pages": paths }] });
    let navigation = if language == "en" { json!({ "pages": paths }) } else { pages_of_language };
    let config = config(&navigation, &json!({}));
    let site = Site::new().file("docs.json", config);
    let add = |site: Site, (path, title, body): &(&str, &str, &str)| {
        site.file(&format!("{path}.mdx"), format!("---\ntitle: {title}\n---\n{body}\n"))
    };
    pages.iter().fold(site, add).build()
}

fn config(navigation: &serde_json::Value, more: &serde_json::Value) -> String {
    let mut config = json!({
        "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" }, "navigation": navigation,
    });
    for (key, value) in more.as_object().expect("an object") {
        config[key] = value.clone();
    }
    config.to_string()
}

pub(crate) fn ask(site: &Built, asked: &str) -> Vec<Hit> {
    ask_in(site, "en", asked)
}

fn ask_in(site: &Built, language: &str, asked: &str) -> Vec<Hit> {
    find(site, language, asked).hits
}

fn find(site: &Built, language: &str, asked: &str) -> Found {
    let files = site.files.clone();
    let read = move |path: &str| Some(String::from_utf8(files.get(path)?.clone()).expect("text"));
    let (language, text) = (language.to_owned(), asked.to_owned());
    let asked = Query { language, text, limit: 10, version: None };
    query(read, || false, &asked).expect("the search answers")
}

fn paths(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.path.trim_end_matches(".html")).collect()
}
