//! `docwright`: a documentation platform in one binary.

use std::process::ExitCode;

/// Rendering makes many small allocations on several threads, for which the C library's allocator is slow.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    disable_huge_pages();
    docwright::run()
}

/// Turns transparent huge pages off for this process and its children. The allocator asks for them, and a page of 2 MB
/// of which a few kilobytes are used takes all of it: a third more memory, without being faster. An old kernel that
/// refuses only leaves them on.
#[cfg(target_os = "linux")]
fn disable_huge_pages() {
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
