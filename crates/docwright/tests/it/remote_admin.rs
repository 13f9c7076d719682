//! `docwright admin --server`: the same commands on a remote instance, with a key.

use std::process::Stdio;

use serde_json::Value;

use crate::{
    access::AccessSetup,
    running::{Ended, ended},
    server::docwright,
};

/// Runs a command with a key in its environment.
fn admin(place: &AccessSetup, key: &str, arguments: &[&str]) -> Ended {
    let server = [("DOCWRIGHT_SERVER", place.address()), ("DOCWRIGHT_KEY", key)];
    ended(&[&["admin"], arguments].concat(), &server)
}

fn json(place: &AccessSetup, key: &str, arguments: &[&str]) -> Value {
    let done = admin(place, key, &[arguments, &["--json"]].concat());
    serde_json::from_str(done.succeeded()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_work_on_a_remote_instance() {
    let place = AccessSetup::new(None).await;
    let operator = place.operator.key.clone();
    let own = place.key(&place.other, "admin", serde_json::json!({})).await.key;
    // Local and remote commands print the same.
    for arguments in [
        &["organization", "list"][..],
        &["organization", "show", "Acme"],
        &["project", "list"],
        &["project", "show", &place.setup.project],
        &["key", "list"],
        &["credential", "list"],
        &["release", "list", "--domain", "docs.example.com"],
        &["feedback", "list", "--domain", "docs.example.com"],
    ] {
        let (there, here) = (json(&place, &operator, arguments), place.setup.admin(arguments));
        let stable = |mut value: Value| {
            let rows = match &mut value {
                Value::Array(rows) => rows.iter_mut().collect(),
                row => vec![row],
            };
            for row in rows {
                // Key use and polls change these fields in the meantime, and the local command doesn't know
                // the service's public address.
                for field in ["lastUsedAt", "polledAt", "pollError", "cloneUrl"] {
                    row[field] = Value::Null;
                }
            }
            value
        };
        assert_eq!(stable(there), stable(here), "{arguments:?}");
    }
    // A key of an organization doesn't need the organization's name and sees nothing else.
    let made = json(&place, &own, &["project", "create", "Mine"]);
    assert_eq!(made["organizationName"], "Other");
    let listed = json(&place, &own, &["project", "list"]);
    assert_eq!(listed.as_array().unwrap().len(), 2, "{listed}");
    admin(&place, &own, &["project", "show", "Second"]).failed_with("project Second not found");
    admin(&place, &own, &["organization", "create", "X"])
        .failed_with("doesn't have the scope `operator`");
    let both = admin(&place, &operator, &["project", "show", "Docs"]);
    both.failed_with("2 are named `Docs`");
    let deleted = json(&place, &own, &["project", "delete", "Mine", "--yes"]);
    assert_eq!(deleted["projects"], 1);
    let made = json(&place, &own, &["key", "create", "ci", "--scope", "read"]);
    let id = made["id"].as_str().unwrap();
    assert!(made["key"].as_str().unwrap().starts_with(&format!("dw_{id}_")));
    json(&place, &own, &["key", "revoke", id]);
    admin(&place, &own, &["key", "revoke", id]).failed_with("the key is revoked");
    let mut set = docwright(&["admin", "--json", "credential", "set", "git.example.com"]);
    set.args(["--project", "Docs", "--server", place.address()]).env("DOCWRIGHT_KEY", &own);
    let mut child = set.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"ghp-secret\n").unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    let kept = json(&place, &own, &["credential", "list"]);
    assert_eq!(kept[0]["host"], "git.example.com");
    // The audit log names the actor of local and remote commands.
    let log = json(&place, &operator, &["audit", "list", "--action", "credential.set"]);
    let key_id = own.split('_').nth(1).unwrap();
    assert!(log[0]["actor"].as_str().unwrap().contains(key_id), "{log}");
    assert_eq!(log[0]["address"], "127.0.0.1");
    let log = place.setup.admin(&["audit", "list", "--action", "organization.create"]);
    let actors: Vec<_> =
        log.as_array().unwrap().iter().map(|entry| entry["actor"].as_str().unwrap()).collect();
    assert!(actors.iter().any(|actor| actor.starts_with("shell ")), "{actors:?}");
}

/// The API refuses unknown fields, so this fails if the client and the API name an input differently.
#[tokio::test(flavor = "multi_thread")]
async fn remote_changes_send_inputs_as_the_api_reads_them() {
    let place = AccessSetup::new(None).await;
    let operator = place.operator.key.clone();
    let run = |arguments: &[&str]| json(&place, &operator, arguments);
    run(&["organization", "create", "New", "--plan", "pro"]);
    assert_eq!(run(&["organization", "update", "New", "--name", "Newer"])["plan"], "pro");
    let limits = run(&["plan", "set", "pro", "--members", "none", "--projects", "7"]);
    assert_eq!((&limits["members"], &limits["projects"]), (&Value::Null, &7.into()));
    run(&["project", "create", "Manual", "--organization", "Newer", "--path", "docs"]);
    let update = ["project", "update", "Manual", "--agent-path", "examples/**"];
    let project = run(&[&update[..], &["--activation", "manual"]].concat());
    assert_eq!(project["agentPaths"], serde_json::json!(["examples/**"]));
    assert_eq!((&project["path"], &project["activation"]), (&"docs".into(), &"manual".into()));
    let domain = "manual.example.com/docs";
    let created = run(&["domain", "create", domain, "--project", "Manual", "--branch", "next"]);
    assert_eq!((&created["branch"], &created["state"]), (&"next".into(), &"verified".into()));
    assert_eq!(run(&["domain", "update", domain, "--branch", ""])["branch"], Value::Null);
    assert_eq!(run(&["domain", "verify", domain])["state"], "verified");
    assert_eq!(run(&["domain", "list", "--project", "Manual"])[0]["domain"], domain);
    let release = run(&["release", "create", "--domain", domain]);
    let listed = run(&["release", "list", "--domain", domain, "--limit", "1"]);
    assert_eq!(listed[0]["id"], release["id"]);
    assert_eq!(run(&["feedback", "list", "--domain", domain]), serde_json::json!([]));
    let create = ["key", "create", "ci", "--organization", "Newer", "--project", "Manual"];
    let key = run(&[&create[..], &["--allow", "10.0.0.0/8,192.0.2.7"]].concat());
    let key = key["id"].as_str().unwrap();
    assert_eq!(run(&["key", "show", key])["allow"], "10.0.0.0/8,192.0.2.7/32");
    let updated = run(&["key", "update", key, "--allow", "", "--name", "build"]);
    assert_eq!((&updated["allow"], &updated["name"]), (&"".into(), &"build".into()));
    let invite = ["member", "invite", "ada@example.com", "--organization", "Newer"];
    assert_eq!(run(&[&invite[..], &["--role", "editor"]].concat())["role"], "editor");
    assert_eq!(run(&["member", "list", "--organization", "Newer"]), serde_json::json!([]));
    let password = run(&["preview", "password", "--project", "Manual", "--remove"]);
    assert_eq!(password["asksForPassword"], false);
    let range = ["--since", "2020-01-01T00:00:00Z", "--until", "2100-01-01T00:00:00+01:00"];
    let log = ["audit", "list", "--action", "key.update", "--subject", key];
    assert_eq!(run(&[&log[..], &range].concat()).as_array().unwrap().len(), 1);
    let before = ["--until", "2020-01-01T00:00:00Z"];
    assert_eq!(run(&[&log[..], &before].concat()), serde_json::json!([]));
    assert_eq!(run(&["project", "delete", "Manual", "--yes"])["domains"], 1);
    assert_eq!(run(&["organization", "delete", "Newer", "--yes"])["keys"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn local_only_commands_are_refused_remotely() {
    let place = AccessSetup::new(None).await;
    let key = &place.operator.key;
    let folder = place.setup.folder.path().display().to_string();
    let only_here = "works only on the machine of the instance";
    let import = ["project", "create", "X", "--organization", "Other", "--import", &folder];
    admin(&place, key, &import).failed_with(only_here);
    admin(&place, key, &["secret", "rotate"]).failed_with(only_here);
    let create = |repository| {
        ["project", "create", "X", "--organization", "Other", "--repository", repository]
    };
    admin(&place, key, &create(".")).failed_with("isn't an absolute path");
    // An invalid key, and no key.
    let unknown = "dw_0123456789abcdef_000000000000000000000000000000000000000000000000";
    admin(&place, unknown, &["key", "list"]).failed_with("invalid, revoked, or expired");
    admin(&place, "hunter2", &["key", "list"])
        .failed_with("DOCWRIGHT_KEY doesn't contain an API key");
    let server = ["admin", "key", "list", "--server", place.address()];
    ended(&server, &[]).failed_with("--server needs an API key");
    let file = place.setup.folder.path().join("key");
    std::fs::write(&file, format!("{key}\n")).unwrap();
    let file = file.display().to_string();
    ended(&[&server[..], &["--key-file", &file]].concat(), &[]).succeeded();
    let missing = ended(&[&server[..], &["--key-file", "/nowhere"]].concat(), &[]);
    missing.failed_with("cannot read /nowhere");
    let variables = [("DOCWRIGHT_KEY", key.as_str())];
    for (address, said) in [
        ("ftp://example.com", "must be an address such as https://"),
        ("http://x:y@127.0.0.1:1", "needs an API key"),
        ("http://127.0.0.1:1", "can't be reached"),
    ] {
        let done = ended(&["admin", "key", "list", "--server", address], &variables);
        done.failed_with(said);
        assert!(!done.errors.contains(key.as_str()), "{done:?}");
    }
}

/// The client follows no redirects, since they would send the key to another host.
#[tokio::test(flavor = "multi_thread")]
async fn key_is_not_sent_to_other_hosts() {
    let trap = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = format!("http://{}/", trap.local_addr().unwrap());
    let redirects = answering(&format!("307 Temporary Redirect\r\nLocation: {to}"), "").await;
    let key = "dw_0123456789abcdef_000000000000000000000000000000000000000000000000";
    let command = tokio::task::spawn_blocking(move || {
        ended(&["admin", "key", "list", "--server", &redirects], &[("DOCWRIGHT_KEY", key)])
    });
    command.await.unwrap().failed_with("redirects");
    let asked = tokio::time::timeout(std::time::Duration::ZERO, trap.accept()).await;
    assert!(asked.is_err(), "the key was sent to another host");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_another_service_are_errors() {
    let key = "dw_0123456789abcdef_000000000000000000000000000000000000000000000000";
    for (status, said) in
        [("200 OK", "cannot read the response"), ("502 Bad Gateway", "returned 502")]
    {
        let address =
            answering(&format!("{status}\r\nContent-Type: text/html"), "<p>Hello</p>").await;
        let command = tokio::task::spawn_blocking(move || {
            ended(&["admin", "key", "list", "--server", &address], &[("DOCWRIGHT_KEY", key)])
        });
        command.await.unwrap().failed_with(said);
    }
}

/// A server that responds to every request with a status, headers, and a body. Returns its address.
async fn answering(head: &str, body: &str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let length = body.len();
    let answer =
        format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut head = [0; 4096];
            let _read = client.read(&mut head).await;
            let _written = client.write_all(answer.as_bytes()).await;
        }
    });
    address
}
