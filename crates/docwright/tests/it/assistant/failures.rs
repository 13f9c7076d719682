//! Models that are down, slow, or send nonsense: readers get passages of the pages.

use docwright_testing::ports::Port;

use super::{AssistedSite, KEY, ScriptedModel, model::Does};

const QUESTION: &str = "When do keys expire?";
const GOOD: &str = "They expire after 30 days.\n[[?: \"Keys expire after 30 days\"]]\n";

#[tokio::test(flavor = "multi_thread")]
async fn failing_model_is_replaced_by_passages() {
    let model = ScriptedModel::start().await;
    let site = AssistedSite::with_model(&model).await;
    let plain = site.ask(QUESTION).await;
    let writes = |text: &str| Does::Writes(text.to_owned());
    for does in [
        Does::Hangs,
        Does::Responds(401, "application/json", "{\"error\":{\"message\":\"wrong key\"}}"),
        Does::Responds(400, "text/html", "<html><title>evil.example</title></html>"),
        Does::Responds(200, "text/event-stream", "data: not json\n\n"),
        Does::Responds(200, "application/json", "{}"),
        Does::Responds(302, "text/plain", ""),
        writes(""),
        writes("Some text without any quote."),
        writes(
            "Words that are nowhere.\n[[1: \"these words are nowhere at all\"]]\n\nMore.\n[[99: \"Keys expire after 30 days\"]]",
        ),
        writes("[[1]] [[x]] ]] [["),
        writes(&"nonsense ".repeat(8_000)),
        writes("```\nnever closed\n[[1: \"Keys expire after 30 days\"]]"),
        Does::Breaks("They expire.".to_owned()),
    ] {
        let what = format!("{does:?}");
        model.does(does);
        let answer = site.ask(QUESTION).await;
        assert_eq!(answer.kind(), "extract", "{what}");
        assert_eq!(answer.texts(), plain.texts(), "{what}");
        assert!(answer.holds(&site.address).await > 0, "{what}");
        assert!(!format!("{answer:?}").contains(KEY), "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn model_that_is_down_is_replaced_by_passages() {
    let nobody = Port::take();
    let mut model = ScriptedModel::start().await;
    model.address = format!("http://127.0.0.1:{}", nobody.number());
    let site = AssistedSite::with_model(&model).await;
    assert_eq!(site.ask(QUESTION).await.kind(), "extract");
}

#[tokio::test(flavor = "multi_thread")]
async fn answer_that_breaks_off_says_so() {
    let model = ScriptedModel::start().await;
    let site = AssistedSite::with_model(&model).await;
    for does in
        [Does::Breaks(format!("{GOOD}\nAnd ")), Does::Waits(format!("{GOOD}\nAnd "), String::new())]
    {
        model.does(does);
        let answer = site.ask(QUESTION).await;
        assert_eq!(answer.names(), ["source", "paragraph", "error"], "{answer:?}");
        assert_eq!(answer.all("error")[0]["error"], "The answer broke off. Ask again.");
    }
}
