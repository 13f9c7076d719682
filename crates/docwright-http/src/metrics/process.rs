//! Metrics of this process from the system, under the usual names of Prometheus. Only Linux has them.

use std::{fmt, fs, time::SystemTime};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::ConstCounter, gauge::ConstGauge},
};

/// Reads the values on request.
#[derive(Debug)]
pub(super) struct Process {
    started: SystemTime,
}

impl Default for Process {
    fn default() -> Self {
        Self { started: SystemTime::now() }
    }
}

/// Values from `/proc`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Usage {
    processor_seconds: f64,
    threads: u64,
    virtual_memory: u64,
    resident_memory: u64,
    handles: u64,
    maximum_handles: u64,
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut write = |name: &str, help: &str, metric: &dyn EncodeMetric| {
            let encoder = encoder.encode_descriptor(name, help, None, metric.metric_type())?;
            metric.encode(encoder)
        };
        let started = self.started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let started = ConstGauge::new(started.as_secs_f64());
        write(
            "process_start_time_seconds",
            "Start time of the process, in seconds since 1970",
            &started,
        )?;
        let Some(usage) = usage() else { return Ok(()) };
        let processor = ConstCounter::new(usage.processor_seconds);
        write("process_cpu_seconds", "Processor time used, on all processors", &processor)?;
        for (name, help, value) in [
            ("process_resident_memory_bytes", "Memory in use", usage.resident_memory),
            ("process_virtual_memory_bytes", "Virtual memory", usage.virtual_memory),
            ("process_open_fds", "Open files and connections", usage.handles),
            ("process_max_fds", "Limit of open files and connections", usage.maximum_handles),
            ("process_threads", "Threads", usage.threads),
        ] {
            write(name, help, &ConstGauge::new(value))?;
        }
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn usage() -> Option<Usage> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let handles = fs::read_dir("/proc/self/fd").ok()?.count();
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    parse(&stat).map(|usage| Usage {
        // One of them is the handle that reads the folder.
        handles: u64::try_from(handles).unwrap_or(u64::MAX).saturating_sub(1),
        maximum_handles: limit.current.unwrap_or(u64::MAX),
        ..usage
    })
}

#[cfg(not(target_os = "linux"))]
fn usage() -> Option<Usage> {
    None
}

/// Reads `/proc/self/stat`, whose second field is a name in parentheses that can contain anything.
#[cfg(target_os = "linux")]
fn parse(stat: &str) -> Option<Usage> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    // The first field here is the third of the file; see `man 5 proc_pid_stat`.
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    #[expect(clippy::cast_precision_loss, reason = "centuries of processor time stay exact")]
    let seconds = |ticks: u64| ticks as f64 / rustix::param::clock_ticks_per_second() as f64;
    let page = u64::try_from(rustix::param::page_size()).ok()?;
    Some(Usage {
        processor_seconds: seconds(field(14)? + field(15)?),
        threads: field(20)?,
        virtual_memory: field(23)?,
        resident_memory: field(24)? * page,
        handles: 0,
        maximum_handles: 0,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn process_name_can_contain_anything() {
        let rest = "S 1 1 1 0 -1 4194560 900 0 0 0 150 50 0 0 20 0 7 0 100 1048576 25 18446744073709551615";
        let usage = parse(&format!("42 (a) b ) {rest}")).unwrap();
        let ticks = rustix::param::clock_ticks_per_second();
        let used = usage.processor_seconds * f64::from(u32::try_from(ticks).unwrap());
        assert!((used - 200.0).abs() < 1e-6, "{used}");
        assert_eq!((usage.threads, usage.virtual_memory), (7, 1_048_576));
        assert_eq!(usage.resident_memory, 25 * u64::try_from(rustix::param::page_size()).unwrap());
        assert_eq!(parse("42 (a"), None);
    }

    #[test]
    fn usage_of_this_process_is_read() {
        let usage = usage().unwrap();
        assert!(usage.resident_memory > 0 && usage.handles > 2 && usage.threads > 0, "{usage:?}");
    }
}
