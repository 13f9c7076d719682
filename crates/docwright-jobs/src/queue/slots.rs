//! The slots of a worker: the number of jobs of a queue that a process runs in parallel, and their organizations.
//!
//! Each claim tells the database which jobs can use the free slots. Claims of one process wait for each other, so
//! this is exact. A slot is used while its job runs here, whatever happens to the job's row.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use docwright_storage::{
    Database, StorageError,
    database::{Claim, Queue, Share},
};
use docwright_types::timestamp::Timestamp;
use tokio::sync::{Mutex as AsyncMutex, MutexGuard as AsyncMutexGuard};

/// The slots of a worker. By default there is one.
#[derive(Debug, Default)]
pub struct Slots {
    /// With fewer than two, every organization is served.
    count: usize,
    /// The organizations of running jobs, one for each used slot.
    held: Mutex<Vec<String>>,
    /// Locked while a job is claimed.
    claiming: AsyncMutex<()>,
}

/// The right to claim a job, which one of the workers has.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    _claiming: AsyncMutexGuard<'a, ()>,
}

/// A slot that is used until this is dropped.
#[derive(Debug)]
pub(super) struct HeldSlot {
    slots: Arc<Slots>,
    organization_id: String,
}

impl Slots {
    /// Creates slots for a number of parallel jobs.
    pub fn new(count: usize) -> Self {
        Self { count, held: Mutex::default(), claiming: AsyncMutex::default() }
    }

    /// Waits for the turn to claim a job.
    pub(super) async fn turn(&self) -> Turn<'_> {
        Turn { _claiming: self.claiming.lock().await }
    }

    /// Claims a job that can use a slot, and takes a slot for it.
    pub(super) async fn claim(
        self: &Arc<Self>,
        _turn: Turn<'_>,
        (database, queue): (&Database, Queue),
        (duration, now): (Timestamp, Timestamp),
    ) -> Result<Option<(Claim, HeldSlot)>, StorageError> {
        let claim = database.claim_share(queue, &self.share(), duration, now).await?;
        Ok(claim.map(|claim| {
            let organization_id = claim.organization_id.clone();
            self.held().push(organization_id.clone());
            (claim, HeldSlot { slots: Arc::clone(self), organization_id })
        }))
    }

    /// The share of the next claim. A worker with one slot serves all organizations.
    fn share(&self) -> Share {
        if self.count < 2 {
            return Share::default();
        }
        let held = self.held();
        let of = |id: &String| held.iter().filter(|each| *each == id).count();
        let full = held.first().filter(|id| of(id) + 1 >= self.count).cloned();
        Share { full, is_last: held.len() + 1 >= self.count }
    }

    fn held(&self) -> MutexGuard<'_, Vec<String>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HeldSlot {
    fn drop(&mut self) {
        let mut held = self.slots.held();
        if let Some(place) = held.iter().position(|each| *each == self.organization_id) {
            held.swap_remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(count: usize, held: &[&str]) -> (Option<String>, bool) {
        let slots = Slots::new(count);
        slots.held().extend(held.iter().map(ToString::to_string));
        let Share { full, is_last } = slots.share();
        (full, is_last)
    }

    #[test]
    fn organization_is_full_when_it_holds_all_slots_but_one() {
        let a = Some("a".to_owned());
        assert_eq!(share(1, &[]), (None, false));
        assert_eq!(share(2, &[]), (None, false));
        assert_eq!(share(2, &["a"]), (a.clone(), true));
        assert_eq!(share(4, &["a", "a"]), (None, false));
        assert_eq!(share(4, &["a", "b", "a"]), (None, true));
        assert_eq!(share(4, &["a", "a", "a"]), (a, true));
    }
}
