//! Sketches of the visitors of this process in a day. A visitor is hashed here, and the hash is only added to a
//! sketch.

use std::collections::HashMap;

use docwright_storage::database::{VisitorKey, VisitorSketch};
use docwright_types::{
    analytics::Reader,
    timestamp::{DAY, Timestamp},
};

use super::visit::Visit;

/// Sites with sketches in memory. Each sketch has at most 16 KiB.
const MAXIMUM_SKETCHES: usize = 4_096;

/// Sketches of a day.
#[derive(Debug, Default)]
pub(super) struct Visitors {
    key: Option<VisitorKey>,
    sketches: HashMap<(String, Reader), Sketch>,
}

#[derive(Debug, Default)]
struct Sketch {
    sketch: VisitorSketch,
    is_changed: bool,
}

/// A sketch to write: domain, day, kind of reader.
pub(super) type Changed = ((String, Timestamp, Reader), VisitorSketch);

impl Visitors {
    /// Whether there is no key for a day.
    pub(super) fn needs_key(&self, day: Timestamp) -> bool {
        self.key.as_ref().is_none_or(|key| key.day < day)
    }

    /// Starts the day of a key. Sketches of the day before must be written.
    pub(super) fn start_day(&mut self, key: VisitorKey) {
        self.sketches.clear();
        self.key = Some(key);
    }

    /// Counts the visitor of a visit. A visit isn't counted while this process has no key of the day.
    pub(super) fn add(&mut self, (domain, reader): (&str, Reader), visit: &Visit, now: Timestamp) {
        let Some(key) = self.key.as_ref().filter(|key| key.day == now - now.rem_euclid(DAY)) else {
            return;
        };
        let Some((address, [site, user_agent])) = visit.properties(domain) else { return };
        let is_full = self.sketches.len() >= MAXIMUM_SKETCHES;
        let of = (domain.to_owned(), reader);
        if is_full && !self.sketches.contains_key(&of) {
            return;
        }
        let sketch = self.sketches.entry(of).or_default();
        sketch.is_changed |= sketch.sketch.add(key.hash([site, &address, user_agent]));
    }

    /// Copies of the sketches that changed since the last call.
    pub(super) fn take_changed(&mut self) -> Vec<Changed> {
        let Some(day) = self.key.as_ref().map(|key| key.day) else { return Vec::new() };
        let changed = self.sketches.iter_mut().filter(|(_, sketch)| sketch.is_changed);
        let copies = changed.map(|((domain, reader), sketch)| {
            sketch.is_changed = false;
            ((domain.clone(), day, *reader), sketch.sketch.clone())
        });
        copies.collect()
    }

    /// Copies of all sketches of the day.
    pub(super) fn all(&self) -> Vec<Changed> {
        let Some(day) = self.key.as_ref().map(|key| key.day) else { return Vec::new() };
        let copy = |((domain, reader), sketch): (&(String, Reader), &Sketch)| {
            ((domain.clone(), day, *reader), sketch.sketch.clone())
        };
        self.sketches.iter().map(copy).collect()
    }

    /// Returns sketches that could not be written.
    pub(super) fn put_back(&mut self, changed: &[Changed]) {
        for ((domain, day, reader), _) in changed {
            let is_today = self.key.as_ref().is_some_and(|key| key.day == *day);
            if let Some(sketch) =
                self.sketches.get_mut(&(domain.clone(), *reader)).filter(|_| is_today)
            {
                sketch.is_changed = true;
            }
        }
    }
}
