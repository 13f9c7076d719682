//! The reference time of retention, for all data that is removed by age. It advances by at most a day per round,
//! so a temporarily wrong clock removes little.

use docwright_types::timestamp::{DAY, Timestamp};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::Database;
use crate::StorageError;

/// The start of 2026. An earlier clock was never set, and can't measure ages.
const EARLIEST: Timestamp = 1_767_225_600_000;

/// One round of retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionRound {
    /// The time by which ages are measured.
    pub time: Timestamp,
    /// The time by the clocks: the earlier of the machine's and the database's.
    pub clock: Timestamp,
    /// The time of the round before; `None` if nothing happened before this one.
    pub previous: Option<Timestamp>,
}

/// The record of the last round.
#[derive(Debug, Clone, Copy)]
struct LastRound {
    reached_at: Timestamp,
    clock_at: Timestamp,
}

impl Database {
    /// Starts a round of retention. `machine` is the time of this machine, and rounds start every `interval`
    /// milliseconds.
    pub async fn begin_retention_round(
        &self,
        machine: Timestamp,
        interval: Timestamp,
    ) -> Result<RetentionRound, StorageError> {
        let mut transaction = self.begin().await?;
        // A write comes first, so of nodes that start in parallel, one sees the other's record.
        let sql = format!(
            "UPDATE retention_rounds SET id = id WHERE id = 1 RETURNING reached_at, clock_at, {} AS now",
            self.clock()
        );
        let row = sqlx::query(AssertSqlSafe(sql)).fetch_one(&mut *transaction).await?;
        let last = row.try_get::<Option<_>, _>("reached_at")?.zip(row.try_get("clock_at")?);
        let last = last.map(|(reached_at, clock_at)| LastRound { reached_at, clock_at });
        let last = match last {
            Some(last) => Some(last),
            None => last_change(&mut transaction).await?,
        };
        let clock = row.try_get::<Timestamp, _>("now")?.min(machine);
        let time = next_time(last, clock, interval);
        let previous = last.map(|last| last.reached_at);
        if clock >= EARLIEST && previous != Some(time) {
            let sql = "UPDATE retention_rounds SET reached_at = $1, clock_at = $2 WHERE id = 1";
            sqlx::query(sql).bind(time).bind(clock).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(RetentionRound { time, clock, previous })
    }
}

/// Time of the round before the first one: the newest entry of the audit log, since a clock can be wrong when a
/// service starts for the first time. `None` if nothing was changed yet, so nothing can be old.
async fn last_change(
    transaction: &mut Transaction<'_, Any>,
) -> Result<Option<LastRound>, StorageError> {
    let sql = "SELECT created_at FROM audit_entries ORDER BY id DESC LIMIT 1";
    let row = sqlx::query(sql).fetch_optional(&mut **transaction).await?;
    let at = row.map(|row| row.try_get::<Timestamp, _>("created_at")).transpose()?;
    Ok(at.map(|at| LastRound { reached_at: at, clock_at: at }))
}

/// The time of the next round. A clock that was set back is followed immediately, since that removes nothing.
fn next_time(last: Option<LastRound>, clock: Timestamp, interval: Timestamp) -> Timestamp {
    let Some(LastRound { reached_at, clock_at }) = last else { return clock };
    if clock <= reached_at {
        return clock;
    }
    // Repeated starts, and several nodes, don't advance it faster.
    if (clock - clock_at).abs() < interval / 2 {
        return reached_at;
    }
    clock.min(reached_at + DAY + interval)
}

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::MINUTE;

    use super::*;

    const INTERVAL: Timestamp = 10 * MINUTE;
    const NOW: Timestamp = EARLIEST + 300 * DAY;

    /// The times of rounds at consecutive clock times.
    fn times(clocks: &[Timestamp]) -> Vec<Timestamp> {
        let mut last = None;
        let mut times = Vec::new();
        for clock in clocks {
            let time = next_time(last, *clock, INTERVAL);
            if last.is_none_or(|last: LastRound| last.reached_at != time) {
                last = Some(LastRound { reached_at: time, clock_at: *clock });
            }
            times.push(time);
        }
        times
    }

    #[test]
    fn time_follows_right_clock() {
        let clocks: Vec<_> = (0..100).map(|round| NOW + round * (INTERVAL + 300)).collect();
        assert_eq!(times(&clocks), clocks);
    }

    #[test]
    fn time_moves_by_day_when_clock_jumps() {
        let (step, ahead) = (DAY + INTERVAL, NOW + 800 * DAY);
        let clocks = [NOW, ahead, ahead + INTERVAL, NOW + 2 * INTERVAL, ahead + 3 * INTERVAL];
        let back = NOW + 2 * INTERVAL;
        let expected = [NOW, NOW + step, NOW + 2 * step, back, back + step];
        assert_eq!(times(&clocks), expected, "a clock that was put right is believed");
    }

    #[test]
    fn time_stays_when_rounds_come_early() {
        let ahead = NOW + 800 * DAY;
        let starts: Vec<_> = (0..100).map(|start| ahead + start * 1_000).collect();
        let found = times(&[[NOW].as_slice(), &starts].concat());
        assert_eq!(found.last(), Some(&(NOW + DAY + INTERVAL)), "100 starts in as many seconds");
    }

    #[test]
    fn time_catches_up_after_month_of_rest() {
        let back = NOW + 30 * DAY;
        let clocks: Vec<_> = (0..40).map(|round| back + round * INTERVAL).collect();
        let found = times(&[[NOW].as_slice(), &clocks].concat());
        assert_eq!(found.last(), clocks.last());
    }
}
