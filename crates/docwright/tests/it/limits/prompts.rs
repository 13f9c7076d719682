//! Prompt length counts characters, not their JSON escapes.

use reqwest::Method;
use serde_json::Value;

use super::Waiting;

/// A text of one repeated character in its longest JSON form.
fn escaped(character: char, count: usize) -> String {
    let mut units = String::new();
    for unit in character.encode_utf16(&mut [0; 2]) {
        units.push_str(&format!("\\u{unit:04x}"));
    }
    units.repeat(count)
}

#[tokio::test(flavor = "multi_thread")]
async fn prompt_passes_in_any_escaping() {
    let waiting = Waiting::start(&[]).await;
    let path = format!("/v2/agent/{}/job", waiting.setup.project);
    let send = async |path: &str, body: String| {
        let request = waiting.api.client.post(format!("{}{path}", waiting.api.base));
        let request =
            request.bearer_auth(&waiting.api.key).header("content-type", "application/json");
        let answer = request.body(body).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, answer.json::<Value>().await.unwrap())
    };
    let prompt = |text: &str| format!("{{\"prompt\": \"{text}\"}}");
    for character in ['a', 'ä', '€', '\u{1}', '😀'] {
        let rest = escaped(character, 99_999);
        let (status, said) = send(&path, prompt(&format!("a{rest}"))).await;
        assert_eq!(status, 201, "{character:?}: {said}");
        let (status, said) = send(&path, prompt(&format!("ab{rest}"))).await;
        assert_eq!(
            (status, &said["code"]),
            (400, &"invalid_request".into()),
            "{character:?}: {said}"
        );
    }
    let job = waiting.api.prompt(&waiting.setup.project, "wait").await;
    let message = format!("{path}/{}/message", job["id"].as_str().unwrap());
    assert_eq!(send(&message, prompt(&escaped('😀', 100_000))).await.0, 409, "the job is active");
    // Bodies with prompts over 1 MiB, or with more than 6 MiB of JSON.
    let mebibyte = 1024 * 1024;
    for text in [
        "a".repeat(mebibyte),
        escaped('a', mebibyte),
        escaped('😀', mebibyte / 4),
        "\\ud800".repeat(mebibyte),
        "\\u123".repeat(2 * mebibyte),
    ] {
        let (status, said) = send(&path, prompt(&text)).await;
        assert_eq!((status, &said["code"]), (413, &"too_large".into()), "{}", text.len());
    }
    // Refused prompts don't count toward the project's limit.
    let (status, _) = send(&path, prompt("the last one")).await;
    assert_eq!(status, 201);
    let jobs = format!("/v2/agent/{}/jobs", waiting.setup.project);
    assert_eq!(waiting.api.send(Method::GET, &jobs, None).await.status(), 200);
}
