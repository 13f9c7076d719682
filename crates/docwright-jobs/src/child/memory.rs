//! Measures the memory of a process repeatedly: a limit of address space would also count reservations.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

/// Time between two polls.
const EVERY: Duration = Duration::from_millis(50);

/// Returns when a process has more resident memory than allowed. Never returns for a process that has ended, or if
/// the system does not report memory.
pub(super) async fn exceeds(process: u32, maximum: u64) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match resident(process) {
            Some(bytes) if bytes > maximum => return,
            Some(_) => {}
            None => std::future::pending().await,
        }
    }
}

/// Resident memory in bytes: the second number of `/proc/PID/statm`, in pages.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages.saturating_mul(rustix::param::page_size() as u64))
}

#[cfg(not(target_os = "linux"))]
fn resident(_process: u32) -> Option<u64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn memory_of_this_process_is_measured() {
        let now = resident(std::process::id()).unwrap();
        assert!(now > 1024 * 1024, "{now}");
        exceeds(std::process::id(), now / 2).await;
    }
}
