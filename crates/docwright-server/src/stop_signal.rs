//! The signals that ask the process to stop.

/// Returns the name of the signal when the process is asked to stop.
pub(crate) async fn stop_signal() -> &'static str {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            return tokio::select! {
                _ = interrupt => "SIGINT",
                _ = terminate.recv() => "SIGTERM",
            };
        }
    }
    drop(interrupt.await);
    "SIGINT"
}
