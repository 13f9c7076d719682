//! How the program asks the system for memory.

use std::fs;

use crate::server::{Process, docwright};

#[test]
fn service_uses_no_huge_pages() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().display().to_string();
    let service = docwright(&["serve", "--listen", "127.0.0.1:0", "--data", &data]);
    let process = Process::start(service);
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    // Kernels before 5.0 don't have the row.
    let huge_pages = status.lines().find(|line| line.starts_with("THP_enabled:"));
    assert_eq!(huge_pages.unwrap_or("THP_enabled:\t0"), "THP_enabled:\t0");
}
