//! `--timings`: how long the stages of a build took, and how many cores they kept busy.

mod output;

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use docwright_site::build::{Part, Progress, Stage, Watch};
use docwright_types::counted::grouped;

use crate::progress::ProgressDisplay;

pub(crate) use output::TimedOutput;

/// The option that prints timings.
#[derive(Debug, clap::Args)]
pub(crate) struct TimingArguments {
    /// Print how long each stage took, how many cores it kept busy, and how much it did
    ///
    /// What follows are parts of that work, added up across all threads.
    #[arg(long, hide_short_help = true)]
    timings: bool,
}

impl TimingArguments {
    /// Measures from now on, if the option is set.
    pub(crate) fn start(&self) -> Timings {
        Timings { is_on: self.timings, state: Mutex::new(State::new()) }
    }
}

/// The time that stages and parts took.
#[derive(Debug)]
pub(crate) struct Timings {
    is_on: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    started: Reading,
    stages: Vec<TimedStage>,
    parts: BTreeMap<&'static str, TimedPart>,
}

/// A stage of the command.
#[derive(Debug)]
struct TimedStage {
    name: &'static str,
    began: Reading,
    count: String,
}

/// A part of the work for pages and files, on all threads.
#[derive(Debug, Default)]
struct TimedPart {
    time: Duration,
    count: usize,
}

/// Both clocks at one time.
#[derive(Debug, Clone, Copy)]
struct Reading {
    wall: Instant,
    /// Processor time of all threads of this process, if the system says so.
    processor: Option<Duration>,
}

thread_local! {
    /// When the parts began that are open on this thread.
    static OPEN: RefCell<Vec<Instant>> = const { RefCell::new(Vec::new()) };
}

impl Timings {
    /// Timings that measure nothing.
    pub(crate) fn off() -> Self {
        Self { is_on: false, state: Mutex::new(State::new()) }
    }

    /// Whether the option is set.
    pub(crate) const fn is_on(&self) -> bool {
        self.is_on
    }

    /// A stage begins, and the one before it is over.
    pub(crate) fn begin(&self, name: &'static str) {
        if self.is_on {
            let stage = TimedStage { name, began: Reading::now(), count: String::new() };
            self.state().stages.push(stage);
        }
    }

    /// How much the stage that is open did.
    pub(crate) fn count(&self, count: impl FnOnce() -> String) {
        if self.is_on
            && let Some(stage) = self.state().stages.last_mut()
        {
            stage.count = count();
        }
    }

    /// Adds a part that began on this thread.
    fn add(&self, name: &'static str, time: Duration) {
        let mut state = self.state();
        let part = state.parts.entry(name).or_default();
        part.time += time;
        part.count += 1;
    }

    /// Prints a table of the stages on standard error. The last one is over.
    pub(crate) fn print(&self) {
        if self.is_on {
            eprint!("{}", self.state().table(Reading::now()));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn new() -> Self {
        Self { started: Reading::now(), stages: Vec::new(), parts: BTreeMap::new() }
    }

    fn table(&self, now: Reading) -> String {
        let mut table = format!("{:<16} {:>8} {:>6}  {}\n", "stage", "seconds", "cores", "count");
        let ends = self.stages.iter().skip(1).map(|next| next.began).chain([now]);
        for (stage, end) in self.stages.iter().zip(ends) {
            add_row(&mut table, stage.name, (stage.began, end), &stage.count);
        }
        add_row(&mut table, "all", (self.started, now), "");
        if !self.parts.is_empty() {
            table += "on all threads\n";
        }
        for (name, TimedPart { time, count }) in &self.parts {
            let row =
                format!("  {name:<14} {:>8.3} {:>6}  {}", time.as_secs_f64(), "", grouped(*count));
            let _ = writeln!(table, "{row}");
        }
        table
    }
}

fn add_row(table: &mut String, name: &str, (began, end): (Reading, Reading), count: &str) {
    let wall = (end.wall - began.wall).as_secs_f64();
    let busy = end.processor.zip(began.processor).map(|(end, began)| end.saturating_sub(began));
    let cores = busy.filter(|_| wall > 0.0).map(|busy| busy.as_secs_f64() / wall);
    let cores = cores.map(|cores| format!("{cores:.1}")).unwrap_or_default();
    let row = format!("{name:<16} {wall:>8.3} {cores:>6}  {count}");
    // Writing to a string doesn't fail.
    let _ = writeln!(table, "{}", row.trim_end());
}

impl Reading {
    fn now() -> Self {
        Self { wall: Instant::now(), processor: processor_time() }
    }
}

/// What Linux says in ticks, most of them of 10 ms.
#[cfg(target_os = "linux")]
fn processor_time() -> Option<Duration> {
    let status = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program before them can have spaces.
    let (_, fields) = status.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>().ok());
    let ticks: u64 = ticks.sum::<Option<u64>>()?;
    Some(Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second()))
}

#[cfg(not(target_os = "linux"))]
fn processor_time() -> Option<Duration> {
    None
}

/// Measures a build, and shows its progress.
pub(crate) struct TimedBuild<'t> {
    pub(crate) timings: &'t Timings,
    pub(crate) progress: &'t ProgressDisplay,
}

impl Watch for TimedBuild<'_> {
    fn begin_stage(&self, stage: Stage) {
        self.timings.begin(match stage {
            Stage::Configuration => "configuration",
            Stage::Pages => "pages",
            Stage::Anchors => "anchors",
            Stage::Index => "index",
            Stage::Generated => "generated",
        });
    }

    fn begin_part(&self, _part: Part) {
        if self.timings.is_on {
            OPEN.with_borrow_mut(|open| open.push(Instant::now()));
        }
    }

    fn end_part(&self, part: Part) {
        let name = match part {
            Part::Parse => "parse",
            Part::Render => "render",
            Part::Assemble => "assemble",
        };
        if let Some(began) = OPEN.with_borrow_mut(Vec::pop).filter(|_| self.timings.is_on) {
            self.timings.add(name, began.elapsed());
        }
    }

    fn report(&self, progress: Progress) {
        self.progress.report(progress);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_a_row_for_each_stage_and_part() {
        let timings = Timings { is_on: true, ..Timings::off() };
        timings.begin("read");
        timings.count(|| "3 files".to_owned());
        timings.begin("pages");
        timings.add("parse", Duration::from_millis(1500));
        timings.add("parse", Duration::from_millis(500));
        timings.begin("write");
        let table = timings.state().table(Reading::now());
        let names: Vec<_> =
            table.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(names, ["stage", "read", "pages", "write", "all", "on", "parse"], "{table}");
        assert!(
            table.contains("3 files\n") && table.contains("  parse             2.000         2\n"),
            "{table}"
        );
    }

    #[test]
    fn cores_are_processor_time_by_wall_time() {
        let began = Reading { processor: Some(Duration::from_secs(1)), ..Reading::now() };
        let end = Reading {
            wall: began.wall + Duration::from_secs(2),
            processor: Some(Duration::from_secs(4)),
        };
        let mut table = String::new();
        add_row(&mut table, "pages", (began, end), "5 pages");
        assert_eq!(table, "pages               2.000    1.5  5 pages\n");
    }

    #[test]
    fn nothing_is_measured_without_the_option() {
        let timings = Timings::off();
        timings.begin("read");
        timings.count(|| unreachable!("no count is needed"));
        assert!(timings.state().stages.is_empty());
    }
}
