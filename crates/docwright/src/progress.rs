//! Progress of a long command: a bar on a terminal, plain lines elsewhere.

use std::{
    io::IsTerminal,
    sync::Mutex,
    time::{Duration, Instant},
};

use docwright_site::build::Progress;
use indicatif::{ProgressBar, ProgressStyle};

/// Shortest time between plain lines, so that logs stay short.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Shows the progress of one step of a command.
#[derive(Debug)]
pub(crate) enum ProgressDisplay {
    /// A bar, redrawn in place.
    Bar(ProgressBar),
    /// Plain lines at intervals.
    Lines {
        /// The name of the step.
        label: &'static str,
        /// The counted unit.
        what: &'static str,
        /// When the last line was printed.
        last: Mutex<Instant>,
    },
    /// Nothing.
    Silent,
}

impl ProgressDisplay {
    /// A display on standard error of a step (`label`) with a number of `what`; silent if standard output is for a
    /// program.
    pub(crate) fn new(label: &'static str, what: &'static str, silent: bool) -> Self {
        if silent {
            return Self::Silent;
        }
        if !std::io::stderr().is_terminal() {
            return Self::Lines { label, what, last: Mutex::new(Instant::now()) };
        }
        let bar = ProgressBar::new(0).with_message(label);
        if let Ok(style) = ProgressStyle::with_template("{msg:12} {bar:32.cyan/dim} {pos}/{len}") {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self::Bar(bar)
    }

    /// Updates from the compiler; can be called from several threads.
    pub(crate) fn report(&self, progress: Progress) {
        match self {
            Self::Bar(bar) => {
                bar.set_length(progress.total as u64);
                bar.set_position(progress.rendered as u64);
            }
            Self::Lines { label, what, last } => {
                let Ok(mut last) = last.lock() else { return };
                if last.elapsed() >= LINE_INTERVAL {
                    *last = Instant::now();
                    eprintln!("{label}: {} of {} {what}", progress.rendered, progress.total);
                }
            }
            Self::Silent => {}
        }
    }

    /// Updates to a percentage.
    pub(crate) fn percent(&self, percent: u64) {
        if let Self::Bar(bar) = self {
            bar.set_length(100);
            bar.set_position(percent);
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
