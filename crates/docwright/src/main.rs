//! `docwright`: a documentation platform in one binary.

use std::process::ExitCode;

/// Rendering makes many small allocations on several threads, for which the C library's allocator is slow.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    docwright::run()
}
