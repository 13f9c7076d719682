//! A real crawl of a site.

use std::process::Command;

use docwright_testing::wait::eventually;
use serde_json::json;

use super::{BROWSER, Counted};
use crate::sites::ask;

#[tokio::test(flavor = "multi_thread")]
async fn crawl_by_wget_counts_no_people() {
    if !Command::new("wget").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("left out: wget isn't installed");
        return;
    }
    let site = Counted::start().await;
    let folder = site.setup.folder.path().join("crawled");
    let mut wget = Command::new("wget");
    wget.args(["--mirror", "--page-requisites", "--no-verbose", "--no-proxy"]);
    wget.arg(format!("--header=Host: {}", super::HOST)).arg("--directory-prefix").arg(&folder);
    let crawled = tokio::task::spawn_blocking({
        let address = format!("{}/page-0", site.process.address);
        move || wget.arg(address).output().unwrap()
    });
    crawled.await.unwrap();
    let pages = (0..3).filter(|page| {
        let host = site.process.address.trim_start_matches("http://");
        folder.join(host).join(format!("page-{page}.html")).exists()
    });
    assert_eq!(pages.count(), 3, "wget read each page");
    // A person reads a page afterward, so the counts of the crawl are written by then.
    let person = [("user-agent", BROWSER), ("x-forwarded-for", "198.51.100.7")];
    let read = ask(&site.process.address, (super::HOST, "GET /page-1"), &person).await;
    assert_eq!(read.status, 200);
    let views = eventually("the person counts", async || {
        let views = site.get("views").await;
        if views["totals"]["human"] == 0 { Err(views) } else { Ok(views) }
    })
    .await;
    assert_eq!(views["totals"]["human"], 1, "{views}");
    let devices = site.get("breakdown?by=device").await;
    assert_eq!(devices["values"], json!([{ "value": "desktop", "views": 1 }]));
    let links = site.get("dead-links").await;
    assert_eq!(links["deadLinks"], json!([]), "the crawl found no dead link for people");
}
