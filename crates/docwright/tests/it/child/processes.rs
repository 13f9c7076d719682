//! The child process without its launcher.

use std::{
    fs,
    io::{Read, Write},
    process::{Child, Stdio},
};

use docwright_types::deployment::Features;
use serde_json::{Value, json};

use super::ChildFolders;
use crate::server::docwright;

fn start() -> Child {
    docwright(&["child"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

fn send(child: &mut Child, message: &Value) {
    let text = message.to_string();
    let input = child.stdin.as_mut().unwrap();
    input.write_all(&u32::try_from(text.len()).unwrap().to_be_bytes()).unwrap();
    input.write_all(text.as_bytes()).unwrap();
}

fn receive(child: &mut Child) -> Value {
    let output = child.stdout.as_mut().unwrap();
    let mut length = [0; 4];
    output.read_exact(&mut length).unwrap();
    let mut text = vec![0; u32::from_be_bytes(length) as usize];
    output.read_exact(&mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn confinement(place: &ChildFolders) -> Value {
    let limits = json!({ "processor_seconds": 7, "address_space": 1u64 << 40, "file_size": 12345,
        "output_size": 1 << 30, "open_files": 64 });
    json!({ "limits": limits, "folders": { "read": [place.root], "write": [place.scratch] } })
}

/// The values of a line in a file of `/proc`.
fn values(child: &Child, file: &str, name: &str) -> Vec<String> {
    let text = fs::read_to_string(format!("/proc/{}/{file}", child.id())).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn child_is_confined_before_it_reads_its_work() {
    let place = ChildFolders::with_page("text");
    let mut child = start();
    send(&mut child, &confinement(&place));
    let hello = receive(&mut child);
    let full = json!({ "files": "full", "system_calls": "full" });
    assert_eq!(hello["Hello"]["applied"], full);
    for (file, name, expected) in [
        ("status", "Seccomp:", "2"),
        ("status", "NoNewPrivs:", "1"),
        ("status", "Threads:", "1"),
        ("limits", "Max cpu time", "7 12 seconds"),
        ("limits", "Max file size", "12345 12345 bytes"),
        ("limits", "Max open files", "64 64 files"),
        ("limits", "Max address space", "1099511627776 1099511627776 bytes"),
        ("limits", "Max core file size", "0 0 bytes"),
    ] {
        assert_eq!(values(&child, file, name).join(" "), expected, "{name}");
    }
    drop(child.stdin.take());
    assert!(!child.wait().unwrap().success(), "a child without work fails");
}

#[test]
fn child_ends_with_its_parent() {
    let place = ChildFolders::with_page("---\ntimestamp: true\n---\n");
    let mut child = start();
    send(&mut child, &confinement(&place));
    receive(&mut child);
    let build = json!({ "root": place.root, "scratch": place.scratch, "bundle": place.bundle(),
        "options": { "site_url": null, "commit": null, "version": null, "paths": null,
            "features": Features::default(), "repository": null, "remote_specs": false } });
    send(&mut child, &json!({ "Request": { "Build": build } }));
    assert_eq!(receive(&mut child)["BrokerRequest"]["dates"], json!(["docs.json", "index.mdx"]));
    // The child waits for an answer, which a killed parent can't give.
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn child_command_refuses_direct_use() {
    let output =
        docwright(&["child"]).stdin(Stdio::null()).stderr(Stdio::piped()).output().unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("docwright starts this command internally"), "{text}");
    let help = docwright(&["--help"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&help.stdout).contains("child"));
}
