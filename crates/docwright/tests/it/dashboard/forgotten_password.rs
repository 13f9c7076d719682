//! People who forgot their password: a sign-in link by email, or how to get one without email.

use docwright_testing::wait::eventually;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{Dashboard, PASSWORD, account_deletion::operator};
use crate::{agent::mocks::Mock, audit::entries};

const PAGE: &str = "/sign-in/forgot";
const SENT: &str = "If an account with a password has this email address, a link is on its way";

/// The emails that a mail server received, with folded lines joined.
async fn emails(receiver: &Mock) -> Vec<(String, String)> {
    let received = reqwest::get(format!("{}/received", receiver.address)).await.unwrap();
    let received: Vec<Value> = received.json().await.unwrap();
    let email = |each: &Value| {
        let text = each["mail"].as_str().unwrap().replace("=\r\n", "").replace("=3D", "=");
        (each["to"][0].as_str().unwrap().to_owned(), text)
    };
    received.iter().map(email).collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn emailed_link_sets_new_password_once() {
    let receiver = Mock::start("receiver.mjs", &["docwright:correct horse"]);
    let port = reqwest::get(format!("{}/smtp", receiver.address)).await.unwrap();
    let smtp = format!("smtp://docwright:correct%20horse@127.0.0.1:{}", port.text().await.unwrap());
    let from = ("DOCWRIGHT_SMTP_FROM", "docwright <docs@example.com>");
    let dashboard = Dashboard::with(&[("DOCWRIGHT_SMTP_URL", &smtp), from]).await;
    let (email, old) = dashboard.member_of(&dashboard.other, "viewer").await;
    let person = dashboard.browser();
    person.get("/sign-in").await.says("Forgot your password?");
    person.get(PAGE).await.is(StatusCode::OK).says("Send link");
    person.post(PAGE, &[("email", "no address")]).await.is(StatusCode::BAD_REQUEST);

    // An address without an account gets the same response, and no email.
    let request = async |email: &str| person.post(PAGE, &[("email", email)]).await;
    let unknown = request("nobody@example.com").await;
    let known = request(&email.to_uppercase()).await;
    assert_eq!(unknown.text, known.text);
    known.is(StatusCode::OK).says(SENT);
    let mail = eventually("the email arrives", async || emails(&receiver).await.pop()).await;
    assert_eq!(mail.0, email);
    let link = mail.1.split_whitespace().find(|word| word.contains("/sign-in/link?token="));
    let link = link.unwrap_or_else(|| panic!("{}", mail.1));
    let (path, token) = link.split_once("?token=").unwrap();
    assert!(path.ends_with("/sign-in/link"), "{path}");

    let fields = [("token", token), ("password", "another horse entirely")];
    person.post("/sign-in/link", &fields).await.is(StatusCode::SEE_OTHER);
    assert_eq!(old.get("/account").await.status, 303, "other sessions end");
    let sign_in = async |password: &str| {
        let fields = [("email", email.as_str()), ("password", password)];
        dashboard.browser().post("/sign-in", &fields).await.status
    };
    assert_eq!(sign_in(PASSWORD).await, 403);
    assert_eq!(sign_in("another horse entirely").await, 303);
    let thief = dashboard.browser();
    thief.post("/sign-in/link", &fields).await.is(StatusCode::FORBIDDEN).says("was used");

    // The limit of an address doesn't reveal an account either.
    for address in [email.as_str(), "nobody@example.com"] {
        let [second, third, fourth] =
            [request(address).await, request(address).await, request(address).await];
        assert_eq!([second.status, third.status], [200; 2], "{address}");
        fourth.is(StatusCode::TOO_MANY_REQUESTS).says("Too many links");
    }
    let sent = async || emails(&receiver).await.len() == 3;
    eventually("only the account got emails, three of them", sent).await;
    let made = entries(&operator(&dashboard), "&action=account.sign_in_email").await;
    assert_eq!(made.len(), 3, "{made:?}");
    assert_eq!(
        (&made[0]["actor"]["kind"], &made[0]["after"]["email"]),
        (&json!("service"), &json!(email))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn page_names_command_if_instance_sends_no_email() {
    let dashboard = Dashboard::start().await;
    let person = dashboard.browser();
    person.get("/sign-in").await.says("Forgot your password?");
    let page = person.get(PAGE).await;
    page.is(StatusCode::OK).says("docwright admin sign-in-link EMAIL").lacks("Send link");
    let fields = [("email", "root@example.com")];
    person.post(PAGE, &fields).await.is(StatusCode::NOT_FOUND).says("sends no email");
}
