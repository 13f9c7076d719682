//! `docwright`: a documentation platform in one binary.

use std::process::ExitCode;

/// Rendering is many small allocations on several threads, which the allocator of the C library
/// serves slowly.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    docwright::run()
}
